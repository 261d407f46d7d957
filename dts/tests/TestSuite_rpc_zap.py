# SPDX-License-Identifier: BSD-3-Clause
"""The call of POST /rpc over ZAP: in frames of HTTP, and as a method of the RPC envelope."""

from __future__ import annotations

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
from dts.framework.zap import Answer, CallClient, ZapClient, ZapReply, call, request

ZAP_PORT = 9653
CALL_PORT = 9654
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
def web(lab: Lab) -> Iterator[ZapClient]:
    """A connection for HTTP over ZAP."""
    one = ZapClient(lab.connect(ZAP_PORT))
    yield one
    one.close()


@pytest.fixture
def calls(lab: Lab) -> Iterator[CallClient]:
    """A connection for calls."""
    one = CallClient(lab.connect(CALL_PORT))
    yield one
    one.close()


def post(body: bytes, media_type: str | None, host: str = "127.0.0.1:8391") -> bytes:
    """Make a frame that POSTs a body.

    Args:
        body: The body.
        media_type: Its type, or None to say none.
        host: The value of the field Host.

    Returns:
        The frame, its length in front.
    """
    fields = [("Host", host)] + ([] if media_type is None else [("Content-Type", media_type)])
    return request("POST", "/rpc", body, fields)


OK_ZAP = ZapReply(200, "OK", [("Content-Type", ZAP_TYPE)], ZAP_ANSWER)
OK_JSON = ZapReply(200, "OK", [("Content-Type", JSON_TYPE)], JSON_ANSWER)


def test_both_encodings_in_frames(web: ZapClient) -> None:
    """The path is the same as over HTTP/1.1, and so is what it answers.

    Steps:
        Send the record in ZAP and in JSON, in turns, without waiting.

    Verify:
        Each answer byte for byte, in its encoding, in order.
    """
    web.send((post(ZAP_REQUEST, ZAP_TYPE) + post(JSON_REQUEST, JSON_TYPE)) * 20)
    for _ in range(20):
        assert web.read() == OK_ZAP
        assert web.read() == OK_JSON


def test_frames_have_their_lengths(web: ZapClient) -> None:
    """The frame of the record is as long as others write it.

    Steps:
        Send the record as the load generator of others does; read the answer as it comes.

    Verify:
        231 bytes, and the answer in 197.
    """
    frame = post(ZAP_REQUEST, ZAP_TYPE)
    assert len(frame) == 231
    web.send(frame)
    answer = web.take(197)
    assert struct.unpack_from(">I", answer)[0] == 193
    assert answer.endswith(ZAP_ANSWER)


def test_frames_split_at_every_byte(web: ZapClient) -> None:
    """No border of a segment is special.

    Steps:
        Send the frame in two segments, cut after each byte in turn.

    Verify:
        The answer each time.
    """
    frame = post(ZAP_REQUEST, ZAP_TYPE)
    for cut in range(1, len(frame)):
        web.send(frame[:cut])
        time.sleep(PAUSE_S)
        web.send(frame[cut:])
        assert web.read() == OK_ZAP


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
    web: ZapClient, body: bytes, media_type: str | None, status: int, text: bytes
) -> None:
    """What is refused over HTTP/1.1 is refused here, in the same words.

    Steps:
        Send it, and then the record.

    Verify:
        Status and words; the connection stays.
    """
    web.send(post(body, media_type) + post(ZAP_REQUEST, ZAP_TYPE))
    got = web.read()
    assert (got.status, dict(got.fields)["Content-Type"], got.body) == (status, "text/plain", text)
    assert web.read() == OK_ZAP


def test_the_call_is_method_one(calls: CallClient) -> None:
    """The same function answers calls.

    Steps:
        Call method 1 with the record a hundred times without waiting.

    Verify:
        The body of each answer is the answer to the record, byte for byte.
    """
    calls.send(b"".join(call(1, i, 0, ZAP_REQUEST) for i in range(1, 101)))
    for i in range(1, 101):
        assert calls.read() == Answer(200, i, ZAP_ANSWER)


def test_a_bad_parameter_of_the_call(calls: CallClient) -> None:
    """What is no record is no parameter.

    Steps:
        Call method 1 with JSON and with nothing, and then with the record.

    Verify:
        400 without a body, twice; then the answer.
    """
    calls.send(call(1, 1, 0, JSON_REQUEST) + call(1, 2, 0, b"") + call(1, 3, 0, ZAP_REQUEST))
    assert calls.read() == Answer(400, 1, b"")
    assert calls.read() == Answer(400, 2, b"")
    assert calls.read() == Answer(200, 3, ZAP_ANSWER)


def test_an_answer_is_the_record_of_another_call(calls: CallClient) -> None:
    """A call builds on the answer of one that comes later.

    Steps:
        Call method 1 with the promise of a call of method 2, which gives its parameter back.

    Verify:
        The answer to the record that method 2 was given.
    """
    calls.send(call(1, 2, 1, b"") + call(2, 1, 0, ZAP_REQUEST))
    assert sorted([calls.read(), calls.read()], key=lambda a: a.promise) == [
        Answer(200, 1, ZAP_REQUEST),
        Answer(200, 2, ZAP_ANSWER),
    ]
