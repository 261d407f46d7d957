# SPDX-License-Identifier: BSD-3-Clause
"""The call of POST /rpc over ZAP: in frames of HTTP, and as a method of the RPC envelope."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

import pytest

from dts.framework.balance import (
    JSON_ANSWER,
    JSON_REQUEST,
    JSON_TYPE,
    ZAP_ANSWER,
    ZAP_REQUEST,
    ZAP_TYPE,
)
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import Leatd, LeatdConf, af_port
from dts.framework.run import serve

ZAP_PORT = 9653
CALL_PORT = 9654
TYPE_REQUEST, TYPE_RESPONSE, TYPE_CALL = 1, 2, 200
ROOT = 16  # where the object begins in each message of these
PAUSE_S = 0.002  # so that the kernel sends what it has as a segment of its own

pytestmark = pytest.mark.usefixtures("leatd")


@pytest.fixture(scope="module")
def leatd(lab: Lab) -> Iterator[Leatd]:
    """The daemon with a listener of each kind."""
    listeners = [
        option
        for protocol, port in (("zap", ZAP_PORT), ("zap-rpc", CALL_PORT))
        for option in ("--listen", f"{protocol},dpdk,{SRV_ADDR},{port}")
    ]
    conf = LeatdConf(port=af_port("net_af_packet"), extra=listeners)
    with serve(lab, conf, "rpc_zap") as one:
        yield one


@pytest.fixture
def web(lab: Lab) -> Iterator[socket.socket]:
    """A connection for HTTP over ZAP."""
    with lab.connect(ZAP_PORT) as sock:
        yield sock


@pytest.fixture
def calls(lab: Lab) -> Iterator[socket.socket]:
    """A connection for calls."""
    with lab.connect(CALL_PORT) as sock:
        yield sock


def message(kind: int, fixed: bytes, tails: list[bytes], version: int = 1) -> bytes:
    """Write a message whose object ends in slots.

    Args:
        kind: The message's type.
        fixed: What stands before the slots.
        tails: What each slot holds.
        version: Of the format.

    Returns:
        The message.
    """
    slots = b""
    tail = ROOT + len(fixed) + 8 * len(tails)
    for i, data in enumerate(tails):
        at = ROOT + len(fixed) + 8 * i
        slots += struct.pack("<II", tail - at, len(data)) if data else bytes(8)
        tail += len(data)
    header = struct.pack("<4sHHII", b"ZAP\0", version, kind << 8, ROOT, tail)
    return header + fixed + slots + b"".join(tails)


def slot(data: bytes, at: int) -> bytes:
    """Read what a slot of a message holds.

    Args:
        data: The message.
        at: Where the slot is in its object.

    Returns:
        The bytes.
    """
    rel, length = struct.unpack_from("<II", data, ROOT + at)
    return data[ROOT + at + rel :][:length] if rel else b""


def pairs(fields: dict[str, str]) -> bytes:
    """Write header fields in pairs.

    Args:
        fields: The fields.

    Returns:
        The block.
    """
    texts = [text.encode() for field in fields.items() for text in field]
    block = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    return struct.pack("<I", len(fields)) + block


def read_pairs(block: bytes) -> dict[str, str]:
    """Read header fields in pairs.

    Args:
        block: The block.

    Returns:
        The fields.
    """
    texts: list[str] = []
    at = 4
    while at < len(block):
        (length,) = struct.unpack_from("<I", block, at)
        texts.append(block[at + 4 :][:length].decode())
        at += 4 + length
    assert len(texts) == 2 * struct.unpack_from("<I", block)[0]
    return dict(zip(texts[::2], texts[1::2], strict=True))


def post(body: bytes, media_type: str | None, host: str = "127.0.0.1:8391") -> bytes:
    """Make a frame that POSTs a body.

    Args:
        body: The body.
        media_type: Its type, or None to say none.
        host: The value of the field Host.

    Returns:
        The frame, its length in front.
    """
    fields = {"Host": host} | ({} if media_type is None else {"Content-Type": media_type})
    parts = [b"POST", b"/rpc", b"HTTP/1.1", pairs(fields), body, b""]
    data = message(TYPE_REQUEST, b"", parts)
    return struct.pack(">I", len(data)) + data


def call(method: int, promise: int, target: int, payload: bytes) -> bytes:
    """Make a frame that calls a method.

    Args:
        method: Its ordinal.
        promise: The answer's number, or 0.
        target: Of the answer that is the parameter, or 0.
        payload: The parameter.

    Returns:
        The frame, its length in front.
    """
    fixed = struct.pack("<III", method, promise, target)
    data = message(TYPE_CALL, fixed, [b"", payload], version=2)
    return struct.pack("<IB", 1 + len(data), 1) + data


def receive(sock: socket.socket, length: int) -> bytes:
    """Read so many bytes.

    Args:
        sock: The connection.
        length: How many.

    Returns:
        The bytes.

    Raises:
        EOFError: The peer has closed before.
    """
    data = b""
    while len(data) < length:
        more = sock.recv(length - len(data))
        if not more:
            raise EOFError(f"closed after {data!r}")
        data += more
    return data


def read_response(sock: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Read a response.

    Args:
        sock: The connection.

    Returns:
        Status, fields and body.
    """
    (length,) = struct.unpack(">I", receive(sock, 4))
    data = receive(sock, length)
    assert data[7] == TYPE_RESPONSE
    (status,) = struct.unpack_from("<H", data, ROOT)
    return status, read_pairs(slot(data, 24)), slot(data, 32)


def read_answer(sock: socket.socket) -> tuple[int, int, bytes]:
    """Read the answer to a call.

    Args:
        sock: The connection.

    Returns:
        Status, promise and body.
    """
    length, kind = struct.unpack("<IB", receive(sock, 5))
    assert kind == 2
    data = receive(sock, length - 1)
    status, promise = struct.unpack_from("<II", data, ROOT)
    return status, promise, slot(data, 12)


OK_ZAP = (200, {"Content-Type": ZAP_TYPE}, ZAP_ANSWER)
OK_JSON = (200, {"Content-Type": JSON_TYPE}, JSON_ANSWER)


def test_both_encodings_in_frames(web: socket.socket) -> None:
    """The path is the same as over HTTP/1.1, and so is what it answers.

    Steps:
        Send the record in ZAP and in JSON, in turns, without waiting.

    Verify:
        Each answer byte for byte, in its encoding, in order.
    """
    web.sendall((post(ZAP_REQUEST, ZAP_TYPE) + post(JSON_REQUEST, JSON_TYPE)) * 20)
    for _ in range(20):
        assert read_response(web) == OK_ZAP
        assert read_response(web) == OK_JSON


def test_frames_have_their_lengths(web: socket.socket) -> None:
    """The frame of the record is as long as others write it.

    Steps:
        Send the record as the load generator of others does; read the answer as it comes.

    Verify:
        231 bytes, and the answer in 197.
    """
    frame = post(ZAP_REQUEST, ZAP_TYPE)
    assert len(frame) == 231
    web.sendall(frame)
    answer = receive(web, 197)
    assert struct.unpack_from(">I", answer)[0] == 193
    assert answer.endswith(ZAP_ANSWER)


def test_frames_split_at_every_byte(web: socket.socket) -> None:
    """No border of a segment is special.

    Steps:
        Send the frame in two segments, cut after each byte in turn.

    Verify:
        The answer each time.
    """
    frame = post(ZAP_REQUEST, ZAP_TYPE)
    for cut in range(1, len(frame)):
        web.sendall(frame[:cut])
        time.sleep(PAUSE_S)
        web.sendall(frame[cut:])
        assert read_response(web) == OK_ZAP


@pytest.mark.parametrize(
    ("body", "media_type", "status", "text"),
    [
        (JSON_REQUEST, ZAP_TYPE, 400, b"bad zap body"),
        (ZAP_REQUEST, JSON_TYPE, 400, b"bad json body"),
        (b"", ZAP_TYPE, 400, b"bad zap body"),
        (ZAP_REQUEST, None, 415, b"Unsupported Media Type\n"),
        (ZAP_REQUEST, "text/plain", 415, b"Unsupported Media Type\n"),
        (ZAP_REQUEST.ljust(4097, b"x"), ZAP_TYPE, 413, b"Content Too Large\n"),
    ],
    ids=["json as zap", "zap as json", "empty", "no type", "other type", "too long"],
)
def test_refusals_in_frames(
    web: socket.socket, body: bytes, media_type: str | None, status: int, text: bytes
) -> None:
    """What is refused over HTTP/1.1 is refused here, in the same words.

    Steps:
        Send it, and then the record.

    Verify:
        Status and words; the connection stays.
    """
    web.sendall(post(body, media_type) + post(ZAP_REQUEST, ZAP_TYPE))
    got, fields, answer = read_response(web)
    assert (got, fields["Content-Type"], answer) == (status, "text/plain", text)
    assert read_response(web) == OK_ZAP


def test_the_call_is_method_one(calls: socket.socket) -> None:
    """The same function answers calls.

    Steps:
        Call method 1 with the record a hundred times without waiting.

    Verify:
        The body of each answer is the answer to the record, byte for byte.
    """
    calls.sendall(b"".join(call(1, i, 0, ZAP_REQUEST) for i in range(1, 101)))
    for i in range(1, 101):
        assert read_answer(calls) == (200, i, ZAP_ANSWER)


def test_a_bad_parameter_of_the_call(calls: socket.socket) -> None:
    """What is no record is no parameter.

    Steps:
        Call method 1 with JSON and with nothing, and then with the record.

    Verify:
        400 without a body, twice; then the answer.
    """
    calls.sendall(call(1, 1, 0, JSON_REQUEST) + call(1, 2, 0, b"") + call(1, 3, 0, ZAP_REQUEST))
    assert read_answer(calls) == (400, 1, b"")
    assert read_answer(calls) == (400, 2, b"")
    assert read_answer(calls) == (200, 3, ZAP_ANSWER)


def test_an_answer_is_the_record_of_another_call(calls: socket.socket) -> None:
    """A call builds on the answer of one that comes later.

    Steps:
        Call method 1 with the promise of a call of method 2, which gives its parameter back.

    Verify:
        The answer to the record that method 2 was given.
    """
    calls.sendall(call(1, 2, 1, b"") + call(2, 1, 0, ZAP_REQUEST))
    assert sorted([read_answer(calls), read_answer(calls)], key=lambda a: a[1]) == [
        (200, 1, ZAP_REQUEST),
        (200, 2, ZAP_ANSWER),
    ]
