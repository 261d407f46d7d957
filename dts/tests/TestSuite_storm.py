# SPDX-License-Identifier: BSD-3-Clause
"""Peers who mean harm, many at a time, and one who does not and is served all the while."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import statistics
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from dts.framework.balance import JSON_ANSWER, JSON_REQUEST, JSON_TYPE
from dts.framework.http import HttpClient, ask
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.resp import RespClient, Status
from dts.framework.run import serve_unseen
from dts.framework.sbe import Nil, SbeClient
from dts.framework.sbe_table import get
from dts.framework.zap import (
    CALL,
    CLOSE,
    JSON,
    MESSAGE,
    OPEN,
    REQUEST,
    CallClient,
    ZapClient,
    call,
    call_envelope,
    call_frame,
    framed,
    message,
    request,
)

CALL_PORT, SBE_PORT, AUTO_PORT, ZAP_PORT, ZAP_JSON_PORT = 7000, 7001, 7002, 7003, 7004
HURRIED_PORT = 7005
PORTS = [HTTP_PORT, RESP_PORT, CALL_PORT, SBE_PORT, AUTO_PORT, ZAP_PORT, ZAP_JSON_PORT]
HEAD_MAX_S = 1
NB_SLOW = 60  # of each kind
SLOW_S = 2.5
TICK_S = 0.05
NB_STORM = 1000
STORM_S = 4.0
MEDIAN_MAX_S = 0.1  # a machine that does nothing else answers in 0.1 ms
SERVED_MAX_S = 5.0
BREATH_S = 0.01  # nobody sends a reset again that found a ring full
NB_BOMBS = 30  # on one connection, pipelined

Listener = tuple[str, int, str]
LISTENERS: list[Listener] = [
    ("zap-rpc", CALL_PORT, ""),
    ("sbe", SBE_PORT, ""),
    ("auto", AUTO_PORT, ""),
    ("zap", ZAP_PORT, ""),
    ("zap", ZAP_JSON_PORT, ",zap-headers=json"),
    ("http", HURRIED_PORT, f",head-timeout={HEAD_MAX_S}"),
]


@pytest.fixture(scope="module")
def leatd(lab: Lab) -> Iterator[Leatd]:
    """The daemon with a listener of each kind; a capture would cost more than the storm."""
    listeners = [
        option
        for protocol, port, more in LISTENERS
        for option in ("--listen", f"{protocol},dpdk,{SRV_ADDR},{port}{more}")
    ]
    conf = LeatdConf(port=af_port("net_af_packet"), extra=listeners)
    with serve_unseen(lab, conf, "storm") as one:
        yield one


class Bystander:
    """Somebody who asks for /health and PING all the while, and how long it takes."""

    def __init__(self, lab: Lab) -> None:
        """Begin.

        Args:
            lab: Where.
        """
        self._http = HttpClient(lab.connect(HTTP_PORT, timeout_s=SERVED_MAX_S))
        self._resp = RespClient(lab.connect(RESP_PORT, timeout_s=SERVED_MAX_S))
        self._took_s: list[float] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._failure: BaseException | None = None
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._is_over.is_set():
                begin = time.monotonic()
                assert ask(self._http, "GET", "/health").body == b"ok"
                assert self._resp.command("PING") == Status("PONG")
                self._took_s.append((time.monotonic() - begin) / 2)
                time.sleep(0.01)
        except BaseException as failure:  # of another thread, where it would be lost
            self._failure = failure

    def end(self) -> None:
        """End, and verify that each request was answered, and most of them soon."""
        self._is_over.set()
        self._thread.join()
        self._http.close()
        self._resp.close()
        if self._failure is not None:
            raise self._failure
        median = statistics.median(self._took_s)
        print(f"{len(self._took_s)} answers, median {median * 1e3:.2f} ms")
        assert median < MEDIAN_MAX_S


@pytest.fixture
def bystander(lab: Lab, leatd: Leatd) -> Iterator[Bystander]:
    """One who is served while others storm, which is judged at the end."""
    assert leatd.is_running()
    one = Bystander(lab)
    yield one
    one.end()


def _all_are_served(lab: Lab) -> None:
    """Each listener answers who comes now."""
    http = HttpClient(lab.connect(HTTP_PORT))
    assert ask(http, "GET", "/health").body == b"ok"
    http.close()
    for port in (RESP_PORT, AUTO_PORT):
        resp = RespClient(lab.connect(port))
        assert resp.command("PING") == Status("PONG")
        resp.close()
    sbe = SbeClient(lab.connect(SBE_PORT))
    assert sbe.ask(get(b"none")) == Nil()
    sbe.close()
    for zap in (ZapClient(lab.connect(ZAP_PORT)), ZapClient(lab.connect(ZAP_JSON_PORT), JSON)):
        assert zap.ask("GET", "/health").body == b"ok"
        zap.close()
    caller = CallClient(lab.connect(CALL_PORT))
    assert caller.ask(2, 1, payload=b"p").body == b"p"
    caller.close()


# What is said at once, what byte by byte, and whether the listener's patience has an end.
SLOW: dict[str, tuple[int, bytes, bytes, bool]] = {
    "head": (HURRIED_PORT, b"", b"GET /health HTTP/1.1\r\nX: " + b"y" * 200, True),
    "body": (
        HTTP_PORT,
        b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n",
        b"z" * 200,
        False,
    ),
    "chunks": (
        HTTP_PORT,
        b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1\r\nz\r\n" * 40,
        False,
    ),
    "resp": (RESP_PORT, b"", b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$999\r\n" + b"v" * 200, False),
    "sbe": (SBE_PORT, b"", struct.pack("<IHHHH", 999, 0, 22, 7, 2) + b"x" * 200, False),
    "auto": (AUTO_PORT, b"GOBLINS!", struct.pack("<IHHHH", 999, 0, 22, 7, 2) + b"x" * 200, False),
    "zap": (ZAP_PORT, b"", struct.pack(">I", 999) + b"ZAP\0" + b"x" * 200, False),
    "zap-rpc": (CALL_PORT, b"", struct.pack("<IB", 999, CALL) + b"ZAP\0" + b"x" * 200, False),
}


def _status_of(sock: socket.socket) -> bytes:
    """What a connection has said, up to its first line; nothing where it is open and silent."""
    try:
        return sock.recv(1 << 12).partition(b"\r\n")[0]
    except BlockingIOError:
        return b""


def test_slow_peers_are_told_and_nobody_waits_for_them(lab: Lab, bystander: Bystander) -> None:
    """Hundreds who send their requests byte by byte.

    Steps:
        Sixty connections for each protocol and part of a request, one byte each every 50 ms, for
        longer than the head of a request may take.

    Verify:
        Heads are answered 408 and closed; bodies and frames go on, since their time begins again
        with each byte. All the while somebody else is served, and then each listener.
    """
    socks: list[tuple[str, socket.socket]] = []
    for name, (port, at_once, _, _) in SLOW.items():
        for _ in range(NB_SLOW):
            sock = lab.connect(port)
            sock.sendall(at_once)
            sock.setblocking(False)
            socks.append((name, sock))
    end = time.monotonic() + SLOW_S
    nb_sent = 0
    while time.monotonic() < end:
        for name, sock in socks:
            with contextlib.suppress(ConnectionError):  # of those that were closed
                sock.send(SLOW[name][2][nb_sent : nb_sent + 1])
        nb_sent += 1
        time.sleep(TICK_S)
    for name, sock in socks:
        want = b"HTTP/1.1 408 Request Timeout" if SLOW[name][3] else b""
        assert _status_of(sock) == want, name
        sock.close()
    _all_are_served(lab)
    assert bystander is not None


def _names(of: bytes, nb: int) -> bytes:
    """An object of names that differ in their last byte alone."""
    names = (b'"' + of * nb + bytes([last]) + b'":1' for last in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123")
    return b"{" + b",".join(names) + b"}"


BOMBS: dict[str, tuple[bytes, int]] = {
    "deep": (b"[" * 16 + b"]" * 16, 400),
    "deeper": (b"[" * 17 + b"]" * 17, 413),
    "deepest": (b"[" * 4096, 413),
    "many values": (b"[" + b"1," * 62 + b"1]", 400),
    "one more": (b"[" + b"1," * 63 + b"1]", 413),
    "a number": (b"9" * 4096, 400),
    "an exponent": (JSON_REQUEST.replace(b'"id":1', b'"id":1e' + b"9" * 3900), 400),
    "long names": (_names(b"n", 128), 400),
    "names of escapes": (_names(b"\\n", 64), 400),
    "names of units": (_names(b"\\u0061", 21), 400),
    "names of pairs": (_names(b"\\ud83d\\ude00", 10), 400),
    "a name twice": (JSON_REQUEST.replace(b'"id"', b'"\\u0069d":2,"id"'), 400),
    "commas": (b"[" + b"1," * 60 + b'"a"' + b":," * 1900, 400),
    "brackets": (b"[" * 16 + b"]" * 16 + b":]" * 2000, 400),
    "blanks": (b" " * 4096, 400),
    "an escape too few": (b'"' + b"\\" * 4095, 400),
    "half of a pair": (b'["' + b"\\ud800" * 680 + b'"]', 400),
    "not UTF-8": (b'["' + b"\xf8" * 4092 + b'"]', 400),
    "zero bytes": (bytes(4096), 400),
    "a megabyte of blanks": (JSON_REQUEST.ljust(1 << 20), 413),
    "escapes all over": (
        JSON_REQUEST.replace(b"eth_getBalance", b"".join(b"\\u%04x" % c for c in b"eth_getBalance")),
        200,
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_json_that_means_harm(lab: Lab, bystander: Bystander, name: str) -> None:
    """Texts that are made to cost more than their bytes.

    Steps:
        Send it as the body of POST /rpc, 30 times in one go, and then the record.

    Verify:
        The status each time, the record's answer, and somebody else is served.
    """
    body, status = BOMBS[name]
    client = HttpClient(lab.connect(HTTP_PORT, timeout_s=SERVED_MAX_S))
    head = "POST /rpc HTTP/1.1\r\nHost: a\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"
    nb = NB_BOMBS if len(body) <= 4096 else 1
    client.send((head.format(JSON_TYPE, len(body)).encode() + body) * nb)
    for _ in range(nb):
        reply = client.read()
        assert reply.status == status
        assert status != 400 or reply.body == b"bad json body"
        assert status != 200 or reply.body == JSON_ANSWER
    client.send(head.format(JSON_TYPE, len(JSON_REQUEST)).encode() + JSON_REQUEST)
    assert client.read().body == JSON_ANSWER
    client.close()
    assert bystander is not None


@pytest.mark.parametrize("fill", [b" ", b'"a":[],', b'"\\n":[],'], ids=["blanks", "empty", "escaped"])
def test_a_header_block_has_its_limit(lab: Lab, bystander: Bystander, fill: bytes) -> None:
    """Header fields in JSON are read byte by byte, so that they must not be as long as a frame.

    Steps:
        Send frames with a block of a megabyte.

    Verify:
        400 and the close, and somebody else is served.
    """
    names = (fill * ((1 << 20) // len(fill))).rstrip(b",")
    slots = {0: b"GET", 8: b"/health", 16: b"HTTP/1.1", 24: b"{" + names + b"}"}
    for _ in range(3):
        client = ZapClient(lab.connect(ZAP_JSON_PORT), JSON)
        client.send(framed(message(REQUEST << 8, bytes(48), slots)))
        reply = client.read()
        assert reply.status == 400
        assert reply.body == b"malformed request frame: header fields too large"
        assert client.at_eof()
        client.close()
    assert bystander is not None


def _envelopes() -> list[bytes]:
    """Calls that are none, wait for nothing, for each other and for themselves, or never end."""
    return [
        call(2, 1, 0, b"x"),
        call(2, 1, 1),
        call(2, 1, 2) + call(2, 2, 1),
        call(2, 7, 0xFFFFFFFF),
        call(0xFFFFFFFF, 0xFFFFFFFF),
        b"".join(call(2, idx, idx + 1000) for idx in range(1, 100)),
        b"".join(call(2, idx + 1, idx) for idx in range(1, 100)),
        call_frame(OPEN, call_envelope(2, 9, 0, b"x")),
        call_frame(MESSAGE, struct.pack("<I", 9) + b"m" * 2000) * 3,
        call_frame(CLOSE, struct.pack("<I", 9)),
        call_frame(99, b"?"),
        call_frame(CALL, b"ZAP\0" + b"\xff" * 40),
        struct.pack("<IB", 16 << 20, CALL) + b"ZAP\0",
        struct.pack("<I", 0),
        struct.pack("<IB", 0xFFFFFFFF, CALL),
    ]


def _frames() -> list[bytes]:
    """Requests in frames, some of which are none."""
    many = [("a", "a")] * 1000
    whole = bytearray(request("GET", "/health"))
    frames = [bytes(whole), request("GET", "/headers", fields=many)]
    frames += [request("GET", "/headers", fields=[*many, ("a", "a")])]
    frames += [request("POST", "/echo", b"z" * 3000), request("GET", "/health", version=3)]
    for at, value in ((4 + 7, 9), (4 + 7, 3), (4 + 8, 0), (4 + 11, 255), (4 + 15, 255)):
        frames.append(bytes(whole[:at]) + bytes([value]) + bytes(whole[at + 1 :]))
    frames += [struct.pack(">I", 0), b"\xff" * 4, struct.pack(">I", 16 << 20) + b"ZAP\0"]
    return frames


def _garbage(rng: random.Random) -> bytes:
    """What is of no protocol, or of another one."""
    return rng.choice(
        [
            rng.randbytes(rng.choice([1, 8, 100, 3000])),
            bytes([rng.choice(b"\0\1\r\n *$GZ\x7f\xff")]) * rng.choice([1, 9, 2000]),
            b"GOBLINS!" + rng.randbytes(300),
            b"GOBLINS!" * 100,
            b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            b"*1\r\n$4\r\nPING\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(200),
        ]
    )


def _mutated(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 2, 5, 20])):
        changed[rng.randrange(len(changed))] = rng.choice([0, 1, 0x7F, 0xFF, rng.randrange(256)])
    return bytes(changed)


class Stormer:
    """One connection of a storm, which comes again when it is closed."""

    def __init__(self, port: int, connect: Callable[[int], socket.socket]) -> None:
        """Connect.

        Args:
            port: Of the listener.
            connect: How.
        """
        self.port = port
        self._connect = connect
        self._left = b""
        self.nb_closed = 0
        self._sock = connect(port)
        self._sock.setblocking(False)

    def step(self, rng: random.Random, payload: Callable[[], bytes]) -> None:
        """Send a part of something, and read perhaps.

        Args:
            rng: What is drawn comes from it.
            payload: Gives what is sent next.
        """
        try:
            self._left = self._left or payload()
            nb = self._sock.send(self._left[: rng.choice([1, 100, 1400, 65536])])
            self._left = self._left[nb:]
            if rng.random() < 0.7 and self._sock.recv(1 << 16) == b"":
                self._again()
        except BlockingIOError:
            pass
        except ConnectionError:
            self._again()

    def _again(self) -> None:
        self.nb_closed += 1
        self._left = b""
        self._sock.close()
        self._sock = self._connect(self.port)
        self._sock.setblocking(False)

    def close(self) -> None:
        """Be gone."""
        self._sock.close()


def test_storm_on_every_listener(lab: Lab, bystander: Bystander) -> None:
    """A thousand connections whose bytes are of no use.

    Steps:
        For four seconds send frames that are right, wrong, too large, mutated and never whole to
        all listeners from connections that come again when they are closed.

    Verify:
        All the while somebody else is served, and then each listener.
    """
    seed = int(os.environ.get("DTS_SEED", time.time_ns() & 0xFFFFFFFF))
    print(f"DTS_SEED={seed}")
    rng = random.Random(seed)
    known = {CALL_PORT: _envelopes(), ZAP_PORT: _frames(), ZAP_JSON_PORT: _frames()}
    everything = [data for some in known.values() for data in some]

    def payload(port: int) -> bytes:
        kind = rng.random()
        if kind < 0.3:
            return _garbage(rng)
        data = rng.choice(known.get(port, everything))
        return data if kind < 0.7 else _mutated(rng, data)

    stormers = [Stormer(rng.choice(PORTS), lab.connect) for _ in range(NB_STORM)]
    end = time.monotonic() + STORM_S
    nb_steps = 0
    while time.monotonic() < end:
        one = rng.choice(stormers)
        one.step(rng, lambda: payload(one.port))
        nb_steps += 1
    nb_closed = {port: sum(s.nb_closed for s in stormers if s.port == port) for port in PORTS}
    print(f"{nb_steps} steps, closed {nb_closed}")
    for idx, one in enumerate(stormers):
        if idx % 50 == 0:
            time.sleep(BREATH_S)
        one.close()
    assert all(nb_closed.values()), nb_closed  # each has refused something
    _all_are_served(lab)
    assert bystander is not None
