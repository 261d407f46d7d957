# SPDX-License-Identifier: BSD-3-Clause
"""HTTP over ZAP and calls over ZAP: every path, every refusal, promises, and a foreign encoder."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator

import pytest

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.node import NodeScripts, Outcome
from dts.framework.resp import RespClient
from dts.framework.resp_table import OK
from dts.framework.run import serve
from dts.framework.zap import (
    ANSWER,
    BINARY,
    CLOSE,
    JSON,
    MESSAGE,
    OPEN,
    Answer,
    CallClient,
    ZapClient,
    ZapReply,
    call,
    call_frame,
    framed,
    message,
    request,
)

PORTS = {BINARY: 9999, JSON: 9998}
CALL_PORT = 9653
HASTY_PORTS = {9997: "zap", 9996: "zap-rpc"}  # whose clients have a second for a frame
REQUEST_MAX = 16 << 20
NB_PIPELINED = 5000
NB_PIPELINES = 4  # connections that may have promises
PAUSE_S = 0.001  # so that the kernel sends what it has as a segment of its own
BALANCE, ECHO = 1, 2  # methods

# Of the reference implementation: GET /health without header fields, and the record of /rpc.
HEALTH = bytes.fromhex(
    "000000525a41500001000001100000005200000030000000030000002b000000070000002a000000"
    "080000000000000000000000000000000000000000000000000000004745542f6865616c74684854"
    "54502f312e31"
)
RECORD = bytes.fromhex(
    "5a41500001000000100000005200000001000000000000004f0d0100000000001000"
    "00000e00000016000000140000006574685f67657442616c616e6365deadbeef0011"
    "2233445566778899aabbccddeeff"
)
RECORD_ANSWER = bytes.fromhex(
    "5a41500001000000100000005000000001000000000000008b0d65a7b3b6e00d2a000000000000000800"
    "0000200000000123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0"
)
RECORD_CALL = bytes.fromhex(
    "7f000000015a415000020000c8100000007e000000010000000100000000000000000000000000000008"
    "00000052000000"
)

TEXT = ("Content-Type", "text/plain")
OCTETS = ("Content-Type", "application/octet-stream")
HEALTHY = ZapReply(200, "OK", [TEXT], b"ok")


@pytest.fixture(scope="module", autouse=True)
def served(lab: Lab) -> Iterator[Leatd]:
    """The daemon with both generations of HTTP over ZAP, and calls."""
    extra = [
        f"--listen=zap,dpdk,{SRV_ADDR},{PORTS[BINARY]}",
        f"--listen=zap,dpdk,{SRV_ADDR},{PORTS[JSON]},zap-headers=json",
        f"--listen=zap-rpc,dpdk,{SRV_ADDR},{CALL_PORT}",
        f"--pipelines-max={NB_PIPELINES}",
    ]
    for port, protocol in HASTY_PORTS.items():
        extra.append(f"--listen={protocol},dpdk,{SRV_ADDR},{port},body-timeout=1")
    # While Node computes, its kernel acknowledges late, and the tail is sent again.
    conf = LeatdConf(port=af_port("net_af_packet"), extra=extra)
    with serve(lab, conf, "zap", clean_link=False) as one:
        yield one


@pytest.fixture(params=[BINARY, JSON])
def client(lab: Lab, request: pytest.FixtureRequest) -> Iterator[ZapClient]:
    """A connection of each generation."""
    one = ZapClient(lab.connect(PORTS[request.param]), request.param)
    yield one
    one.close()


@pytest.fixture
def caller(lab: Lab) -> Iterator[CallClient]:
    """A connection for calls."""
    one = CallClient(lab.connect(CALL_PORT))
    yield one
    one.close()


def status_reply(status: int, reason: str) -> ZapReply:
    """Make the answer that is a status and a line that says the same.

    Args:
        status: The status.
        reason: Its phrase.

    Returns:
        The answer.
    """
    return ZapReply(status, reason, [TEXT], f"{reason}\n".encode())


def in_order(client: ZapClient, *fields: tuple[str, str]) -> list[tuple[str, str]]:
    """Order fields as the connection's generation does.

    Args:
        client: The connection.
        fields: In the order of the answer.

    Returns:
        Sorted by name where they are JSON.
    """
    return sorted(fields) if client.generation == JSON else list(fields)


def test_every_path_is_answered(client: ZapClient) -> None:
    """All that HTTP/1.1 has is here, in the same words.

    Steps:
        * Ask for each path, with methods that it has and has not.

    Verify:
        * Status, fields and body of each, in canonical frames.
    """
    assert client.ask("GET", "/health") == HEALTHY
    assert client.ask("GET", "/health?a=b") == HEALTHY
    assert client.ask("GET", f"http://{SRV_ADDR}/health") == HEALTHY
    assert client.ask("HEAD", "/health") == ZapReply(200, "OK", [TEXT], b"")
    assert client.ask("POST", "/echo", b"\x00\xff") == ZapReply(200, "OK", [OCTETS], b"\x00\xff")
    assert client.ask("POST", "/echo") == ZapReply(200, "OK", [OCTETS], b"")
    assert client.ask("GET", "/nowhere") == status_reply(404, "Not Found")
    assert client.ask("GET", "health") == status_reply(404, "Not Found")
    assert client.ask("get", "/health") == status_reply(501, "Not Implemented")
    allow = ("Allow", "POST, OPTIONS")
    assert client.ask("GET", "/echo") == ZapReply(
        405, "Method Not Allowed", in_order(client, TEXT, allow), b"Method Not Allowed\n"
    )
    assert client.ask("OPTIONS", "/echo") == ZapReply(204, "No Content", [allow], b"")


def test_headers_come_back(client: ZapClient) -> None:
    """Fields are those that were sent, in plain text.

    Steps:
        * Ask for /headers with repeated, empty and odd fields, and lengths that mean nothing.

    Verify:
        * Each is there in its order, the lengths are not.
    """
    odd = 'he said "hi" \\ <b>&</b>\t\u2192 \u4e16'
    fields = [("X-A", "one"), ("X-A", "two"), ("X-Empty", ""), ("X-Odd", odd)]
    lengths = [("Content-Length", "99"), ("Transfer-Encoding", "chunked")]
    reply = client.ask("GET", "/headers", fields=lengths + fields)
    lines = "".join(f"{name}: {value}\n" for name, value in fields)
    assert reply == ZapReply(200, "OK", [TEXT], lines.encode())


def test_a_key_lives_in_all_protocols(lab: Lab, client: ZapClient) -> None:
    """One store is behind all of them.

    Steps:
        * Put a key over ZAP, read it over RESP, change it there, read and delete it over ZAP.

    Verify:
        * Each sees what the other did.
    """
    resp = RespClient(lab.connect(RESP_PORT))
    assert client.ask("PUT", "/v1/kv/zap%20key", b"one").status == 201
    assert resp.command("GET", "zap key") == b"one"
    assert resp.command("SET", "zap key", "two") == OK
    assert client.ask("GET", "/v1/kv/zap%20key") == ZapReply(200, "OK", [OCTETS], b"two")
    assert client.ask("PUT", "/v1/kv/zap%20key", b"three").status == 204
    assert client.ask("DELETE", "/v1/kv/zap%20key").status == 204
    assert client.ask("GET", "/v1/kv/zap%20key") == status_reply(404, "Not Found")
    assert client.ask("GET", "/v1/kv/%zz").status == 400
    resp.close()


def test_the_record_is_answered_in_both_encodings(client: ZapClient) -> None:
    """POST /rpc over ZAP is what it is over HTTP/1.1.

    Steps:
        * Post the record in ZAP, in JSON, in neither.

    Verify:
        * The golden answer, the same in JSON, and the errors.
    """
    zap_type, json_type = ("Content-Type", "application/zap"), ("Content-Type", "application/json")
    reply = client.ask("POST", "/rpc", RECORD, [zap_type])
    assert reply == ZapReply(200, "OK", [zap_type], RECORD_ANSWER)
    body = (
        b'{"method":"eth_getBalance","account":"0xdeadbeef00112233445566778899aabbccddeeff",'
        b'"block":68943,"id":1}'
    )
    reply = client.ask("POST", "/rpc", body, [json_type])
    assert (reply.status, reply.fields) == (200, [json_type])
    assert reply.body.startswith(b'{"id":1,"balance":1000000000000069003,"nonce":42,')
    assert client.ask("POST", "/rpc", b"no message", [zap_type]).status == 400
    assert client.ask("POST", "/rpc", b"{", [json_type]).status == 400
    assert client.ask("POST", "/rpc", RECORD).status == 415


def test_a_golden_request_is_answered(client: ZapClient) -> None:
    """The frame of another implementation, whose bytes are the same in both generations.

    Steps:
        * Send GET /health as others write it, in versions 1 and 2, with bytes behind the message.

    Verify:
        * Our own encoder wrote the same frame; each is answered.
    """
    assert client.request("GET", "/health") == HEALTH
    client.send(HEALTH + request("GET", "/health", version=2) + framed(HEALTH[4:] + b"junk"))
    assert [client.read() for _ in range(3)] == [HEALTHY] * 3


def _patched(at: int, value: bytes) -> bytes:
    """GET /health with other bytes at a place of its message."""
    frame = bytearray(HEALTH)
    frame[4 + at : 4 + at + len(value)] = value
    return bytes(frame)


SILENT = {
    "empty": bytes(4),
    "long": struct.pack(">I", REQUEST_MAX + 1),
    "longest": b"\xff\xff\xff\xff",
    "little-endian": struct.pack("<I", 82) + HEALTH[4:],
    "http": b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "tls": bytes.fromhex("1603010200010001fc0303"),
}
REFUSED = {
    "short": framed(HEALTH[4:19]),
    "magic": _patched(3, b"1"),
    "version-0": _patched(4, b"\0\0"),
    "version-3": _patched(4, b"\3\0"),
    "size-0": _patched(12, bytes(4)),
    "size-over": _patched(12, struct.pack("<I", 83)),
    "type-0": _patched(6, b"\0\0"),
    "type-response": _patched(6, b"\0\2"),
    "type-data": _patched(6, b"\0\4"),
    "type-call": _patched(6, b"\0\xc8"),
    "root-0": _patched(8, bytes(4)),
    "root-8": _patched(8, struct.pack("<I", 8)),
    "root-end": _patched(8, struct.pack("<I", 82)),
    "headers": framed(message(1 << 8, bytes(48), {8: b"/health", 24: b"abc"})),
    "trailer": framed(message(1 << 8, bytes(48), {8: b"/health", 40: b"abc"})),
}


@pytest.mark.parametrize("case", SILENT)
def test_a_wrong_length_closes_without_a_word(client: ZapClient, case: str) -> None:
    """There are no frames behind it.

    Steps:
        * Send a good request and then the wrong length.

    Verify:
        * The good one is answered, then the connection ends.
    """
    client.send(HEALTH + SILENT[case])
    assert client.read() == HEALTHY
    assert client.at_eof()


@pytest.mark.parametrize("case", REFUSED)
def test_a_malformed_frame_is_400(client: ZapClient, case: str) -> None:
    """It is told, and nothing behind it is read.

    Steps:
        * Send a good request, the bad frame, and a good one.

    Verify:
        * The first is answered, the second is 400, then the connection ends.
    """
    client.send(HEALTH + REFUSED[case] + HEALTH)
    assert client.read() == HEALTHY
    reply = client.read()
    assert (reply.status, reply.reason) == (400, "Bad Request")
    assert reply.fields == [("Content-Type", "text/plain; charset=utf-8")]
    assert reply.body.startswith(b"malformed request frame: ")
    assert client.at_eof()


def test_a_pipeline_is_answered_in_order(client: ZapClient) -> None:
    """Any number of requests may be under way.

    Steps:
        * Send thousands of requests at once.

    Verify:
        * Each answer is that of its request.
    """
    for i in range(NB_PIPELINED):
        client.send(client.request("POST", "/echo", str(i).encode()))
    for i in range(NB_PIPELINED):
        assert client.read().body == str(i).encode()


def test_bytes_may_come_one_by_one(client: ZapClient) -> None:
    """A frame in any number of segments is one.

    Steps:
        * Send two requests, one byte in a segment.

    Verify:
        * Both are answered.
    """
    body = [("X-A", "1"), ("X-B", "")]
    for byte in client.request("POST", "/echo", b"hello", body) + client.request("GET", "/none"):
        client.send(bytes([byte]))
        time.sleep(PAUSE_S)
    assert client.read() == ZapReply(200, "OK", [OCTETS], b"hello")
    assert client.read() == status_reply(404, "Not Found")


def test_a_request_may_be_split_anywhere(lab: Lab, client: ZapClient) -> None:
    """Two segments, with the border at every byte.

    Steps:
        * For each border send a request and half of the next, pause, and send the rest.

    Verify:
        * Both are answered each time.
    """
    both = client.request("POST", "/echo", b"hello", [("X-A", "1")]) + HEALTH
    for at in range(1, len(both)):
        client.send(both[:at])
        time.sleep(PAUSE_S)
        client.send(both[at:])
        assert client.read().body == b"hello", at
        assert client.read() == HEALTHY, at


def test_the_largest_frame_is_taken_and_one_byte_more_is_not(client: ZapClient) -> None:
    """request-max counts the frame without its length.

    Steps:
        * Echo a body that makes a frame of request-max; then one of a byte more.

    Verify:
        * It comes back whole; the second ends the connection.
    """
    overhead = len(client.request("POST", "/echo", b"x")) - 4 - 1
    body = bytes(range(256)) * ((REQUEST_MAX - overhead) // 256 + 1)
    body = body[: REQUEST_MAX - overhead]
    assert client.ask("POST", "/echo", body).body == body
    client.send(client.request("POST", "/echo", body + b"x")[:1000])
    assert client.at_eof()


@pytest.mark.parametrize("port", HASTY_PORTS)
def test_a_frame_that_stops_ends_its_connection_without_a_word(lab: Lab, port: int) -> None:
    """body-timeout is that of a frame; between frames a client may be silent.

    Steps:
        * Send half a frame on one connection, nothing on another, and wait for the end of the
          first one.

    Verify:
        * It comes after a second or a few, without a byte; the second is still served.
    """
    whole = call(ECHO, 1, payload=b"x") if HASTY_PORTS[port] == "zap-rpc" else HEALTH
    stopped, silent = ZapClient(lab.connect(port)), ZapClient(lab.connect(port))
    began = time.monotonic()
    stopped.send(whole[: len(whole) // 2])
    assert stopped.at_eof()
    assert 0.9 < time.monotonic() - began < 5
    silent.send(whole)
    assert not silent.at_eof()
    stopped.close()
    silent.close()


def test_the_record_is_a_call(caller: CallClient) -> None:
    """Method 1, with the bytes of another implementation.

    Steps:
        * Send the golden call.

    Verify:
        * The golden answer comes.
    """
    caller.send(RECORD_CALL + RECORD)
    assert caller.read() == Answer(200, 1, RECORD_ANSWER)


def test_calls_are_answered_with_their_status(caller: CallClient) -> None:
    """Errors have a status and no text.

    Steps:
        * Call methods that are there, with good and bad parameters, and some that are not.

    Verify:
        * The status of each.
    """
    assert caller.ask(ECHO, 1, payload=b"hello") == Answer(200, 1, b"hello")
    assert caller.ask(ECHO) == Answer(200, 0)
    assert caller.ask(BALANCE, 2, payload=b"no message") == Answer(400, 2)
    assert caller.ask(0, 3) == Answer(404, 3)
    assert caller.ask(77, 4) == Answer(404, 4)
    assert caller.ask(0xFFFFFFFF, 0xFFFFFFFF) == Answer(404, 0xFFFFFFFF)


def test_calls_build_on_answers(caller: CallClient) -> None:
    """Promises, in order and before their time.

    Steps:
        * Name an answer that is there, one that is yet to come, one that failed, and oneself.

    Verify:
        * The body is the parameter; who came early is answered behind his target; 400 else.
    """
    assert caller.ask(BALANCE, 1, payload=RECORD) == Answer(200, 1, RECORD_ANSWER)
    assert caller.ask(ECHO, 2, target=1, payload=b"not this") == Answer(200, 2, RECORD_ANSWER)
    caller.send(call(ECHO, 5, target=4) + call(ECHO, 4, target=3))
    assert caller.ask(ECHO, 9, payload=b"y") == Answer(200, 9, b"y")
    assert caller.ask(ECHO, 3, payload=b"x") == Answer(200, 3, b"x")
    assert [caller.read(), caller.read()] == [Answer(200, 4, b"x"), Answer(200, 5, b"x")]
    assert caller.ask(77, 10) == Answer(404, 10)
    assert caller.ask(ECHO, 11, target=10) == Answer(400, 11)
    assert caller.ask(ECHO, 12, target=12) == Answer(400, 12)


def test_nothing_waits_for_what_cannot_come(caller: CallClient) -> None:
    """Who would wait for his own answer gets 400, and so does who waits for what is passed over.

    Steps:
        * Close circles of 32 calls, fill every place, wait for a promise that is never sent.

    Verify:
        * 400 for all of a circle at once; all places are free again; 400 when the 65th answer
          lets one with a later number go.
    """
    for first in range(1, 6401, 100):
        circle = [call(ECHO, first + i, target=first + (i + 1) % 32) for i in range(32)]
        caller.send(b"".join(circle))
        want = [Answer(400, first + i) for i in reversed(range(32))]
        assert [caller.read() for _ in want] == want
    caller.send(b"".join(call(ECHO, 10000 + i, target=9999) for i in range(32)))
    assert caller.ask(ECHO, 10100, target=9999) == Answer(400, 10100)
    assert caller.ask(ECHO, 9999, payload=b"x") == Answer(200, 9999, b"x")
    assert [caller.read().promise for _ in range(32)] == list(range(10000, 10032))
    caller.send(call(ECHO, 20002, target=20001))
    for promise in range(20003, 20068):
        assert caller.ask(ECHO, promise, payload=b"y") == Answer(200, promise, b"y")
    assert caller.read() == Answer(400, 20002)


def test_an_old_answer_is_let_go(caller: CallClient) -> None:
    """The last 64 answers are kept.

    Steps:
        * Make 65 calls, and name the first two.

    Verify:
        * The first is gone, the second is there.
    """
    for promise in range(1, 66):
        caller.send(call(ECHO, promise, payload=str(promise).encode()))
    assert [caller.read().promise for _ in range(65)] == list(range(1, 66))
    assert caller.ask(ECHO, 0, target=1) == Answer(400, 0)
    assert caller.ask(ECHO, 0, target=2) == Answer(200, 0, b"2")


def test_promises_have_room_for_so_many_connections(lab: Lab) -> None:
    """Who finds no room is served, without promises; who leaves makes room.

    Steps:
        * Open one connection more than pipelines-max, each with an answer to build on.

    Verify:
        * The last one gets 400 for a target; one that comes when another left does not.
    """
    clients = [CallClient(lab.connect(CALL_PORT)) for _ in range(NB_PIPELINES + 1)]
    for i, one in enumerate(clients):
        assert one.ask(ECHO, 1, payload=str(i).encode()) == Answer(200, 1, str(i).encode())
    for i, one in enumerate(clients[:-1]):
        assert one.ask(ECHO, 2, target=1) == Answer(200, 2, str(i).encode())
    assert clients[-1].ask(ECHO, 2, target=1) == Answer(400, 2)
    for one in clients:
        one.close()
    deadline = time.monotonic() + 5
    while True:  # the daemon hears of it a moment later
        late = CallClient(lab.connect(CALL_PORT))
        late.send(call(ECHO, 1, payload=b"x") + call(ECHO, 2, target=1))
        answers = [late.read(), late.read()]
        late.close()
        if answers[1].status == 200 or time.monotonic() > deadline:
            break
    assert answers == [Answer(200, 1, b"x"), Answer(200, 2, b"x")]


def test_what_is_no_call_is_passed_over(caller: CallClient) -> None:
    """A server without streams takes no notice of them.

    Steps:
        * Send frames of every other kind, short ones, and envelopes that are none.

    Verify:
        * None is answered; the call behind them is.
    """
    for kind, body in (
        (ANSWER, call(ECHO)[5:]),
        (OPEN, call(ECHO, 1)[5:]),
        (MESSAGE, b"\1\0\0\0hello"),
        (MESSAGE, b"\1\0"),
        (CLOSE, b"\1\0\0\0"),
        (0, b""),
        (9, call(ECHO)[5:]),
        (1, b"no envelope"),
        (1, b""),
    ):
        caller.send(call_frame(kind, body))
    assert caller.ask(ECHO, 1, payload=b"x") == Answer(200, 1, b"x")


@pytest.mark.parametrize(
    "data",
    [bytes(5), struct.pack("<IB", REQUEST_MAX + 1, 1), struct.pack(">IB", 45, 1), b"GET / HTTP"],
    ids=["empty", "long", "big-endian", "http"],
)
def test_a_wrong_length_ends_calls_without_a_word(caller: CallClient, data: bytes) -> None:
    """As in HTTP over ZAP.

    Steps:
        * Send a call and then a wrong length.

    Verify:
        * The call is answered, then the connection ends.
    """
    caller.send(call(ECHO, 1, payload=b"x") + data)
    assert caller.read() == Answer(200, 1, b"x")
    assert caller.at_eof()


def test_calls_may_come_byte_by_byte_and_thousands_at_once(caller: CallClient) -> None:
    """Segments mean nothing.

    Steps:
        * Send calls one byte in a segment, then thousands without waiting, and a large one.

    Verify:
        * Each is answered with its own bytes.
    """
    for byte in call(ECHO, 2, target=1) + call(ECHO, 1, payload=b"x"):
        caller.send(bytes([byte]))
        time.sleep(PAUSE_S)
    assert [caller.read(), caller.read()] == [Answer(200, 1, b"x"), Answer(200, 2, b"x")]
    for i in range(NB_PIPELINED):
        caller.send(call(ECHO, i + 3, payload=str(i).encode()))
    for i in range(NB_PIPELINED):
        assert caller.read() == Answer(200, i + 3, str(i).encode())
    large = bytes(range(256)) * (1 << 12)
    assert caller.ask(ECHO, 1, payload=large) == Answer(200, 1, large)


NODE_CASES = ["record_over_http", "echo_over_http", "calls", "session", "foreign_lists"]


@pytest.fixture(scope="module")
def outcomes(node_scripts: NodeScripts) -> dict[str, Outcome]:
    """What came of the TypeScript runtime's cases."""
    return node_scripts.run("zap.mjs", SRV_ADDR, PORTS[BINARY], CALL_PORT)


@pytest.mark.parametrize("case", NODE_CASES)
def test_the_typescript_runtime_and_we_read_each_other(
    outcomes: dict[str, Outcome], case: str
) -> None:
    """What @zap-proto/zap encodes we decode, and the other way round.

    Steps:
        * Run the case in Node.

    Verify:
        * It says that nothing went wrong.
    """
    assert outcomes[case].error == ""
