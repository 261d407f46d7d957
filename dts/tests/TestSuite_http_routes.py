# SPDX-License-Identifier: BSD-3-Clause
"""Routes of HTTP: what is there, what the configuration adds, the password, and time limits."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dts.framework.http import HttpClient, ask
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.run import serve
from dts.framework.zap import BINARY, ZapClient

OWN_PORT = 8081  # of the listener with routes and times of its own
BARE_PORT = 8082  # of a listener with nothing that nobody asked for
SOME_PORT = 8083  # of one with two of the routes that there are anyhow
ZAP_PORT = 9999  # as BARE_PORT, over ZAP
AUTO_PORT = 6380
TIMEOUT_S = 1
LARGE_LEN = 3 << 20  # bytes of a file that no segment holds
PAGE = b"<!doctype html><title>leat</title>"
DATA_SEGS_IN = 152  # offset of tcpi_data_segs_in in struct tcp_info

ROUTES = """
[listen own]
protocol = http
transport = dpdk
address = {addr}
port = {port}
timeout = {timeout}
head-timeout = {timeout}
body-timeout = {timeout}

[listen bare]
protocol = http
transport = dpdk
address = {addr}
port = {bare}
builtin-route = none

[listen some]
protocol = http
transport = dpdk
address = {addr}
port = {some}
builtin-route = health
builtin-route = kv

[listen zap]
protocol = zap
transport = dpdk
address = {addr}
port = {zap}
builtin-route = none

[listen both]
protocol = auto
transport = dpdk
address = {addr}
port = {auto}
choice-timeout = {timeout}

[route index]
path = /
header = Content-Type: text/html; charset=utf-8
header = Cache-Control: no-store
body = {directory}/index.html

[route large]
path = /large
body = {directory}/large.bin

[route old]
path = /old/*
status = 301
header = Location: /

[route any]
path = /any
method = any
handler = echo

[route store]
path = /store/*
handler = kv
listen = own
"""


@pytest.fixture(scope="module")
def routes_conf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration with routes, and the files that they answer with."""
    directory = tmp_path_factory.mktemp("routes")
    (directory / "index.html").write_bytes(PAGE)
    (directory / "large.bin").write_bytes(large())
    conf = directory / "leatd.conf"
    conf.write_text(
        ROUTES.format(
            addr=SRV_ADDR,
            port=OWN_PORT,
            bare=BARE_PORT,
            some=SOME_PORT,
            zap=ZAP_PORT,
            auto=AUTO_PORT,
            timeout=TIMEOUT_S,
            directory=directory,
        )
    )
    return conf


@pytest.fixture(scope="module")
def leatd(lab: Lab, routes_conf: Path) -> Iterator[Leatd]:
    """The daemon with these routes."""
    conf = LeatdConf(port=af_port("net_af_packet"), extra=["--config", str(routes_conf)])
    with serve(lab, conf, "http_routes") as one:
        yield one


@pytest.fixture
def client(lab: Lab, leatd: Leatd) -> Iterator[HttpClient]:
    """A connection to the listener that has only the routes for all."""
    assert leatd.pid > 0
    one = HttpClient(lab.connect(HTTP_PORT))
    yield one
    one.close()


def large() -> bytes:
    """Make the bytes of the large file.

    Returns:
        Bytes that differ from one segment to the next.
    """
    return b"".join(struct.pack(">I", i) for i in range(LARGE_LEN // 4))


def data_segments(sock: socket.socket) -> int:
    """Count the segments with data that a connection has received.

    Args:
        sock: The connection.

    Returns:
        How many.
    """
    info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, DATA_SEGS_IN + 4)
    return int(struct.unpack_from("I", info, DATA_SEGS_IN)[0])


def test_a_small_answer_is_one_segment(client: HttpClient) -> None:
    """Head and body leave together.

    Steps:
        Ask for a page from a file, for the health and for a key.

    Verify:
        Each answer has come in one segment, and is what it should be.
    """
    page = ask(client, "GET", "/")
    assert (page.status, page.body) == (200, PAGE)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-store"
    assert data_segments(client.sock) == 1
    assert ask(client, "GET", "/health").body == b"ok"
    assert data_segments(client.sock) == 2
    assert ask(client, "PUT", "/v1/kv/one-segment", b"v" * 512).status == 201
    assert ask(client, "GET", "/v1/kv/one-segment").body == b"v" * 512
    assert data_segments(client.sock) == 4


def test_a_large_file_comes_whole_and_again(client: HttpClient) -> None:
    """Fixed bodies are sent from where they lie.

    Steps:
        Ask three times for a file of some megabytes, once with HEAD.

    Verify:
        Its bytes, and its length to HEAD.
    """
    for _ in range(2):
        assert ask(client, "GET", "/large").body == large()
    head = ask(client, "HEAD", "/large")
    assert (head.status, head.headers["content-length"]) == (200, str(LARGE_LEN))
    assert ask(client, "GET", "/health").body == b"ok"


def test_routes_that_are_there_anyhow_can_be_turned_off(
    lab: Lab, leatd: Leatd, client: HttpClient
) -> None:
    """A listener has those of them that its section names.

    Steps:
        Ask for each of them at listeners with none and with two of them, over HTTP and ZAP.

    Verify:
        404 for what is turned off, whatever the method; the rest and the configured routes are
        there, and the other listener has all of them.
    """
    asked = [
        ("health", "GET", "/health", b"", 200),
        ("kv", "PUT", "/v1/kv/off", b"v", 204),
        ("kv", "GET", "/v1/kv/off", b"", 200),
        ("kv", "DELETE", "/v1/kv/nobody", b"", 404),
        ("echo", "POST", "/echo", b"x", 200),
        ("headers", "GET", "/headers", b"", 200),
        ("rpc", "POST", "/rpc", b"x", 415),
    ]
    assert leatd.pid > 0
    assert ask(client, "PUT", "/v1/kv/off", b"v").status == 201
    for port, names in ((HTTP_PORT, None), (SOME_PORT, ("health", "kv")), (BARE_PORT, ())):
        one = HttpClient(lab.connect(port))
        for name, method, path, body, status in asked:
            want = status if names is None or name in names else 404
            assert ask(one, method, path, body).status == want, (port, method, path)
        assert ask(one, "GET", "/").body == PAGE
        one.close()
    zap = ZapClient(lab.connect(ZAP_PORT), BINARY)
    for _, method, path, body, _ in asked:
        assert zap.ask(method, path, body).status == 404
    assert zap.ask("GET", "/").body == PAGE
    zap.close()


def test_prefixes_handlers_and_methods(client: HttpClient) -> None:
    """Routes of the configuration come before those that are there anyhow.

    Steps:
        Ask for paths under a prefix, for one with any method, and for those that are built in.

    Verify:
        Each has its answer, 405 and OPTIONS name the methods.
    """
    for path in ("/old/", "/old/a/b?c"):
        moved = ask(client, "GET", path)
        assert (moved.status, moved.headers["location"], moved.body) == (301, "/", b"")
    assert ask(client, "GET", "/old").status == 404
    for method in ("GET", "DELETE", "PATCH", "BREW"):
        assert ask(client, method, "/any", b"abc").body == b"abc"
    assert ask(client, "POST", "/echo", b"abc").body == b"abc"
    assert ask(client, "BREW", "/echo").status == 501
    wrong = ask(client, "PUT", "/", b"x")
    assert (wrong.status, wrong.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    options = ask(client, "OPTIONS", "/v1/kv/a")
    assert (options.status, options.headers["allow"]) == (204, "GET, HEAD, PUT, DELETE, OPTIONS")
    assert ask(client, "OPTIONS", "*").status == 204


def test_headers_come_back_as_lines(client: HttpClient) -> None:
    """What the server has read of a head.

    Steps:
        Ask for /headers with fields in several cases.

    Verify:
        One line for each, in their order.
    """
    reply = ask(client, "GET", "/headers", more="X-A:  b \r\nx-b:\r\n")
    assert reply.headers["content-type"] == "text/plain"
    assert reply.body == b"Host: a\nX-A: b\nx-b: \n"


def test_keys_are_those_of_redis(client: HttpClient, lab: Lab) -> None:
    """HTTP and RESP see one store.

    Steps:
        Write, read and delete a key whose name needs percent-encoding, in both protocols.

    Verify:
        Statuses as documented, and the same bytes on both sides.
    """
    path = "/v1/kv/a%20b%2Fc"
    with lab.connect(RESP_PORT) as resp:
        assert ask(client, "GET", path).status == 404
        assert ask(client, "PUT", path, b"first").status == 201
        assert ask(client, "PUT", path, b"\0\r\n").status == 204
        resp.sendall(b"*2\r\n$3\r\nGET\r\n$5\r\na b/c\r\n")
        assert resp.recv(100) == b"$3\r\n\0\r\n\r\n"
        client.send(
            f"PUT {path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
            + b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
        )
        assert client.read().status == 204
        assert ask(client, "GET", path).body == b"abc"
        head = ask(client, "HEAD", path)
        assert (head.status, head.headers["content-length"]) == (200, "3")
        resp.sendall(b"*4\r\n$4\r\nHSET\r\n$1\r\nh\r\n$1\r\nf\r\n$1\r\nv\r\n")
        assert resp.recv(100) == b":1\r\n"
        assert ask(client, "GET", "/v1/kv/h").status == 409
    assert ask(client, "DELETE", path).status == 204
    assert ask(client, "DELETE", path).status == 404
    assert ask(client, "GET", "/v1/kv/%zz").status == 400
    assert ask(client, "GET", "/health").body == b"ok"


def test_a_body_in_very_many_chunks(client: HttpClient) -> None:
    """A client that writes byte by byte.

    Steps:
        Send 20,000 chunks of one byte.

    Verify:
        They come back as one body.
    """
    text = bytes(i % 251 for i in range(20000))
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in text)
    client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    client.send(chunks + b"0\r\n\r\n")
    assert client.read().body == text


def test_a_route_of_one_listener(client: HttpClient, lab: Lab) -> None:
    """Routes may be for one listener only.

    Steps:
        Use a prefix that is bound to the keys on one of two listeners.

    Verify:
        404 on the other; the key has the slashes.
    """
    own = HttpClient(lab.connect(OWN_PORT))
    assert ask(own, "PUT", "/store/x/y", b"1").status == 201
    assert ask(client, "GET", "/store/x/y").status == 404
    assert ask(client, "GET", "/v1/kv/x%2Fy").body == b"1"
    own.close()


def read_to_end(sock: socket.socket) -> bytes:
    """Read until the server closes.

    Args:
        sock: The connection.

    Returns:
        What came before.
    """
    text = b""
    while data := sock.recv(1 << 16):
        text += data
    return text


def test_time_limits(lab: Lab, leatd: Leatd) -> None:
    """Clients that take too long.

    Steps:
        Be silent from the start, behind a request, in a head, in a body, and before a choice.

    Verify:
        Each is closed behind its time and not before, with 408 where a request had begun.
    """
    assert leatd.pid > 0
    get = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    begun = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"
    for port, sent, status in (
        (OWN_PORT, b"", b""),
        (OWN_PORT, get, b"HTTP/1.1 200 "),
        (OWN_PORT, get[:20], b"HTTP/1.1 408 "),
        (OWN_PORT, begun, b"HTTP/1.1 408 "),
        (AUTO_PORT, b"GOB", b""),
    ):
        with lab.connect(port) as sock:
            began = time.monotonic()
            sock.sendall(sent)
            text = read_to_end(sock)
            assert text[:13] == status
            assert TIMEOUT_S * 0.9 < time.monotonic() - began
    with lab.connect(HTTP_PORT) as sock:
        time.sleep(TIMEOUT_S * 1.5)
        sock.sendall(get)
        assert sock.recv(1000)[:13] == b"HTTP/1.1 200 ", "other listeners have times of their own"


def test_mistakes_of_the_configuration_end_the_start(lab: Lab, tmp_path: Path) -> None:
    """One clear sentence, and exit status 2.

    Steps:
        Check configurations with a file that is not there, and with a pattern that is none.

    Verify:
        The sentence has file and line.
    """
    for line, words in (
        ("path = /a\nbody = /nonexistent", "cannot read body /nonexistent: No such file"),
        ("path = a", "'a' is no pattern of a path"),
        ("path = /a\nhandler = eco", "there is no handler eco"),
    ):
        conf = tmp_path / "bad.conf"
        conf.write_text(f"[route bad]\n{line}\n")
        argv = LeatdConf(port=af_port("net_af_packet"), extra=["--check"]).argv()
        run = lab.run(*argv, "--config", str(conf))
        assert run.returncode == 2
        assert f"{conf}:1: {words}" in run.stderr.decode()
