# SPDX-License-Identifier: BSD-3-Clause
"""POST /rpc: the same call in ZAP and in JSON, byte for byte."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator

import pytest

from dts.framework.balance import (
    ACCOUNT,
    JSON_ANSWER,
    JSON_REQUEST,
    JSON_TYPE,
    METHOD,
    ZAP_ANSWER,
    ZAP_REQUEST,
    ZAP_TYPE,
    balance_of,
    zap_request,
)
from dts.framework.http import HttpClient, HttpReply
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT

URL = f"http://{SRV_ADDR}:{HTTP_PORT}/rpc"
BODY_MAX = 4096  # bytes, the limit of the daemon
PAUSE_S = 0.002  # so that the kernel sends what it has as a segment of its own

pytestmark = pytest.mark.usefixtures("leatd")


@pytest.fixture
def client(lab: Lab) -> Iterator[HttpClient]:
    """A connection to the HTTP listener."""
    one = HttpClient(lab.connect(HTTP_PORT))
    yield one
    one.close()


def post(body: bytes, media_type: str | None, extra: str = "") -> bytes:
    """Make a POST of a body.

    Args:
        body: The body.
        media_type: Its type, or None to say none.
        extra: More lines of the head, each with its end.

    Returns:
        The bytes of the request.
    """
    kind = "" if media_type is None else f"Content-Type: {media_type}\r\n"
    head = f"POST /rpc HTTP/1.1\r\nHost: a\r\n{kind}{extra}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def chunked(body: bytes, chunk_len: int, media_type: str) -> bytes:
    """Make a POST of a body in chunks.

    Args:
        body: The body.
        chunk_len: Bytes of each chunk but the last.
        media_type: Its type.

    Returns:
        The bytes of the request.
    """
    head = (
        f"POST /rpc HTTP/1.1\r\nHost: a\r\nContent-Type: {media_type}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    ).encode()
    parts = [body[i : i + chunk_len] for i in range(0, len(body), chunk_len)]
    return head + b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n"


def check(reply: HttpReply, media_type: str) -> None:
    """Verify that a reply is the answer to the record.

    Args:
        reply: The reply.
        media_type: The type that it must have.
    """
    want = ZAP_ANSWER if media_type == ZAP_TYPE else JSON_ANSWER
    assert (reply.status, reply.body) == (200, want)
    assert reply.headers["content-type"] == media_type
    assert reply.headers["content-length"] == str(len(want))


def curl(lab: Lab, body: bytes, *args: str) -> bytes:
    """POST a body with curl.

    Args:
        lab: The lab.
        body: The body.
        args: More options.

    Returns:
        What it prints.
    """
    options = ["-sS", "--max-time", "10", "--data-binary", "@-"]
    done = lab.run("curl", *options, *args, URL, stdin=body)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_record_has_its_lengths() -> None:
    """The bytes of this suite are those of the record.

    Verify:
        82 and 80 bytes of ZAP, 103 and 130 of JSON; our writer makes the same.
    """
    assert (len(ZAP_REQUEST), len(ZAP_ANSWER)) == (82, 80)
    assert (len(JSON_REQUEST), len(JSON_ANSWER)) == (103, 130)
    assert zap_request(1, 68943, METHOD, ACCOUNT) == ZAP_REQUEST
    assert json.loads(JSON_ANSWER)["balance"] == balance_of(68943, METHOD, ACCOUNT)


@pytest.mark.parametrize(
    ("body", "media_type", "want"),
    [(ZAP_REQUEST, ZAP_TYPE, ZAP_ANSWER), (JSON_REQUEST, JSON_TYPE, JSON_ANSWER)],
    ids=["zap", "json"],
)
def test_curl(lab: Lab, body: bytes, media_type: str, want: bytes) -> None:
    """A client that everybody has.

    Steps:
        POST the record in each encoding.

    Verify:
        The answer byte for byte, 200, and the type of the request.
    """
    tail = f" 200 {media_type}".encode()
    reply = curl(
        lab, body, "-H", f"Content-Type: {media_type}", "-w", " %{http_code} %{content_type}"
    )
    assert reply == want + tail


def test_curl_without_a_type_of_its_own(lab: Lab) -> None:
    """Curl calls a body a form where nobody says what it is.

    Steps:
        POST the record without naming a type.

    Verify:
        415.
    """
    reply = curl(lab, JSON_REQUEST, "-w", " %{http_code}")
    assert reply.endswith(b" 415")


def test_curl_in_chunks(lab: Lab) -> None:
    """Curl sends chunks where it is told to.

    Steps:
        POST the record in each encoding with Transfer-Encoding: chunked.

    Verify:
        The answer byte for byte.
    """
    options = ["-H", "Transfer-Encoding: chunked", "-H"]
    assert curl(lab, JSON_REQUEST, *options, f"Content-Type: {JSON_TYPE}") == JSON_ANSWER
    assert curl(lab, ZAP_REQUEST, *options, f"Content-Type: {ZAP_TYPE}") == ZAP_ANSWER


def test_both_encodings_on_one_connection(client: HttpClient) -> None:
    """Each request chooses for itself.

    Steps:
        Send ZAP, JSON, ZAP and JSON in one segment.

    Verify:
        Each answer in the encoding of its request, in order.
    """
    order = [ZAP_TYPE, JSON_TYPE, ZAP_TYPE, JSON_TYPE]
    bodies = {ZAP_TYPE: ZAP_REQUEST, JSON_TYPE: JSON_REQUEST}
    client.send(b"".join(post(bodies[kind], kind) for kind in order))
    for kind in order:
        check(client.read(), kind)


@pytest.mark.parametrize("media_type", [ZAP_TYPE, JSON_TYPE])
def test_split_at_every_byte(client: HttpClient, media_type: str) -> None:
    """No border of a segment is special.

    Steps:
        Send the request in two segments, cut after each byte in turn.

    Verify:
        The answer each time.
    """
    data = post(ZAP_REQUEST if media_type == ZAP_TYPE else JSON_REQUEST, media_type)
    for cut in range(1, len(data)):
        client.send(data[:cut])
        time.sleep(PAUSE_S)
        client.send(data[cut:])
        check(client.read(), media_type)


@pytest.mark.parametrize("chunk_len", [1, 7, 16, 64, 4096])
def test_chunks_of_any_length(client: HttpClient, chunk_len: int) -> None:
    """A body in chunks is put together.

    Steps:
        Send the record in each encoding, in chunks.

    Verify:
        The answer.
    """
    client.send(chunked(ZAP_REQUEST, chunk_len, ZAP_TYPE))
    client.send(chunked(JSON_REQUEST, chunk_len, JSON_TYPE))
    check(client.read(), ZAP_TYPE)
    check(client.read(), JSON_TYPE)


@pytest.mark.parametrize(
    "media_type",
    [
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"; q=1',
        "application/json ;",
    ],
)
def test_types_in_other_words(client: HttpClient, media_type: str) -> None:
    """A type has no case, and parameters.

    Steps:
        Send the record with the type in other words.

    Verify:
        The answer, and its type in our words.
    """
    client.send(post(JSON_REQUEST, media_type))
    check(client.read(), JSON_TYPE)


@pytest.mark.parametrize(
    "media_type",
    [None, "", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "json"],
)
def test_other_types_are_refused(client: HttpClient, media_type: str | None) -> None:
    """Neither ZAP nor JSON, or nobody says.

    Steps:
        Send the record with another type, with none, and then with its own.

    Verify:
        415 and which types there are; the connection stays.
    """
    client.send(post(JSON_REQUEST, media_type))
    reply = client.read()
    assert reply.status == 415
    assert reply.headers["accept"] == f"{JSON_TYPE}, {ZAP_TYPE}"
    client.send(post(JSON_REQUEST, JSON_TYPE))
    check(client.read(), JSON_TYPE)


BAD_JSON = {
    "empty": b"",
    "no object": b"[]",
    "zap": ZAP_REQUEST,
    "not whole": JSON_REQUEST[:-1],
    "more behind it": JSON_REQUEST + b"}",
    "a comma too many": JSON_REQUEST.replace(b'"id":1', b'"id":1,'),
    "no id": JSON_REQUEST.replace(b'"id"', b'"ID"'),
    "id twice": JSON_REQUEST.replace(b'"id":1', b'"id":1,"id":1'),
    "id as text": JSON_REQUEST.replace(b'"id":1', b'"id":"1"'),
    "id with a fraction": JSON_REQUEST.replace(b'"id":1', b'"id":1.0'),
    "id with an exponent": JSON_REQUEST.replace(b'"id":1', b'"id":1e3'),
    "id below zero": JSON_REQUEST.replace(b'"id":1', b'"id":-1'),
    "id of 65 bits": JSON_REQUEST.replace(b'"id":1', b'"id":18446744073709551616'),
    "block null": JSON_REQUEST.replace(b"68943", b"null"),
    "half a byte": JSON_REQUEST.replace(b"0xde", b"0xd"),
    "no 0x": JSON_REQUEST.replace(b"0x", b""),
    "no digit": JSON_REQUEST.replace(b"0xd", b"0xg"),
    "not UTF-8": JSON_REQUEST.replace(b"eth_", b"\xff"),
    "bad escape": JSON_REQUEST.replace(b"eth_", b"\\x"),
}


@pytest.mark.parametrize("name", BAD_JSON)
def test_bad_json(client: HttpClient, name: str) -> None:
    """What is not the record in JSON is refused in these words.

    Steps:
        Send it, and then the record.

    Verify:
        400 with "bad json body"; the connection stays.
    """
    client.send(post(BAD_JSON[name], JSON_TYPE) + post(JSON_REQUEST, JSON_TYPE))
    reply = client.read()
    assert (reply.status, reply.body) == (400, b"bad json body")
    check(client.read(), JSON_TYPE)


BAD_ZAP = {
    "empty": b"",
    "json": JSON_REQUEST,
    "no magic": b"ZIP" + ZAP_REQUEST[3:],
    "version 3": ZAP_REQUEST[:4] + b"\x03" + ZAP_REQUEST[5:],
    "not whole": ZAP_REQUEST[:-1],
    "a header too short": ZAP_REQUEST[:15],
}


@pytest.mark.parametrize("name", BAD_ZAP)
def test_bad_zap(client: HttpClient, name: str) -> None:
    """What is no message is refused in these words.

    Steps:
        Send it, and then the record.

    Verify:
        400 with "bad zap body"; the connection stays.
    """
    client.send(post(BAD_ZAP[name], ZAP_TYPE) + post(ZAP_REQUEST, ZAP_TYPE))
    reply = client.read()
    assert (reply.status, reply.body) == (400, b"bad zap body")
    check(client.read(), ZAP_TYPE)


@pytest.mark.parametrize("block", [0, 1, 2**32, 2**53 + 1, 2**63, 2**64 - 1])
def test_numbers_are_exact(client: HttpClient, block: int) -> None:
    """All of 64 bits, which a double does not hold.

    Steps:
        Ask with numbers of each size in both encodings, with several accounts.

    Verify:
        Id and balance are exact, and the same in both.
    """
    for account in (b"\x00", b"\xff", bytes(range(1, 33))):
        fields = {"id": block, "block": block, "method": "m", "account": "0x" + account.hex()}
        client.send(post(json.dumps(fields).encode(), JSON_TYPE))
        client.send(post(zap_request(block, block, b"m", account), ZAP_TYPE))
        answer = json.loads(client.read().body)
        message = client.read().body
        assert (answer["id"], answer["balance"]) == (block, balance_of(block, b"m", account))
        assert struct.unpack_from("<QQQ", message, 16) == (block, answer["balance"], 42)
        assert len(message) == 80


def test_limit_of_the_body(client: HttpClient) -> None:
    """A record is small, and a body that is not is refused.

    Steps:
        Send a body at the limit and one of a byte more, whole and in chunks.

    Verify:
        The answer, then 413; the connection stays.
    """
    at_limit = JSON_REQUEST.ljust(BODY_MAX)
    client.send(post(at_limit, JSON_TYPE) + chunked(at_limit, 1000, JSON_TYPE))
    check(client.read(), JSON_TYPE)
    check(client.read(), JSON_TYPE)
    client.send(post(at_limit + b" ", JSON_TYPE) + chunked(at_limit + b" ", 1000, JSON_TYPE))
    client.send(post(ZAP_REQUEST.ljust(BODY_MAX + 1, b"x"), ZAP_TYPE))
    for _ in range(3):
        assert client.read().status == 413
    client.send(post(ZAP_REQUEST, ZAP_TYPE))
    check(client.read(), ZAP_TYPE)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_post_alone(client: HttpClient, method: str) -> None:
    """A call is a POST.

    Steps:
        Send another method.

    Verify:
        405, and POST is allowed.
    """
    client.send(f"{method} /rpc HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n".encode())
    reply = client.read()
    assert reply.status == 405
    assert "POST" in reply.headers["allow"]
