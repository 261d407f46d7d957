# SPDX-License-Identifier: BSD-3-Clause
"""HTTP/1.1 on the wire: a reply for each request, however the bytes arrive."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from dts.framework.http import HttpClient
from dts.framework.lab import Lab
from dts.framework.leatd import HTTP_PORT

GET = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
HEAD_MAX = 16384  # bytes of a head, the limit of the daemon
PAUSE_S = 0.002  # so that the kernel sends what it has as a segment of its own

pytestmark = pytest.mark.usefixtures("leatd")


@pytest.fixture
def client(lab: Lab) -> Iterator[HttpClient]:
    """A connection to the HTTP listener."""
    one = HttpClient(lab.connect(HTTP_PORT))
    yield one
    one.close()


def test_four_pipelined_gets_give_four_replies(client: HttpClient) -> None:
    """A server answers per request, not per segment.

    Steps:
        Send four GET in one segment.

    Verify:
        Four replies, and no fifth.
    """
    client.send(GET * 4)
    for _ in range(4):
        assert client.read().body == b"ok"
    client.send(POST)
    assert client.read().body == b"hello"


def test_partial_fifth_request_does_not_hold_back_the_four(client: HttpClient) -> None:
    """What is complete is answered.

    Steps:
        Send four GET and half of a fifth; later the other half.

    Verify:
        Four replies before the rest is sent, then the fifth.
    """
    client.send(GET * 4 + GET[:20])
    for _ in range(4):
        assert client.read().status == 200
    client.send(GET[20:])
    assert client.read().body == b"ok"


def test_split_method_gives_one_right_reply(client: HttpClient) -> None:
    """A request line cut in two is one request.

    Steps:
        Send "GE", wait, send the rest.

    Verify:
        One 200, and the next reply is that of the next request.
    """
    client.send(GET[:2])
    time.sleep(0.05)
    client.send(GET[2:])
    assert client.read().status == 200
    client.send(POST)
    assert client.read().body == b"hello"


@pytest.mark.parametrize("request_bytes", [GET, POST], ids=["GET", "POST"])
def test_split_at_every_byte(client: HttpClient, request_bytes: bytes) -> None:
    """No border of a segment is special.

    Steps:
        Send the request in two segments, cut after each byte in turn.

    Verify:
        One right reply each time.
    """
    for cut in range(1, len(request_bytes)):
        client.send(request_bytes[:cut])
        time.sleep(PAUSE_S)
        client.send(request_bytes[cut:])
        reply = client.read()
        assert (reply.status, reply.body) == (200, b"ok" if request_bytes == GET else b"hello"), cut


def test_byte_at_a_time(client: HttpClient) -> None:
    """Each byte in a segment of its own.

    Steps:
        Send POST /echo byte by byte.

    Verify:
        One right reply.
    """
    for byte in POST:
        client.send(bytes([byte]))
        time.sleep(PAUSE_S / 2)
    assert client.read().body == b"hello"


def test_head_has_no_body(client: HttpClient) -> None:
    """HEAD tells the length of what GET would give.

    Steps:
        Send HEAD, then GET.

    Verify:
        Content-Length 2 and no body between the two replies.
    """
    client.send(b"HEAD" + GET[3:] + GET)
    assert client.read(to_head=True).headers["content-length"] == "2"
    assert client.read().body == b"ok"


@pytest.mark.parametrize(
    "data",
    [
        b"this is no request\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /health HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost : a\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ids=["words", "tls", "no-colon", "space", "length", "two-lengths", "smuggled"],
)
def test_garbage_gives_400_and_close(client: HttpClient, data: bytes) -> None:
    """What is not HTTP is refused, and the stream is not read any further.

    Steps:
        Send garbage.

    Verify:
        400, then the end of the stream.
    """
    client.send(data)
    assert client.read().status == 400
    assert client.at_eof()


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /none HTTP/1.1\r\nHost: a\r\n\r\n", 404),
        (b"DELETE /health HTTP/1.1\r\nHost: a\r\n\r\n", 405),
        (b"GET /health HTTP/1.1\r\nHost: a\r\nX: " + b"x" * HEAD_MAX + b"\r\n\r\n", 431),
        (b"GET /health HTTP/3.0\r\nHost: a\r\n\r\n", 505),
    ],
    ids=["404", "405", "431", "505"],
)
def test_refusals(client: HttpClient, data: bytes, status: int) -> None:
    """Each refusal has its status.

    Steps:
        Send a request that is to be refused.

    Verify:
        The status.
    """
    client.send(data)
    reply = client.read()
    assert reply.status == status
    if status == 405:
        assert "GET" in reply.headers["allow"]


def test_not_found_keeps_the_connection(client: HttpClient) -> None:
    """A path that is not there is no reason to close.

    Steps:
        GET /none, then GET /health.

    Verify:
        404, then 200.
    """
    client.send(b"GET /none HTTP/1.1\r\nHost: a\r\n\r\n" + GET)
    assert client.read().status == 404
    assert client.read().status == 200


def test_connection_close_is_kept(client: HttpClient) -> None:
    """The server closes when the client asks for it.

    Steps:
        GET /health with Connection: close, and another GET behind it.

    Verify:
        One reply that says so, then the end of the stream.
    """
    client.send(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    reply = client.read()
    assert reply.status == 200
    assert reply.headers["connection"].lower() == "close"
    assert client.at_eof()


def test_many_requests_on_one_connection(client: HttpClient) -> None:
    """Keep-alive without end.

    Steps:
        GET /health 500 times, one after the other.

    Verify:
        500 replies.
    """
    for _ in range(500):
        client.send(GET)
        assert client.read().body == b"ok"


def test_half_closed_client_gets_its_replies(client: HttpClient) -> None:
    """A client that has nothing more to say may still listen.

    Steps:
        Send two GET and close our side.

    Verify:
        Two replies, then the end of the stream.
    """
    client.send(GET * 2)
    client.sock.shutdown(socket.SHUT_WR)
    assert client.read().body == b"ok"
    assert client.read().body == b"ok"
    assert client.at_eof()
