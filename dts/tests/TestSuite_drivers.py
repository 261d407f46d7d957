# SPDX-License-Identifier: BSD-3-Clause
"""Each driver that needs no hardware, with and without hugepages."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from dts.framework.bridge import bridge
from dts.framework.http import HttpClient
from dts.framework.lab import CLI_ADDR, ROOT, SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, LeatdConf, af_port, port_option
from dts.framework.resp import RespClient, Status
from dts.framework.run import out_dir, serve

TAP_IFACE = "leattap0"
NB_HUGEPAGES = 288  # the default memory and a little more
BODY_LEN = 100 << 10
LINK_S = 5.0


def _hugepages() -> ModuleType:
    """Load scripts/hugepages.py, which is a program."""
    path = ROOT / "scripts" / "hugepages.py"
    spec = importlib.util.spec_from_file_location("hugepages", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hugepages"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=[False, True], ids=["no-huge", "huge"])
def huge(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Without hugepages, then with some of our own that are given back."""
    if not request.param:
        yield False
        return
    pages = _hugepages()
    assert pages.reserve("dts", NB_HUGEPAGES), "this machine has no hugepages to give"
    yield True
    pages.release("dts")


def exercise(lab: Lab) -> None:
    """Use each protocol a little.

    Args:
        lab: Where the daemon is served.
    """
    ping = lab.run("ping", "-c", "5", "-i", "0.05", "-W", "1", "-s", "1400", SRV_ADDR)
    assert b" 5 received" in ping.stdout, ping.stdout
    resp = RespClient(lab.connect(RESP_PORT))
    assert resp.command("SET", "driver", b"x" * BODY_LEN) == Status("OK")
    assert resp.command("GET", "driver") == b"x" * BODY_LEN
    resp.close()
    http = HttpClient(lab.connect(HTTP_PORT))
    http.send(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
    assert http.read().body == b"ok"
    body = os.urandom(BODY_LEN + 1)
    http.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert http.read().body == body
    http.close()


def wait_for_link(lab: Lab) -> None:
    """Wait until the first echo reply comes, for a peer that is still connecting.

    Args:
        lab: Where the daemon is served.
    """
    deadline = time.monotonic() + LINK_S
    while lab.run("ping", "-c", "1", "-W", "1", SRV_ADDR).returncode != 0:
        assert time.monotonic() < deadline, "no echo reply"


@pytest.mark.parametrize("driver", ["net_af_packet", "net_af_xdp"])
def test_driver_on_veth(lab: Lab, huge: bool, driver: str) -> None:
    """AF_PACKET and AF_XDP.

    Steps:
        Start on the lab's veth; ping, SET and GET, GET /health, POST /echo.

    Verify:
        Every reply, what the capture says, and that an idle worker need not poll.
    """
    with serve(lab, LeatdConf(port=af_port(driver), huge=huge), f"{driver}-{huge}") as leatd:
        assert "an idle worker is woken by a socket" in leatd.text()
        exercise(lab)


def test_net_tap(lab: Lab, huge: bool) -> None:
    """A tap interface that the driver makes; the peer is Linux' TCP behind it.

    Steps:
        Start, give the interface an address, and exercise.

    Verify:
        Every reply, and what the capture says.
    """
    beside = Lab(lab.instance)  # the interface appears beside the daemon, and so do its peers
    beside.cli, beside.cli_iface = beside.srv, TAP_IFACE

    def on_ready() -> None:
        for words in (f"address add {CLI_ADDR}/24 dev {TAP_IFACE}", f"link set {TAP_IFACE} up"):
            subprocess.run(["ip", "-n", beside.srv, *words.split()], check=True)

    port = port_option("net_tap0", vdev_args=f"iface={TAP_IFACE}")
    conf = LeatdConf(port=port, huge=huge)
    with serve(beside, conf, f"net_tap-{huge}", on_ready=on_ready):
        exercise(beside)


def _memif(path: Path) -> tuple[str, str]:
    return (
        port_option("net_memif0", vdev_args=f"role=client,id=0,socket={path}"),
        f"net_memif0,role=server,id=0,socket={path}",
    )


def _virtio_user(path: Path) -> tuple[str, str]:
    return (
        port_option("virtio_user0", vdev_args=f"path={path},queues=1"),
        f"net_vhost0,iface={path},queues=1",
    )


@pytest.mark.parametrize("ends", [_memif, _virtio_user], ids=["net_memif", "virtio_user"])
def test_driver_behind_a_bridge(
    lab: Lab,
    huge: bool,
    tmp_path: Path,
    ends: Callable[[Path], tuple[str, str]],
) -> None:
    """Shared memory with another process, which is testpmd and forwards to the veth.

    Steps:
        Start testpmd as the listening end, start the daemon, and exercise.

    Verify:
        Every reply, and what the capture says.
    """
    port, peer_vdev = ends(tmp_path / "socket")
    name = f"{ends.__name__.removeprefix('_')}-{huge}"
    with (
        bridge(lab, peer_vdev, out_dir() / f"{name}.testpmd"),
        serve(lab, LeatdConf(port=port, huge=huge), name),
    ):
        wait_for_link(lab)
        exercise(lab)
