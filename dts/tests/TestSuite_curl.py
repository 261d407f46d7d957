# SPDX-License-Identifier: BSD-3-Clause
"""curl with the options that people use: methods, uploads, Expect, HTTP/1.0, chunks, statuses."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dts.framework.curl import curl
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.resp import RespClient, Status
from dts.framework.run import SNAP_LEN_LOAD, serve

URL = f"http://{SRV_ADDR}:{HTTP_PORT}"
BODY_LENS = [0, 1, 1447, 1448, 1449, 16384, 65536, (1 << 20) + 1]
REQUEST_MAX = 8 << 20
CHUNKED = ["-H", "Transfer-Encoding: chunked"]
NO_EXPECT = ["-H", "Expect:"]
EXPECT = "Expect: 100-continue"
NB_PARALLEL = 30


@pytest.fixture(scope="module", autouse=True)
def served(lab: Lab) -> Iterator[Leatd]:
    """The daemon with a limit for requests that tests reach quickly."""
    conf = LeatdConf(port=af_port("net_af_packet"), extra=["--request-max", str(REQUEST_MAX)])
    # Of bodies of mebibytes the headers are enough to judge. curl writes to a disk meanwhile, so
    # that its kernel may acknowledge late and the tail is sent again.
    with serve(lab, conf, "curl", SNAP_LEN_LOAD, clean_link=False) as one:
        yield one


@pytest.mark.parametrize("version", ["--http1.0", "--http1.1"])
@pytest.mark.parametrize(
    ("args", "status", "body"),
    [
        (["/health"], 200, b"ok"),
        (["/health?a=b&c"], 200, b"ok"),
        (["-I", "/health"], 200, b""),
        (["/none"], 404, b"Not Found\n"),
        (["-I", "/none"], 404, b""),
        (["-X", "DELETE", "/health"], 405, b"Method Not Allowed\n"),
        (["-X", "OPTIONS", "/health"], 204, b""),
        (["-X", "OPTIONS", "/none"], 404, b"Not Found\n"),
        (["-X", "PUT", "-d", "x", "/health"], 405, b"Method Not Allowed\n"),
        (["-X", "PATCH", "-d", "x", "/echo"], 405, b"Method Not Allowed\n"),
        (["/echo"], 405, b"Method Not Allowed\n"),
        (["-d", "a=b", "/echo"], 200, b"a=b"),
        (["-d", "", "/echo"], 200, b""),
        (["-X", "POST", "/echo"], 200, b""),
        (["-F", "a=b", "/none"], 404, b"Not Found\n"),
    ],
    ids=lambda value: "_".join(value).replace("/", "") if isinstance(value, list) else None,
)
def test_method_and_path(
    lab: Lab, args: list[str], status: int, body: bytes, version: str
) -> None:
    """Methods and paths, in both versions.

    Steps:
        One request.

    Verify:
        Status, version 1.1 and body.
    """
    [answer] = curl(lab, version, *args[:-1], URL + args[-1])
    assert (answer.status, answer.version, answer.body) == (status, "1.1", body)
    if status in (204, 405):
        allow = "POST, OPTIONS" if "echo" in args[-1] else "GET, HEAD, OPTIONS"
        assert answer.fields["allow"] == allow
    if "-I" in args:
        assert int(answer.fields["content-length"]) > 0


UPLOADS = {
    "length": [*NO_EXPECT, "-X", "POST", "-T"],
    "expect": ["-H", EXPECT, "-X", "POST", "-T"],
    "chunked": [*NO_EXPECT, *CHUNKED, "-X", "POST", "-T"],
    "chunked-expect": ["-H", EXPECT, *CHUNKED, "-X", "POST", "-T"],
    "1.0": ["--http1.0", "-X", "POST", "-T"],
    "data": [*NO_EXPECT, "--data-binary"],
    "data-default": ["--data-binary"],
}


# Of an empty file in chunks curl sends no last chunk, and waits.
@pytest.mark.parametrize(
    ("how", "body_len"),
    [(how, n) for how in UPLOADS for n in BODY_LENS if n > 0 or "chunked" not in how],
)
def test_upload_comes_back(lab: Lab, tmp_path: Path, how: str, body_len: int) -> None:
    """Bodies of every size, with their length or in chunks, with and without Expect.

    Steps:
        POST a file of random bytes to /echo.

    Verify:
        The same bytes; 100 (Continue) where curl asked for it.
    """
    path = tmp_path / "upload"
    path.write_bytes(os.urandom(body_len))
    args = UPLOADS[how]
    name = f"@{path}" if args[-1] == "--data-binary" else str(path)
    [answer] = curl(lab, *args, name, f"{URL}/echo")
    assert answer.status == 200
    assert hashlib.sha256(answer.body).digest() == hashlib.sha256(path.read_bytes()).digest()
    if EXPECT in args and body_len > 0:
        assert answer.heads[0].startswith("HTTP/1.1 100 ")
        assert len(answer.heads) == 2
    elif how != "data-default":  # where curl asks for more than a mebibyte
        assert len(answer.heads) == 1


def test_body_of_unknown_length_is_sent_in_chunks(lab: Lab) -> None:
    """What curl reads from a pipe has no length.

    Steps:
        POST standard input.

    Verify:
        It comes back.
    """
    data = os.urandom(100_000)
    [answer] = curl(lab, *NO_EXPECT, "-X", "POST", "-T", "-", f"{URL}/echo", stdin=data)
    assert answer.body == data


def test_connection_serves_requests_of_every_kind(lab: Lab) -> None:
    """Bodies, statuses and HEAD do not cost the connection.

    Steps:
        GET, POST, HEAD, 404, 405, a POST in chunks and a GET with one curl.

    Verify:
        One connection; each answer is right.
    """
    answers = curl(
        lab,
        *[f"{URL}/health", "--next", "-d", "one", f"{URL}/echo", "--next", "-I", f"{URL}/health"],
        *["--next", f"{URL}/none", "--next", "-X", "DELETE", f"{URL}/health"],
        *["--next", *CHUNKED, "-d", "two", f"{URL}/echo", "--next", f"{URL}/health"],
    )
    assert [answer.status for answer in answers] == [200, 200, 200, 404, 405, 200, 200]
    assert [answer.body for answer in answers][1::4] == [b"one", b"two"]
    assert sum(answer.nb_connects for answer in answers) == 1


def test_http_1_0_closes_unless_it_is_asked(lab: Lab) -> None:
    """A connection of HTTP/1.0 is kept only for those who say so.

    Steps:
        Two requests with one curl, without and with Connection: keep-alive.

    Verify:
        Two connections, then one.
    """
    urls = [f"{URL}/health"] * 2
    closed = curl(lab, "--http1.0", *urls)
    assert [answer.nb_connects for answer in closed] == [1, 1]
    assert "keep-alive" not in closed[0].fields.get("connection", "")
    kept = curl(lab, "--http1.0", "-H", "Connection: keep-alive", *urls)
    assert [answer.nb_connects for answer in kept] == [1, 0]
    assert kept[1].fields["connection"] == "keep-alive"


def test_connection_close_is_kept(lab: Lab) -> None:
    """Who asks for the close gets it.

    Steps:
        Two requests with Connection: close.

    Verify:
        Two connections, and each answer says so.
    """
    answers = curl(lab, "-H", "Connection: close", *[f"{URL}/health"] * 2)
    assert [answer.nb_connects for answer in answers] == [1, 1]
    assert {answer.fields["connection"] for answer in answers} == {"close"}


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["-H", "Host:", f"{URL}/health"], 400),
        (["-H", "Host: a b", f"{URL}/health"], 400),
        (["-H", "Bad Name: x", f"{URL}/health"], 400),
        (["-H", "Content-Length: x", "-X", "POST", f"{URL}/echo"], 400),
        (["-H", "Content-Length: 1", *CHUNKED, "-d", "x", f"{URL}/echo"], 400),
        (["-H", f"Content-Length: {REQUEST_MAX}", "-X", "POST", f"{URL}/echo"], 413),
        ([f"{URL}/{'x' * 20000}"], 414),
        (["-H", "Expect: a miracle", "-d", "x", f"{URL}/echo"], 417),
        (["-H", f"X: {'x' * 20000}", f"{URL}/health"], 431),
        (["-X", "BREW", f"{URL}/health"], 501),
        (["-H", "Transfer-Encoding: gzip", "-X", "POST", f"{URL}/echo"], 400),
        (["-H", "Transfer-Encoding: gzip, chunked", "-X", "POST", f"{URL}/echo"], 501),
        (["--request-target", "health", f"{URL}/health"], 400),
        (["--request-target", f"{URL}/health", f"{URL}/other"], 200),
        (["-X", "OPTIONS", "--request-target", "*", f"{URL}/"], 204),
        (["--path-as-is", f"{URL}/../health"], 404),
        (["-H", "X: a", "-H", "X: b", f"{URL}/health"], 200),
    ],
    ids=lambda value: None if isinstance(value, int) else "_".join(value)[:40],
)
def test_status(lab: Lab, args: list[str], status: int) -> None:
    """Refusals have the status that tells why.

    Steps:
        A request with something wrong about it.

    Verify:
        The status.
    """
    [answer] = curl(lab, *args)
    assert answer.status == status


def test_body_over_the_limit_is_refused_before_it_is_sent(lab: Lab, tmp_path: Path) -> None:
    """Who asks with Expect need not send what is too large.

    Steps:
        Send a file over request-max with Expect.

    Verify:
        413, and none of it was sent.
    """
    path = tmp_path / "large"
    path.write_bytes(bytes(REQUEST_MAX + 1))
    [answer] = curl(lab, "-H", "Expect: 100-continue", "-T", str(path), f"{URL}/echo")
    assert (answer.status, answer.nb_sent) == (413, 0)


def test_transfers_side_by_side(lab: Lab, tmp_path: Path) -> None:
    """curl -Z runs many transfers at a time.

    Steps:
        POST a file thirty times in parallel.

    Verify:
        It comes back thirty times.
    """
    path = tmp_path / "body"
    path.write_bytes(os.urandom(200_000))
    outs = [tmp_path / f"out-{i}" for i in range(NB_PARALLEL)]
    argv = ["curl", "-sS", "-Z", "--parallel-max", str(NB_PARALLEL), "--max-time", "20"]
    for out in outs:
        argv += [*NO_EXPECT, "--data-binary", f"@{path}", "-o", str(out), f"{URL}/echo", "--next"]
    done = lab.run(*argv[:-1])
    assert done.returncode == 0, done.stderr
    assert {out.read_bytes() == path.read_bytes() for out in outs} == {True}


def test_headers_come_back(lab: Lab) -> None:
    """What a proxy or a client adds is there to be read.

    Steps:
        GET /headers with fields of our own.

    Verify:
        A line for each field, in their order, values as they were.
    """
    own = ["-H", "X-First: a b", "-H", "X-Second: \u00fc", "-H", "X-First: again", "-H", "X-None;"]
    [answer] = curl(lab, *own, f"{URL}/headers?a=b")
    lines = [line.partition(": ") for line in answer.body.decode().splitlines()]
    fields = [(name.lower(), value) for name, _, value in lines]
    assert answer.status == 200
    assert ("host", f"{SRV_ADDR}:{HTTP_PORT}") in fields
    assert [one for one in fields if one[0].startswith("x-")] == [
        ("x-first", "a b"),
        ("x-second", "\u00fc"),
        ("x-first", "again"),
        ("x-none", ""),
    ]


@pytest.mark.parametrize(
    "how",
    [[], ["-H", EXPECT], CHUNKED, [*CHUNKED, "-H", EXPECT], ["--http1.0"]],
    ids=["length", "expect", "chunked", "chunked-expect", "1.0"],
)
@pytest.mark.parametrize("body_len", [1, 1448, 65536, (1 << 20) + 1])
def test_key_is_put_got_and_deleted(
    lab: Lab, tmp_path: Path, how: list[str], body_len: int
) -> None:
    """curl -T is a PUT, as a person would store a file.

    Steps:
        PUT a new key, PUT it again, GET, HEAD, DELETE, DELETE, GET.

    Verify:
        201, 204, the bytes, their length, 204, 404, 404.
    """
    path = tmp_path / "upload"
    path.write_bytes(os.urandom(body_len))
    url = f"{URL}/v1/kv/file"
    put, get = [*how, "-T", str(path), url], [url]
    delete, head = ["-X", "DELETE", url], ["-I", url]
    new, old, got, length, gone, none, missing = (
        curl(lab, *args)[0] for args in (put, put, get, head, delete, delete, get)
    )
    statuses = [one.status for one in (new, old, got, length, gone, none, missing)]
    assert statuses == [201, 204, 200, 200, 204, 404, 404]
    assert got.body == path.read_bytes()
    assert length.fields["content-length"] == str(body_len)
    assert got.fields["content-type"] == "application/octet-stream"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("plain", b"plain"),
        ("a%20b", b"a b"),
        ("a%2Fb", b"a/b"),
        ("%00%ff", b"\x00\xff"),
        ("%C3%BC", "\u00fc".encode()),
        ("a+b", b"a+b"),
        ("%25", b"%"),
        ("x" * 1000, b"x" * 1000),
    ],
)
def test_key_in_a_path_is_the_key_of_other_protocols(lab: Lab, name: str, key: bytes) -> None:
    """A key may have any bytes; in a path they are written as URIs write them.

    Steps:
        PUT with curl and GET in RESP; SET in RESP and GET with curl.

    Verify:
        The same values.
    """
    resp = RespClient(lab.connect(RESP_PORT))
    url = f"{URL}/v1/kv/{name}"
    assert curl(lab, "-X", "PUT", "-d", "of HTTP", url)[0].status in (201, 204)
    assert resp.command("GET", key) == b"of HTTP"
    assert resp.command("SET", key, "of RESP") == Status("OK")
    [answer] = curl(lab, url)
    assert (answer.status, answer.body) == (200, b"of RESP")
    assert resp.command("DEL", key) == 1
    resp.close()


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["-X", "POST", "-d", "x", "/v1/kv/k"], 405),
        (["-X", "PATCH", "-d", "x", "/v1/kv/k"], 405),
        (["/v1/kv/"], 404),
        (["/v1/kv"], 404),
        (["/v1/kv/a/b"], 404),
        (["/v1/kv/%zz"], 400),
        (["/v1/kv/of-another-type"], 409),
        (["-X", "PUT", "-d", "x", "-H", "Content-Range: bytes 0-0/2", "/v1/kv/k"], 400),
    ],
    ids=lambda value: None if isinstance(value, int) else value[-1],
)
def test_key_is_refused(lab: Lab, args: list[str], status: int) -> None:
    """Paths that are no key, methods that are not, values that are none.

    Steps:
        One request.

    Verify:
        The status, and the methods that there are.
    """
    resp = RespClient(lab.connect(RESP_PORT))
    assert resp.command("HSET", "of-another-type", "f", "v") in (0, 1)
    resp.close()
    [answer] = curl(lab, *args[:-1], URL + args[-1])
    assert answer.status == status
    if status == 405:
        assert answer.fields["allow"] == "GET, HEAD, PUT, DELETE, OPTIONS"
