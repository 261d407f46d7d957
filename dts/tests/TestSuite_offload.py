# SPDX-License-Identifier: BSD-3-Clause
"""What a device, or a peer on the same machine, does with checksums."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dts.framework.lab import CLI_ADDR, CLI_IFACE, SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, LeatdConf, af_port, port_option
from dts.framework.resp import RespClient, Status
from dts.framework.run import serve

PARTIAL = "a local peer leaves its TCP checksums to hardware that is not there"
TOLD_MAX_S = 5.0
TAP_IFACE = "leattso0"
TSO_LOST = "promises to cut text into segments and they do not come through"
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


@pytest.mark.parametrize("advmss", [1400, 1460])
def test_a_tap_cuts_segments(lab: Lab, advmss: int) -> None:
    """net_tap offers TSO; in some versions of DPDK not for segments that fill the MTU.

    Steps:
        Serve on a tap to a peer that takes segments of so many bytes; get a large value twice.

    Verify:
        The value is whole, and tshark finds no fault with a segment. What the driver can cut it is
        let cut; where it does not do it, the log says so and leat does.
    """
    beside = Lab(lab.instance)
    beside.cli, beside.cli_iface = beside.srv, TAP_IFACE

    def on_ready() -> None:
        for words in (
            f"address add {CLI_ADDR}/32 dev {TAP_IFACE}",
            f"link set {TAP_IFACE} up",
            f"route add {SRV_ADDR}/32 dev {TAP_IFACE} src {CLI_ADDR} advmss {advmss}",
        ):
            subprocess.run(["ip", "-n", beside.srv, *words.split()], check=True)

    conf = LeatdConf(port=port_option("net_tap0", vdev_args=f"iface={TAP_IFACE}"))
    name = f"tso-{advmss}"
    with serve(beside, conf, name, on_ready=on_ready, clean_link=False) as leatd:
        assert " tx-tso" in leatd.text()
        client = RespClient(beside.connect(RESP_PORT))
        value = bytes(range(250)) * (VALUE_LEN // 250)
        assert client.command("SET", "large", value) == Status("OK")
        for _ in range(2):
            assert client.command("GET", "large") == value
        client.close()
        time.sleep(SILENCE_S)  # the main thread has looked
        assert advmss == 1460 or TSO_LOST not in leatd.text()
