# SPDX-License-Identifier: BSD-3-Clause
"""A RESP2 client that shows the bytes: it hides no error and repairs no stream."""

from __future__ import annotations

import socket
from dataclasses import dataclass

_RECV_LEN = 1 << 16


@dataclass(frozen=True)
class Status:
    """A simple string, "+OK" for example."""

    text: str


@dataclass(frozen=True)
class Error:
    """An error reply, "-ERR ..." for example."""

    text: str


Reply = Status | Error | int | bytes | None | list["Reply"]


def encode(*args: str | bytes | int) -> bytes:
    """Write a command as an array of bulk strings.

    Args:
        args: The command and its arguments.

    Returns:
        The bytes.
    """
    words = [arg if isinstance(arg, bytes) else str(arg).encode() for arg in args]
    body = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
    return b"*%d\r\n%s" % (len(words), body)


class RespClient:
    """Replies read from one connection."""

    def __init__(self, sock: socket.socket) -> None:
        """Read from a connection.

        Args:
            sock: The connection; close() closes it.
        """
        self.sock = sock
        self._data = bytearray()
        self._pos = 0

    def close(self) -> None:
        """Close the connection."""
        self.sock.close()

    def send(self, *args: str | bytes | int) -> None:
        """Send one command.

        Args:
            args: The command and its arguments.
        """
        self.sock.sendall(encode(*args))

    def command(self, *args: str | bytes | int) -> Reply:
        """Send one command and read its reply.

        Args:
            args: The command and its arguments.

        Returns:
            The reply.
        """
        self.send(*args)
        return self.read()

    def read(self) -> Reply:
        """Read one reply.

        Returns:
            The reply.

        Raises:
            ValueError: The bytes are not RESP2.
            EOFError: The peer has closed.
        """
        line = self._line()
        kind, rest = line[:1], line[1:]
        if kind == b"+":
            return Status(rest.decode())
        if kind == b"-":
            return Error(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self._bulk(int(rest))
        if kind == b"*":
            return None if rest == b"-1" else [self.read() for _ in range(int(rest))]
        raise ValueError(f"not RESP2: {line!r}")

    def at_eof(self) -> bool:
        """Tell whether the peer has closed and nothing is left to read.

        Returns:
            False as soon as there is a byte.
        """
        if self._pos < len(self._data):
            return False
        return self._fill() == 0

    def _fill(self) -> int:
        data = self.sock.recv(_RECV_LEN)
        del self._data[: self._pos]
        self._pos = 0
        self._data += data
        return len(data)

    def _line(self) -> bytes:
        while (end := self._data.find(b"\r\n", self._pos)) < 0:
            if self._fill() == 0:
                raise EOFError(f"closed after {bytes(self._data)!r}")
        line = bytes(self._data[self._pos : end])
        self._pos = end + 2
        return line

    def _bulk(self, length: int) -> bytes:
        while len(self._data) - self._pos < length + 2:
            if self._fill() == 0:
                raise EOFError("closed within a bulk string")
        value = bytes(self._data[self._pos : self._pos + length])
        if self._data[self._pos + length : self._pos + length + 2] != b"\r\n":
            raise ValueError("a bulk string without its end")
        self._pos += length + 2
        return value
