# SPDX-License-Identifier: BSD-3-Clause
"""A server on the kernel's TCP that answers as leatd does: the oracle of the packet scripts.

Run as a program in the namespace of the server, it listens until it is ended.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator

KEEPALIVE_S = 1
KEEPALIVE_NB = 3
_BACKLOG = 512
_RECV_LEN = 1 << 16
_DATE = b"Thu, 01 Jan 1970 00:00:00 GMT"


class _Peer:
    """One connection: requests are taken as they come, replies leave together."""

    def __init__(self, sock: socket.socket, store: dict[bytes, bytes]) -> None:
        self._sock = sock
        self._store = store
        self._data = b""

    def run(self, is_http: bool) -> None:
        """Serve until the peer has had enough."""
        try:
            with self._sock:
                requests = self._http() if is_http else self._resp()
                for reply, is_last in requests:
                    self._sock.sendall(reply)
                    if is_last:
                        break
                self._sock.shutdown(socket.SHUT_WR)
                while self._sock.recv(_RECV_LEN):
                    pass
        except OSError:
            pass

    def _more(self) -> bool:
        data = self._sock.recv(_RECV_LEN)
        self._data += data
        return bool(data)

    def _resp(self) -> Iterator[tuple[bytes, bool]]:
        while self._more():
            replies, is_last = b"", False
            while not is_last and (words := self._take_command()) is not None:
                reply, is_last = self._answer(words)
                replies += reply
            if replies:
                yield replies, is_last

    def _take_command(self) -> list[bytes] | None:
        line, end, rest = self._data.partition(b"\r\n")
        if not end:
            return None
        if not line.startswith(b"*"):
            self._data = rest
            return line.split()
        words = []
        for _ in range(int(line[1:])):
            head, end, rest = rest.partition(b"\r\n")
            length = int(head[1:] or 0)
            if not end or len(rest) < length + 2:
                return None
            words.append(rest[:length])
            rest = rest[length + 2 :]
        self._data = rest
        return words

    def _answer(self, words: list[bytes]) -> tuple[bytes, bool]:
        if words[0] == b"PING":
            return b"+PONG\r\n", False
        if words[0] == b"SET":
            self._store[words[1]] = words[2]
            return b"+OK\r\n", False
        if words[0] == b"GET":
            value = self._store[words[1]]
            return b"$%d\r\n%s\r\n" % (len(value), value), False
        if words[0] == b"QUIT":
            return b"+OK\r\n", True
        return b"-ERR unknown command\r\n", False

    def _http(self) -> Iterator[tuple[bytes, bool]]:
        while self._more():
            while b"\r\n\r\n" in self._data:
                head, _, self._data = self._data.partition(b"\r\n\r\n")
                is_last = b"Connection: close" in head
                fields = [b"HTTP/1.1 200 OK", b"Date: " + _DATE, b"Content-Type: text/plain"]
                fields += [b"Content-Length: 2"] + [b"Connection: close"] * is_last
                yield b"\r\n".join(fields) + b"\r\n\r\nok", is_last


def _listen(family: int, addr: str, port: int, keepalive: bool) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if keepalive:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_NB)
    sock.bind((addr, port))
    sock.listen(_BACKLOG)
    return sock


def _accept(listener: socket.socket, is_http: bool, store: dict[bytes, bytes]) -> None:
    while True:
        sock, _ = listener.accept()
        peer = _Peer(sock, store)
        threading.Thread(target=peer.run, args=(is_http,), daemon=True).start()


def main() -> None:
    """Listen on ADDRESS,PORT,KIND of each argument and say so; end when the input ends."""
    store: dict[bytes, bytes] = {}
    for text in sys.argv[1:]:
        addr, port, kind = text.split(",")
        family = socket.AF_INET6 if ":" in addr else socket.AF_INET
        listener = _listen(family, addr, int(port), kind == "keepalive")
        args = (listener, kind == "http", store)
        threading.Thread(target=_accept, args=args, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
