# SPDX-License-Identifier: BSD-3-Clause
"""The same service over IPv6: Linux' own tools, and frames that no kernel would send."""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Iterator

import pytest
from scapy.layers.inet import TCP
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    PadN,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet

from dts.framework.lab import SRV_ADDR, SRV_ADDR6, SRV_IFACE, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, port_option
from dts.framework.raw6 import RawPeer6
from dts.framework.run import serve

SILENCE_S = 0.3
EXT_MAX = 8  # extension headers of one packet

_ports = itertools.count(21000)


@pytest.fixture(scope="module", autouse=True)
def leatd6(lab: Lab) -> Iterator[Leatd]:
    """The daemon with addresses of both families, one run for the suite."""
    addrs = f"{SRV_ADDR}/24,addr={SRV_ADDR6}/64"
    port = port_option("net_af_packet0", addrs, f"iface={SRV_IFACE}")
    extra = []
    for protocol, number in (("resp", RESP_PORT), ("http", HTTP_PORT)):
        extra += ["--listen", f"{protocol},dpdk,::,{number}"]
    with serve(lab, LeatdConf(port=port, extra=extra), "ipv6") as one:
        yield one


@pytest.fixture
def peer(lab: Lab) -> Iterator[RawPeer6]:
    """A station of our own beside Linux."""
    one = RawPeer6(lab)
    yield one
    one.close()


def echo(peer: RawPeer6, data: bytes = b"x" * 9) -> Packet:
    """An echo request of ours."""
    return peer.ip() / ICMPv6EchoRequest(id=7, seq=1, data=data)


def redis_cli(lab: Lab, *args: str, stdin: bytes = b"") -> bytes:
    """What redis-cli prints for a command over IPv6."""
    done = lab.run("redis-cli", "-h", SRV_ADDR6, "-p", str(RESP_PORT), *args, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip(b"\n")


def neighbour(lab: Lab, *args: str) -> None:
    """Change Linux' table of neighbours."""
    done = lab.run("ip", "-6", "neigh", *args, "dev", lab.cli_iface)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("data_len", [0, 1, 7, 18, 57, 999, 1399, 1400, 1451, 1452])
def test_ping_is_answered(lab: Lab, data_len: int) -> None:
    """Echo requests of every kind of length, odd ones and the largest that fits.

    Steps:
        Send three echo requests.

    Verify:
        Three replies with the same data.
    """
    done = lab.run(
        "ping", "-6", "-c", "3", "-i", "0.05", "-W", "1", "-s", str(data_len), SRV_ADDR6
    )
    assert b" 3 received" in done.stdout, done.stdout
    assert b"wrong data" not in done.stdout, done.stdout


def test_link_local_address_is_answered(lab: Lab, peer: RawPeer6) -> None:
    """The address that every node has.

    Steps:
        Ping the link-local address of the daemon's MAC address.

    Verify:
        A reply.
    """
    mac = [int(one, 16) for one in peer.srv_mac.split(":")]
    mac[0] ^= 2
    groups = (mac[0] << 8 | mac[1], mac[2] << 8 | 0xFF, 0xFE00 | mac[3], mac[4] << 8 | mac[5])
    addr = "fe80::" + ":".join(f"{one:x}" for one in groups)
    done = lab.run("ping", "-6", "-c", "1", "-W", "1", f"{addr}%{lab.cli_iface}")
    assert b" 1 received" in done.stdout, done.stdout


def test_redis_cli(lab: Lab) -> None:
    """Commands, and a value larger than a segment.

    Steps:
        PING, SET and GET of 100,000 bytes over IPv6.

    Verify:
        The right replies.
    """
    value = b"v" * 100000
    assert redis_cli(lab, "PING") == b"PONG"
    assert redis_cli(lab, "-x", "SET", "ipv6:key", stdin=value) == b"OK"
    assert redis_cli(lab, "GET", "ipv6:key") == value


def test_curl(lab: Lab) -> None:
    """HTTP, a large body both ways.

    Steps:
        GET /health; POST 300,000 bytes to /echo.

    Verify:
        200 and "ok"; the same bytes.
    """
    url = f"http://[{SRV_ADDR6}]:{HTTP_PORT}"
    body = bytes(range(256)) * 1200
    done = lab.run("curl", "-g", "-sS", "--max-time", "10", f"{url}/health")
    assert done.stdout.split() == [b"ok"], done.stderr
    done = lab.run(
        "curl", "-g", "-sS", "--max-time", "10", "--data-binary", "@-", f"{url}/echo", stdin=body
    )
    assert done.stdout == body, done.stderr


def test_both_families_have_the_same_keys(lab: Lab) -> None:
    """One store behind both.

    Steps:
        SET over IPv4, GET over IPv6.

    Verify:
        The value.
    """
    done = lab.run("redis-cli", "-h", SRV_ADDR, "-p", str(RESP_PORT), "SET", "ipv6:both", "1")
    assert done.stdout == b"OK\n", done.stderr
    assert redis_cli(lab, "GET", "ipv6:both") == b"1"


def test_linux_forgets_its_neighbour(lab: Lab) -> None:
    """Linux asks again, in the middle of a connection.

    Steps:
        PING over a connection; delete Linux' entry of the daemon; PING again.

    Verify:
        Both are answered.
    """
    with lab.open_socket(socket.AF_INET6) as sock:
        sock.settimeout(5)
        sock.connect((SRV_ADDR6, RESP_PORT))
        for _ in range(2):
            sock.sendall(b"PING\r\n")
            assert sock.recv(100) == b"+PONG\r\n"
            neighbour(lab, "flush", "to", SRV_ADDR6)


def test_linux_changes_its_mac_address(lab: Lab) -> None:
    """A neighbour with another MAC address does not break a connection.

    Steps:
        PING over a connection; give Linux another MAC address; PING again.

    Verify:
        Both are answered.
    """
    with lab.open_socket(socket.AF_INET6) as sock:
        sock.settimeout(5)
        sock.connect((SRV_ADDR6, RESP_PORT))
        sock.sendall(b"PING\r\n")
        assert sock.recv(100) == b"+PONG\r\n"
        done = lab.run("ip", "link", "set", lab.cli_iface, "address", "02:00:00:00:77:09")
        assert done.returncode == 0, done.stderr
        neighbour(lab, "flush", "to", SRV_ADDR6)  # as a new start of the peer would
        sock.sendall(b"PING\r\n")
        assert sock.recv(100) == b"+PONG\r\n"


def test_duplicate_address_probe_is_answered_to_all(peer: RawPeer6) -> None:
    """RFC 4861 section 7.2.4: who has no address yet is told by all nodes' group.

    Steps:
        Solicit the daemon's address from ::.

    Verify:
        An advertisement to ff02::1, not solicited.
    """
    got = peer.ask(peer.solicit(src="::", with_mac=False), lambda one: ICMPv6ND_NA in one)
    assert got is not None
    assert (got[IPv6].dst, got[IPv6].hlim, got[ICMPv6ND_NA].S) == ("ff02::1", 255, 0)
    assert got[Ether].dst == "33:33:00:00:00:01"


def test_solicitation_from_beyond_a_router_is_ignored(peer: RawPeer6) -> None:
    """RFC 4861 section 7.1.1: the hop limit of a message of the link is 255.

    Steps:
        Solicit with hop limit 254, then with 255.

    Verify:
        Silence, then an advertisement.
    """
    is_advert = lambda one: ICMPv6ND_NA in one  # noqa: E731
    assert peer.ask(peer.solicit(hlim=254), is_advert, SILENCE_S) is None
    assert peer.ask(peer.solicit(), is_advert) is not None


def test_advertisement_that_nobody_asked_for_creates_nothing(lab: Lab) -> None:
    """RFC 4861 section 7.2.5.

    Steps:
        Advertise an address that the daemon does not know, to it and to all; connect from there
        without answering its question.

    Verify:
        It asks, and does not answer.
    """
    stranger = RawPeer6(lab)
    stranger.addr, stranger.mac, stranger.answers = "fd77::bad", "02:00:00:00:0b:ad", False
    stranger.send(stranger.advert())
    stranger.send(stranger.advert(dst="ff02::1", solicited=0))
    syn = stranger.ip() / TCP(sport=next(_ports), dport=RESP_PORT, flags="S")
    assert stranger.ask_tcp(syn, SILENCE_S) is None
    assert stranger.nb_asked > 0
    stranger.close()


def test_extension_headers_are_skipped_up_to_the_limit(peer: RawPeer6) -> None:
    """RFC 8200 section 4.

    Steps:
        Echo behind each kind of extension header, behind as many as the limit, one more.

    Verify:
        All are answered but the last.
    """
    pad = IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0\0\0\0")])
    head, tail = peer.ip(), ICMPv6EchoRequest(id=7, seq=1, data=b"behind")
    for exts in (
        IPv6ExtHdrHopByHop() / tail,
        pad / tail,
        IPv6ExtHdrRouting(segleft=0) / tail,
        IPv6ExtHdrHopByHop() / pad / IPv6ExtHdrFragment(offset=0, m=0) / tail,
    ):
        assert peer.ask_echo(head / exts) is not None, exts.summary()
    for nb, answered in ((EXT_MAX, True), (EXT_MAX + 1, False)):
        packet = head
        for _ in range(nb):
            packet = packet / pad.copy()
        got = peer.ask_echo(packet / tail.copy(), 1 if answered else SILENCE_S)
        assert (got is not None) == answered, nb


def test_fragments_and_unfinished_routes_are_dropped(peer: RawPeer6) -> None:
    """What cannot be put together or passed on is not misread.

    Steps:
        Send the first and a later fragment of an echo, and one that has to be routed on.

    Verify:
        Silence; then an echo is answered.
    """
    head, tail = peer.ip(), ICMPv6EchoRequest(id=7, seq=1, data=b"x" * 16)
    for ext in (
        IPv6ExtHdrFragment(offset=0, m=1),
        IPv6ExtHdrFragment(offset=3, m=0),
        IPv6ExtHdrRouting(segleft=1, addresses=["fd77::9"]),
    ):
        assert peer.ask_echo(head / ext / tail, SILENCE_S) is None, ext.summary()
    assert peer.ask_echo(echo(peer)) is not None


@pytest.mark.parametrize("src", ["::1", "ff02::1", "::ffff:10.77.0.3", SRV_ADDR6])
def test_sources_that_cannot_be_are_dropped(peer: RawPeer6, src: str) -> None:
    """No host has them.

    Steps:
        A SYN from such a source.

    Verify:
        Silence.
    """
    frame = peer.ip() / TCP(sport=next(_ports), dport=RESP_PORT, flags="S")
    frame[IPv6].src = src
    assert peer.ask_tcp(frame, SILENCE_S) is None


def test_syn_is_answered_with_the_mss_of_ipv6(peer: RawPeer6) -> None:
    """RFC 9293 section 3.7.1: the MTU less 60.

    Steps:
        A SYN behind an extension header; a SYN to a closed port.

    Verify:
        SYN-ACK with MSS 1440 and hop limit 64; a reset.
    """
    pad = IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0\0\0\0")])
    got = peer.ask_tcp(peer.ip() / pad / TCP(sport=next(_ports), dport=RESP_PORT, flags="S"))
    assert got is not None
    assert str(got[TCP].flags) == "SA"
    assert ("MSS", 1440) in got[TCP].options
    assert got[IPv6].hlim == 64
    rst = TCP(sport=got[TCP].dport, dport=RESP_PORT, flags="R", seq=got[TCP].ack)
    peer.send(peer.ip() / rst)
    got = peer.ask_tcp(peer.ip() / TCP(sport=next(_ports), dport=9, flags="S"))
    assert got is not None
    assert str(got[TCP].flags) == "RA"


def test_linux_says_that_no_segment_was_sent_twice(lab: Lab) -> None:
    """Much text in both directions, for the judge of the capture.

    Steps:
        SET and GET a value of 2,000,000 bytes.

    Verify:
        The same bytes; tshark finds no fault when the suite ends.
    """
    value = bytes(range(32, 127)) * 21000
    assert redis_cli(lab, "-x", "SET", "ipv6:large", stdin=value) == b"OK"
    began = time.monotonic()
    assert redis_cli(lab, "GET", "ipv6:large") == value
    assert time.monotonic() - began < 20
