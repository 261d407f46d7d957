# SPDX-License-Identifier: BSD-3-Clause
"""What a device, or a peer on the same machine, does with checksums."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dts.framework.lab import CLI_ADDR, CLI_ADDR6, CLI_IFACE, SRV_ADDR, SRV_ADDR6, Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, af_port, port_option
from dts.framework.resp import RespClient, Status
from dts.framework.run import out_dir, serve
from dts.framework.telemetry import Telemetry

PARTIAL = "a local peer leaves its TCP checksums to hardware that is not there"
TOLD_MAX_S = 5.0
TAP_IFACE = "leattso0"
VALUE_LEN = 1_000_000
SILENCE_S = 2.5  # more than two looks of the main thread


@contextmanager
def partial_checksums(lab: Lab) -> Iterator[None]:
    """Let the peer's kernel leave its checksums to the interface, as it does by itself.

    Args:
        lab: Where.

    Yields:
        Nothing.
    """
    ethtool = lab.cli_command("ethtool", "-K", CLI_IFACE)
    subprocess.run([*ethtool, "tx", "on"], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run([*ethtool, "tx", "off", "tso", "off"], check=True, capture_output=True)


@pytest.mark.parametrize("driver", ["net_af_packet", "net_af_xdp"])
def test_partial_checksums_are_told_once(lab: Lab, driver: str) -> None:
    """A peer on the same machine whose segments cannot be taken.

    Steps:
        Let the peer leave its checksums open and connect, again and again; then have it compute
        them, and connect.

    Verify:
        One line in the log says what is wrong and how to mend it, and only one however many
        segments came; then the peer is answered.
    """
    with serve(lab, LeatdConf(port=af_port(driver)), f"partial_{driver}") as leatd:
        with partial_checksums(lab):
            deadline = time.monotonic() + TOLD_MAX_S
            while PARTIAL not in leatd.text():
                assert time.monotonic() < deadline, leatd.text()
                with pytest.raises(OSError):
                    lab.connect(RESP_PORT, timeout_s=0.2)
            until = time.monotonic() + SILENCE_S
            while time.monotonic() < until:
                with pytest.raises(OSError):
                    lab.connect(RESP_PORT, timeout_s=0.2)
        line = next(one for one in leatd.text().splitlines() if PARTIAL in one)
        assert line.startswith("leatd: warning: port p0: ")
        assert "`ethtool -K PEER tx off`" in line
        assert leatd.text().count(PARTIAL) == 1
        client = RespClient(lab.connect(RESP_PORT))
        assert client.command("PING") == Status("PONG")
        client.close()


@contextmanager
def _tap(
    lab: Lab, name: str, addrs: str, words: list[str]
) -> Iterator[tuple[Lab, Leatd]]:
    """Serve on a tap interface, whose other side is in the daemon's namespace."""
    beside = Lab(lab.instance)
    beside.cli, beside.cli_iface = beside.srv, TAP_IFACE

    def on_ready() -> None:
        sysctl = f"net.ipv6.conf.{TAP_IFACE}.disable_ipv6=0"
        subprocess.run(["ip", "netns", "exec", beside.srv, "sysctl", "-qw", sysctl], check=True)
        for one in words:
            subprocess.run(["ip", "-n", beside.srv, *one.split()], check=True)

    port = port_option("net_tap0", addrs, f"iface={TAP_IFACE}")
    extra = ["--listen", f"resp,dpdk,::,{RESP_PORT}"] if SRV_ADDR6 in addrs else []
    conf = LeatdConf(port=port, extra=extra)
    with serve(beside, conf, name, on_ready=on_ready) as leatd:
        assert " tx-tso" in leatd.text()
        yield beside, leatd


def _get_large(lab: Lab, addr: str) -> None:
    client = RespClient(lab.connect(RESP_PORT, addr))
    value = bytes(range(250)) * (VALUE_LEN // 250)
    assert client.command("SET", "large", value) == Status("OK")
    for _ in range(2):
        assert client.command("GET", "large") == value
    client.close()


def _stats(leatd: Leatd) -> dict[str, int]:
    with Telemetry(leatd) as telemetry:
        return telemetry.stats()["inet"]


@pytest.mark.parametrize("advmss", [1400, 1460])
def test_a_tap_cuts_segments(lab: Lab, advmss: int) -> None:
    """net_tap offers TSO, in DPDK 22.11 not for frames longer than the MTU, Ethernet included.

    Steps:
        Serve on a tap to a peer that takes segments of so many bytes; get a large value twice.

    Verify:
        The value is whole, tshark finds no fault with a segment and nothing sent twice, and the
        driver has cut it.
    """
    words = [
        f"address add {CLI_ADDR}/32 dev {TAP_IFACE}",
        f"link set {TAP_IFACE} up",
        f"route add {SRV_ADDR}/32 dev {TAP_IFACE} src {CLI_ADDR} advmss {advmss}",
    ]
    with _tap(lab, f"tso-{advmss}", f"{SRV_ADDR}/24", words) as (beside, leatd):
        _get_large(beside, SRV_ADDR)
        counters = _stats(leatd)
        assert counters["tx_trials_lost"] == 0
        assert counters["tx_tso"] > 0


def test_a_tap_cuts_no_segments_of_ipv6(lab: Lab) -> None:
    """net_tap offers TSO, and in DPDK 22.11 not over IPv6.

    Steps:
        Serve on a tap; get a large value twice over IPv6, then over IPv4.

    Verify:
        Each value is whole. Over IPv6 leat cuts itself, over IPv4 the driver does, and no frame
        is longer than the MTU allows.
    """
    words = [
        f"address add {CLI_ADDR}/24 dev {TAP_IFACE}",
        f"address add {CLI_ADDR6}/64 dev {TAP_IFACE} nodad",
        f"link set {TAP_IFACE} up",
    ]
    addrs = f"{SRV_ADDR}/24,addr={SRV_ADDR6}/64"
    with _tap(lab, "tso-families", addrs, words) as (beside, leatd):
        _get_large(beside, SRV_ADDR6)
        assert _stats(leatd)["tx_tso"] == 0
        _get_large(beside, SRV_ADDR)
        counters = _stats(leatd)
        assert counters["tx_trials_lost"] == 0
        assert counters["tx_tso"] > 0
    argv = ["tshark", "-r", str(out_dir() / "tso-families.pcapng"), "-Y", "frame.len > 1514"]
    assert subprocess.run(argv, check=True, capture_output=True).stdout == b""
