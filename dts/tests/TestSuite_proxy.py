# SPDX-License-Identifier: BSD-3-Clause
"""What nginx passes on is understood as nginx understood it: nobody's request is in another's."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

import pytest

from dts.framework.http import HttpClient
from dts.framework.lab import Lab
from dts.framework.leatd import Leatd
from dts.framework.nginx import ADDR, STREAM_PORT, WHOLE_PORT, Nginx, nginx
from dts.framework.telemetry import Telemetry

NEXT = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
SILENCE_S = 0.05  # behind which nothing more comes of an unfinished request
COUNT_S = 2.0

# What stands beside the body and says how long it is, or seems to.
LENGTHS = [
    b"Content-Length: 5",
    b"Content-Length: 5\r\nContent-Length: 5",
    b"Content-Length: 5\r\nContent-Length: 0",
    b"Content-Length: 5, 5",
    b"Content-Length: +5",
    b"Content-Length: 05",
    b"Content-Length: 0x5",
    b"Content-Length: 5\x0b",
    b"Content-Length:\t5\t",
    b"Content-Length : 5",
    b"Content_Length: 5",
    b"Content-Length: 18446744073709551621",
    b"X: y\r\n Content-Length: 5",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nContent-Length: 5",
    b"Content-Length: 5\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    b"Transfer-Encoding: identity, chunked",
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding: xchunked",
    b"Transfer-Encoding:\x0bchunked",
    b"Transfer-Encoding: chunked\x0b",
    b'Transfer-Encoding: "chunked"',
    b"Transfer-Encoding : chunked",
    b"Transfer_Encoding: chunked",
    b"X: y\nTransfer-Encoding: chunked",
    b"X: y\rTransfer-Encoding: chunked",
    b"Connection: content-length\r\nContent-Length: 5",
    b"Connection: transfer-encoding\r\nTransfer-Encoding: chunked",
    b"Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 5",
    b"Expect: 100-continue\r\nContent-Length: 5",
    b"Trailer: Content-Length\r\nTransfer-Encoding: chunked",
]
BODIES = [b"abcde", b"0\r\n\r\n", b"5\r\nabcde\r\n0\r\n\r\n", b""]

CHUNKS = [
    b"5\r\nabcde\r\n0\r\n\r\n",
    b"05\r\nabcde\r\n000\r\n\r\n",
    b"5;a=b\r\nabcde\r\n0\r\n\r\n",
    b"5 ;a\r\nabcde\r\n0\r\n\r\n",
    b"5\nabcde\n0\n\n",
    b"5\r\nabcde0\r\n\r\n",
    b"5\r\nabcdef\r\n0\r\n\r\n",
    b"0x5\r\nabcde\r\n0\r\n\r\n",
    b"+5\r\nabcde\r\n0\r\n\r\n",
    b"-1\r\na\r\n0\r\n\r\n",
    b"10000000000000005\r\nabcde\r\n0\r\n\r\n",
    b"ffffffffffffffff\r\nabcde\r\n0\r\n\r\n",
    b"5\r\nabcde\r\n0\r\nContent-Length: 9\r\n\r\n",
    b"5\r\nabcde\r\n0\r\nX: y\r\n\r\n",
    b"5\r\nabcde\r\n0\r\n X: y\r\n\r\n",
    b'5;a="\r\n"\r\nabcde\r\n0\r\n\r\n',
]

LINES = [
    b"GET  /health HTTP/1.1",
    b"GET /health  HTTP/1.1",
    b"GET\t/health HTTP/1.1",
    b"GET /health HTTP/1.1 ",
    b"GET /health http/1.1",
    b"GET /health HTTP/1.10",
    b"GET /health HTTP/1.0",
    b"GET /health HTTP/0.9",
    b"GET /health HTTP/2.0",
    b"GET /health",
    b"GET http://b/health HTTP/1.1",
    b"GET http://u@a/health HTTP/1.1",
    b"GET //health HTTP/1.1",
    b"GET /a/../health HTTP/1.1",
    b"GET /%2e%2e/health HTTP/1.1",
    b"GET /health#x HTTP/1.1",
    b"GET /health%0d%0aX:%20y HTTP/1.1",
    b"GET /health%20HTTP/1.1%0d%0a HTTP/1.1",
    b"GET /v1/kv/%00 HTTP/1.1",
    b"GET /\xff HTTP/1.1",
    b"GET * HTTP/1.1",
    b"OPTIONS * HTTP/1.1",
    b"HEAD /health HTTP/1.1",
    b"TRACE /health HTTP/1.1",
    b"CONNECT a:80 HTTP/1.1",
    b"G@T /health HTTP/1.1",
    b"get /health HTTP/1.1",
    b"\r\nGET /health HTTP/1.1",
]


def _requests() -> Iterator[bytes]:
    for length in LENGTHS:
        for body in BODIES:
            yield b"POST /echo HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n%s" % (length, body)
    for body in CHUNKS:
        yield b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    for line in LINES:
        yield line + b"\r\nHost: a\r\n\r\n"
    for method in (b"GET", b"HEAD", b"DELETE", b"OPTIONS"):
        inside = NEXT.replace(b"health", b"echo")
        head = method + b" /health HTTP/1.1\r\nHost: a\r\n"
        yield head + b"Content-Length: %d\r\n\r\n" % len(inside) + inside
        yield head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (
            len(inside),
            inside,
        )


@pytest.fixture(scope="module")
def proxy(lab: Lab, leatd: Leatd, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    """The proxy in front of the daemon."""
    assert leatd.is_running()
    with nginx(lab, tmp_path_factory.mktemp("nginx")) as one:
        yield one


def _send(lab: Lab, port: int, data: bytes) -> None:
    """Send it and take what comes, until nothing does or it is closed."""
    sock = lab.connect(port, ADDR)
    with contextlib.suppress(ConnectionError):
        sock.sendall(data)
        while sock.recv(1 << 16):
            sock.settimeout(SILENCE_S)
    sock.close()


def _is_answered(lab: Lab, port: int, mark: str) -> bool:
    """Ask as somebody else: the answer must be of this request."""
    client = HttpClient(lab.connect(port, ADDR))
    head = f"GET /headers HTTP/1.1\r\nHost: a\r\nX-Mark: {mark}\r\nConnection: close\r\n\r\n"
    client.send(head.encode())
    reply = client.read()
    at_eof = client.at_eof()
    client.close()
    return reply.status == 200 and f"X-Mark: {mark}\n".encode() in reply.body and at_eof


@pytest.mark.parametrize("port", [WHOLE_PORT, STREAM_PORT], ids=["whole", "as-it-comes"])
def test_both_count_the_same_requests(lab: Lab, leatd: Leatd, proxy: Nginx, port: int) -> None:
    """Whatever is said of lengths, both hops agree on where a request ends.

    Steps:
        Send some 180 requests that could be understood in two ways, each with another one behind
        it, through nginx, which keeps one connection to the daemon. Behind each, ask as somebody
        else.

    Verify:
        The other one's answer is his own; the daemon has executed as many requests as nginx has
        had answers.
    """
    with Telemetry(leatd) as telemetry:

        def nb_requests() -> int:
            return int(telemetry.ask("/leat/stats")["worker"]["nb_requests"])

        for idx, data in enumerate(_requests()):
            before = nb_requests() - proxy.nb_answers()
            with contextlib.suppress(socket.timeout):
                _send(lab, port, data + NEXT)
            assert _is_answered(lab, port, f"mark-{idx}"), data
            deadline = time.monotonic() + COUNT_S  # its log is written behind the answer
            while (behind := nb_requests() - proxy.nb_answers()) != before:
                assert time.monotonic() < deadline, (data, behind - before)
