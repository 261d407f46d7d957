# SPDX-License-Identifier: BSD-3-Clause
"""Bytes of one connection: what each client of a protocol reads from."""

from __future__ import annotations

import socket

_RECV_LEN = 1 << 18


class Stream:
    """Bytes read from one connection, and not taken yet."""

    def __init__(self, sock: socket.socket) -> None:
        """Read from a connection.

        Args:
            sock: The connection; close() closes it.
        """
        self.sock = sock
        self._data = bytearray()

    def close(self) -> None:
        """Close the connection."""
        self.sock.close()

    def send(self, data: bytes) -> None:
        """Send bytes as they are.

        Args:
            data: The bytes.
        """
        self.sock.sendall(data)

    def at_eof(self) -> bool:
        """Tell whether the peer has closed and nothing is left to read.

        Returns:
            False as soon as there is a byte.
        """
        if not self._data:
            self._data += self.sock.recv(_RECV_LEN)
        return not self._data

    def _fill(self) -> None:
        """Wait for bytes; EOFError where the peer closed before they came."""
        data = self.sock.recv(_RECV_LEN)
        if not data:
            raise EOFError(f"closed after {bytes(self._data[:200])!r}")
        self._data += data

    def take(self, length: int) -> bytes:
        """Take bytes from the front.

        Args:
            length: How many.

        Returns:
            The bytes.

        Raises:
            EOFError: The peer has closed before they came.
        """
        while len(self._data) < length:
            self._fill()
        taken = bytes(self._data[:length])
        del self._data[:length]
        return taken
