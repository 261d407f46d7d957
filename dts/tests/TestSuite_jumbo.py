# SPDX-License-Identifier: BSD-3-Clause
"""Frames of 9000 bytes, beside peers that take less.

Of the drivers that join a veth, libpcap's alone takes such frames.
"""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dts.framework.lab import CLI_IFACE, SRV_ADDR, SRV_ADDR6, SRV_IFACE, Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, port_option
from dts.framework.priority import ahead_of_others
from dts.framework.records import tshark
from dts.framework.resp import RespClient, Status
from dts.framework.run import out_dir, serve
from dts.framework.telemetry import Telemetry
from dts.framework.transfer import fetch_values, send_values

JUMBO = 9000
USUAL = 1500
HEADERS = {SRV_ADDR: 40, SRV_ADDR6: 60}  # bytes of IP and TCP without options
TS_LEN = 12
NB_VALUES = 2
VALUE_LEN = 1 << 20
SMALL_LEN = 128 << 10  # for peers that share two cores with each other and with the daemon
ICMP_LEN = 28
FREED_MAX_S = 5.0
VDEV = f"rx_iface_in={SRV_IFACE},tx_iface={SRV_IFACE}"


@contextmanager
def _mtus(lab: Lab, srv: int, cli: int) -> Iterator[None]:
    def set_both(srv: int, cli: int) -> None:
        for namespace, iface, mtu in ((lab.srv, SRV_IFACE, srv), (lab.cli, CLI_IFACE, cli)):
            argv = ["ip", "-n", namespace, "link", "set", iface, "mtu", str(mtu)]
            subprocess.run(argv, check=True)

    set_both(srv, cli)
    try:
        yield
    finally:
        set_both(USUAL, USUAL)


@contextmanager
def _timestamps(lab: Lab, on: bool) -> Iterator[None]:
    sysctl = lab.cli_command("sysctl", "-qw")
    subprocess.run([*sysctl, f"net.ipv4.tcp_timestamps={int(on)}"], check=True)
    try:
        yield
    finally:
        subprocess.run([*sysctl, "net.ipv4.tcp_timestamps=1"], check=True)


@contextmanager
def _served(lab: Lab, name: str, mtu: int) -> Iterator[Leatd]:
    addrs = f"{SRV_ADDR}/24,addr={SRV_ADDR6}/64,mtu={mtu}"
    listen = ["--listen", f"resp,dpdk,{SRV_ADDR6},{RESP_PORT}"]
    conf = LeatdConf(port=port_option("net_pcap0", addrs, VDEV), extra=listen)
    # An end that is away for long has text sent again, which is no fault and looks like one.
    with (
        ahead_of_others(),
        serve(lab, conf, f"jumbo-{name}") as one,
        Telemetry(one) as telemetry,
    ):
        yield one
        assert telemetry.wait_until("now", "nb_conns", 0, FREED_MAX_S) == 0
        assert telemetry.mbufs_left(FREED_MAX_S) == {}


def _longest(path: Path, addr: str, port: int | None = None) -> tuple[int, int]:
    """The most text of a segment: of the daemon's from an address, and of the peers' to it."""
    found = []
    side = "ipv6" if ":" in addr else "ip"
    for end in ("src", "dst"):
        display = f"{side}.{end} == {addr} && tcp.len > 0"
        if port is not None:
            display += f" && tcp.port == {port}"
        found.append(max(int(row[0]) for row in tshark(path, "tcp.len", display=display)))
    return found[0], found[1]


def _move(lab: Lab, addr: str, nb: int = NB_VALUES) -> None:
    for move in (send_values, fetch_values):
        with lab.connect(RESP_PORT, addr) as sock:
            move(sock, nb, VALUE_LEN)


@pytest.mark.parametrize("has_ts", [True, False], ids=["timestamps", "plain"])
@pytest.mark.parametrize("addr", [SRV_ADDR, SRV_ADDR6], ids=["ipv4", "ipv6"])
def test_segments_fill_jumbo_frames(
    lab: Lab, addr: str, has_ts: bool, request: pytest.FixtureRequest
) -> None:
    """Both ends have an MTU of 9000, and use it.

    Steps:
        SET and GET values of 1 MiB, with timestamps and without, over each family.

    Verify:
        Each value comes back as it was; the longest segments of both ends are of 9000 bytes with
        their headers, 8960 of text over IPv4; tshark finds no fault; nothing is left.
    """
    name = request.node.callspec.id
    with _mtus(lab, JUMBO, JUMBO), _timestamps(lab, has_ts), _served(lab, name, JUMBO) as leatd:
        assert f"mtu {JUMBO}," in leatd.text()
        _move(lab, addr)
    wanted = JUMBO - HEADERS[addr] - (TS_LEN if has_ts else 0)
    assert _longest(out_dir() / f"jumbo-{name}.pcapng", addr) == (wanted, wanted)


@pytest.mark.parametrize(("srv", "cli"), [(JUMBO, USUAL), (USUAL, JUMBO)])
def test_the_smaller_mtu_of_the_two_counts(lab: Lab, srv: int, cli: int) -> None:
    """RFC 9293 section 3.7.1: each end sends what the other said that it takes.

    Steps:
        One end has an MTU of 9000, the other of 1500; SET and GET values of 1 MiB.

    Verify:
        Each value comes back as it was; no segment of either end is longer than fits into 1500
        bytes, and there are some that long.
    """
    name = f"{srv}-{cli}"
    with _mtus(lab, srv, cli), _served(lab, name, srv):
        _move(lab, SRV_ADDR)
    wanted = USUAL - HEADERS[SRV_ADDR] - TS_LEN
    assert _longest(out_dir() / f"jumbo-{name}.pcapng", SRV_ADDR) == (wanted, wanted)


def test_peers_of_many_sizes_at_a_time(lab: Lab) -> None:
    """Each connection has a size of its own.

    Steps:
        Peers that take 536, 1460, 4000 and 8960 bytes GET the same value at the same time.

    Verify:
        Each value is whole; the longest segment to each is what it takes.
    """
    sizes = [536, 1460, 4000, 8960]
    ports = []
    with _mtus(lab, JUMBO, JUMBO), _served(lab, "sizes", JUMBO), ExitStack() as stack:
        clients = []
        for size in sizes:
            sock = stack.enter_context(lab.open_socket())
            sock.settimeout(10)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, size)
            sock.connect((SRV_ADDR, RESP_PORT))
            ports.append(sock.getsockname()[1])
            clients.append(RespClient(sock))
        value = bytes(range(256)) * (SMALL_LEN // 256)
        for i, client in enumerate(clients):
            assert client.command("SET", f"jumbo:{i}", value) == Status("OK")
        for client in clients:
            client.send("GET", "jumbo:0")
        for client in clients:
            assert client.read() == value
    path = out_dir() / "jumbo-sizes.pcapng"
    longest = [_longest(path, SRV_ADDR, port)[0] for port in ports]
    assert longest == [size - TS_LEN for size in sizes]


def test_echo_fills_a_jumbo_frame(lab: Lab) -> None:
    """Not TCP alone.

    Steps:
        Ping with as much data as fits, not to be fragmented.

    Verify:
        Three replies with the same data.
    """
    with _mtus(lab, JUMBO, JUMBO), _served(lab, "echo", JUMBO):
        size = str(JUMBO - ICMP_LEN)
        done = lab.run("ping", "-c", "3", "-i", "0.05", "-W", "1", "-M", "do", "-s", size, SRV_ADDR)
    assert b" 3 received" in done.stdout, done.stdout
    assert b"wrong data" not in done.stdout, done.stdout
