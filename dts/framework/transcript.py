# SPDX-License-Identifier: BSD-3-Clause
"""The same bytes to two servers, and what each of them sends back, byte for byte."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence

from dts.framework.resp import encode

Arg = str | bytes | int
_RECV_LEN = 1 << 16
# Numbers of connections are each server's own.
_ID = re.compile(rb"(?<=\$2\r\nid\r\n:)\d+")


def stream(*commands: Sequence[Arg]) -> bytes:
    """Write commands one behind the other.

    Args:
        commands: Each with its arguments.

    Returns:
        The bytes.
    """
    return b"".join(encode(*command) for command in commands)


def until_closed(sock: socket.socket) -> bytes:
    """Read until the peer closes.

    Args:
        sock: The connection; it is closed afterwards.

    Returns:
        All that came.

    Raises:
        TimeoutError: The peer does not close; the text has what came.
    """
    came = bytearray()
    with sock:
        try:
            while data := sock.recv(_RECV_LEN):
                came += data
        except TimeoutError:
            raise TimeoutError(f"not closed after {bytes(came[-200:])!r}") from None
    return bytes(came)


def transcript(sock: socket.socket, data: bytes, half_close: bool = False) -> bytes:
    """Send bytes behind which the peer closes, and read what it sends until then.

    Args:
        sock: A new connection; it is closed afterwards.
        data: What to send. QUIT is last in it, or something that ends a connection.
        half_close: Close our side behind it, so that data may end in any way.

    Returns:
        All that came, without the number that a server gives a connection.
    """
    sock.sendall(data)
    if half_close:
        sock.shutdown(socket.SHUT_WR)
    return _ID.sub(b"N", until_closed(sock))
