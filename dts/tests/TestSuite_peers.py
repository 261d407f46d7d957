# SPDX-License-Identifier: BSD-3-Clause
"""Peers of bad conduct by the hundred, over each family: others are served, and nothing is left."""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dts.framework.lab import SRV_ADDR, SRV_ADDR6, SRV_IFACE, Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, port_option
from dts.framework.priority import ahead_of_others
from dts.framework.records import tshark
from dts.framework.resp import RespClient, Status, encode
from dts.framework.run import out_dir, serve
from dts.framework.telemetry import Telemetry
from dts.framework.vanish import host

ADDRS = {"ipv4": SRV_ADDR, "ipv6": SRV_ADDR6}
KEEP_PORT = 6380
NB_KEEP_PROBES = 2
# A second of silence, and two more without an answer.
KEEP_ALIVE = f"keepalive-idle=1,keepalive-interval=1,keepalive-probes={NB_KEEP_PROBES}"
NB_RETRIES = 3  # 200 ms, 400 ms... make 3 s
FIN_TIMEOUT_S = 2
NB_PEERS = 300
NB_CONNS_SMALL = 64
VALUE_LEN = 32 << 10
SMALL_BUFFER = 4096
SHUT_S = 3.0  # a window stays shut for longer than several probes wait
SHUT_SOON_S = 0.6  # it is shut; each probe that was answered doubles the wait for the others
GONE_MAX_S = 20.0
ANSWER_MAX_S = 1.0
REFUSED_S = 0.5


@pytest.fixture(params=list(ADDRS))
def addr(request: pytest.FixtureRequest) -> str:
    """The daemon's address, of each family."""
    return ADDRS[request.param]


def _name(what: str, addr: str) -> str:
    return f"peers-{what}-{'ipv6' if ':' in addr else 'ipv4'}"


@contextmanager
def _served(lab: Lab, name: str, *more: str, clean_link: bool = True) -> Iterator[Telemetry]:
    extra = [f"--retries={NB_RETRIES}", f"--fin-timeout={FIN_TIMEOUT_S}", *more]
    for one in ADDRS.values():
        extra += ["--listen", f"resp,dpdk,{one},{KEEP_PORT},{KEEP_ALIVE}"]
    extra += ["--listen", f"resp,dpdk,{SRV_ADDR6},{RESP_PORT}"]
    addrs = f"{SRV_ADDR}/24,addr={SRV_ADDR6}/64"
    port = port_option("net_af_packet0", addrs, f"iface={SRV_IFACE},framecnt=8192")
    conf = LeatdConf(port=port, extra=extra)
    # Text is sent again to who is away; and as a probe of the tail, RFC 8985 section 7, to who is
    # late with his ACK, as Linux is where its receive buffer fills.
    with ahead_of_others(), serve(lab, conf, name, clean_link=clean_link) as leatd:
        with Telemetry(leatd) as telemetry:
            memory = telemetry.ask("/leat/pools")["memory"]
            yield telemetry
            assert telemetry.conns_left(GONE_MAX_S) == {}
            assert telemetry.ask("/leat/pools")["memory"] == memory


def _connect(lab: Lab, addr: str, receive_len: int = 0) -> RespClient:
    sock = lab.open_socket(socket.AF_INET6 if ":" in addr else socket.AF_INET)
    if receive_len > 0:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_len)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.settimeout(10)
    sock.connect((addr, RESP_PORT))
    return RespClient(sock)


def _peers(lab: Lab, addr: str, receive_len: int = 0) -> list[RespClient]:
    return [_connect(lab, addr, receive_len) for _ in range(NB_PEERS)]


def _store(lab: Lab, addr: str) -> bytes:
    value = os.urandom(VALUE_LEN)
    client = _connect(lab, addr)
    assert client.command("SET", "peers", value) == Status("OK")
    client.close()
    return value


def _check_others_are_served(lab: Lab, addr: str) -> None:
    begin = time.monotonic()
    client = _connect(lab, addr)
    assert client.command("PING") == Status("PONG")
    client.close()
    assert time.monotonic() - begin < ANSWER_MAX_S


def test_peers_that_reset_in_the_middle_of_a_reply(lab: Lab, addr: str) -> None:
    """What was to be sent is forgotten at once.

    Steps:
        300 peers GET 32 KiB, read a little and reset.

    Verify:
        Others are served; tshark finds no fault; nothing is left.
    """
    with _served(lab, _name("reset", addr), clean_link=False):
        value = _store(lab, addr)
        peers = _peers(lab, addr, SMALL_BUFFER)
        for peer in peers:
            peer.send("GET", "peers")
        for peer in peers:
            assert value.startswith(peer.sock.recv(100).partition(b"\r\n")[2])
            linger = struct.pack("ii", 1, 0)
            peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            peer.close()
        _check_others_are_served(lab, addr)


def test_peers_that_send_a_byte_at_a_time(lab: Lab, addr: str) -> None:
    """A request in segments of one byte is a request.

    Steps:
        300 peers SET a key of their own, each byte in a segment, all in turns; then GET.

    Verify:
        Each has its value; tshark finds no fault; nothing is left.
    """
    with _served(lab, _name("bytes", addr)) as telemetry:
        peers = _peers(lab, addr)
        requests = [encode("SET", f"peers:{i:03}", f"{i:03}") for i in range(NB_PEERS)]
        for pos in range(len(requests[0])):
            for peer, request in zip(peers, requests, strict=True):
                peer.sock.sendall(request[pos : pos + 1])
        for i, peer in enumerate(peers):
            assert peer.read() == Status("OK")
            assert peer.command("GET", f"peers:{i:03}") == f"{i:03}".encode()
            peer.close()
        stats = telemetry.stats()["inet"]
        assert stats["rx_tcp_segs"] > NB_PEERS * len(requests[0]) / 2, "they were joined on the way"


def test_peers_that_close_their_window(lab: Lab, addr: str) -> None:
    """Who does not read has his reply when he does, however long that is.

    Steps:
        300 peers GET 32 KiB with a receive buffer of 4 KiB and read nothing for three seconds, in
        which probes are due; then they read.

    Verify:
        Each window was shut and probed; others are served meanwhile; each reply is whole; tshark
        finds no fault; nothing is left.
    """
    name = _name("window", addr)
    with _served(lab, name, clean_link=False) as telemetry:
        value = _store(lab, addr)
        peers = _peers(lab, addr, SMALL_BUFFER)
        for peer in peers:
            peer.send("GET", "peers")
        time.sleep(SHUT_S)
        _check_others_are_served(lab, addr)
        assert sum(one["queued"] > 0 for one in telemetry.conns()) == NB_PEERS
        for peer in peers:
            assert peer.read() == value
            peer.close()
    probes = tshark(  # tshark takes one that carries no text for a keep-alive
        out_dir() / f"{name}.pcapng",
        "tcp.dstport",
        display=f"tcp.analysis.keep_alive && tcp.srcport == {RESP_PORT}",
    )
    assert len({port for (port,) in probes}) == NB_PEERS


def test_peers_that_never_close(lab: Lab, addr: str) -> None:
    """The daemon has ended the connection, and the peer's end never comes.

    Steps:
        300 peers QUIT, read the reply and the daemon's end, and stay as they are for ever.

    Verify:
        Others are served; no packet buffer is held for them; the daemon forgets them after
        fin-timeout, and nothing is left, before they close.
    """
    with _served(lab, _name("never", addr)) as telemetry:
        peers = _peers(lab, addr)
        for peer in peers:
            assert peer.command("QUIT") == Status("OK")
            assert peer.at_eof()
        _check_others_are_served(lab, addr)
        assert telemetry.mbufs_left(ANSWER_MAX_S) == {}
        assert telemetry.conns_left(FIN_TIMEOUT_S + ANSWER_MAX_S) == {}
        for peer in peers:
            peer.close()


def test_idle_peers_that_vanish(lab: Lab, addr: str) -> None:
    """RFC 9293 section 3.8.4: where keep-alives were asked for, the dead are found out.

    Steps:
        300 peers of one host PING; the host goes without a word.

    Verify:
        Each was asked as often as was said, and then forgotten; others are served; tshark finds no
        fault; nothing is left.
    """
    name = _name("idle", addr)
    with host(lab, addr) as peer, _served(lab, name) as telemetry:
        for _ in range(NB_PEERS):
            assert peer.connect(KEEP_PORT).command("PING") == Status("PONG")
        peer.vanish()
        assert telemetry.stats()["now"]["nb_conns"] == NB_PEERS
        _check_others_are_served(lab, addr)
        assert telemetry.conns_left(GONE_MAX_S) == {}
    asked = tshark(
        out_dir() / f"{name}.pcapng",
        "tcp.dstport",
        display=f"tcp.analysis.keep_alive && tcp.srcport == {KEEP_PORT}",
    )
    assert len({port for (port,) in asked}) == NB_PEERS
    assert len(asked) >= NB_PEERS * NB_KEEP_PROBES


def test_peers_that_vanish_when_text_is_due(lab: Lab, addr: str) -> None:
    """RFC 9293 section 3.8.3: text that nobody acknowledges is given up, R2.

    Steps:
        300 peers of one host SUBSCRIBE; the host goes without a word; another peer PUBLISHes.

    Verify:
        The text was sent again as often as was said, and then each peer is forgotten, and his
        subscription too; others are served; nothing is left.
    """
    name = _name("rto", addr)
    with host(lab, addr) as peer, _served(lab, name, clean_link=False) as telemetry:
        for _ in range(NB_PEERS):
            reply = peer.connect(RESP_PORT).command("SUBSCRIBE", "peers")
            assert reply == [b"subscribe", b"peers", 1]
        peer.vanish()
        client = _connect(lab, addr)
        assert client.command("PUBLISH", "peers", "text") == NB_PEERS
        _check_others_are_served(lab, addr)
        assert telemetry.wait_until("now", "nb_conns", 1, GONE_MAX_S) == 1
        assert client.command("PUBLISH", "peers", "text") == 0
        client.close()


def test_peers_that_vanish_with_their_window_shut(lab: Lab, addr: str) -> None:
    """RFC 9293 section 3.8.6.1: probes that nobody answers are given up as text is.

    Steps:
        300 peers of one host GET 32 KiB with a receive buffer of 4 KiB and read nothing; when their
        windows are shut, the host goes without a word.

    Verify:
        Each is forgotten, with all that was to be sent; others are served; nothing is left.
    """
    name = _name("shut", addr)
    with host(lab, addr) as peer, _served(lab, name, clean_link=False) as telemetry:
        _store(lab, addr)
        for _ in range(NB_PEERS):
            peer.connect(RESP_PORT, SMALL_BUFFER).send("GET", "peers")
        time.sleep(SHUT_SOON_S)
        assert sum(one["queued"] > 0 for one in telemetry.conns()) == NB_PEERS
        peer.vanish()
        _check_others_are_served(lab, addr)
        assert telemetry.conns_left(GONE_MAX_S) == {}


def test_table_full_of_peers_that_vanished(lab: Lab, addr: str) -> None:
    """The dead do not keep the living out for ever.

    Steps:
        A host has as many connections as there may be, and goes without a word; another peer
        connects, and again when keep-alives have found them out.

    Verify:
        He does not get in at first, which is counted; then he does; nothing is left.
    """
    name = _name("full", addr)
    room = f"--conns-max={NB_CONNS_SMALL}"
    with host(lab, addr) as peer, _served(lab, name, room, clean_link=False) as telemetry:
        for _ in range(NB_CONNS_SMALL):
            assert peer.connect(KEEP_PORT).command("PING") == Status("PONG")
        peer.vanish()
        with pytest.raises(OSError):
            lab.connect(RESP_PORT, addr, timeout_s=REFUSED_S)
        assert telemetry.stats()["inet"]["tcp_conns_full"] > 0
        assert telemetry.wait_until("now", "nb_conns", 0, GONE_MAX_S) == 0
        _check_others_are_served(lab, addr)
