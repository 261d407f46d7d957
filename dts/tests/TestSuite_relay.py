# SPDX-License-Identifier: BSD-3-Clause
"""Much text over bad links: it arrives whole, and the relay that makes them bad is what it says.

DTS_LONG=1 sends 64 MiB each way on every link; else those that are bad in other ways than by loss
and reordering carry less.
"""

from __future__ import annotations

import contextlib
import os
import re
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from dts.framework.lab import SRV_ADDR, SRV_ADDR6
from dts.framework.leatd import RESP_PORT, LeatdConf, port_option
from dts.framework.priority import ahead_of_others
from dts.framework.relay import Counters, Link, RelayLab, binary, relay
from dts.framework.run import out_dir, serve
from dts.framework.telemetry import Telemetry
from dts.framework.transfer import fetch_values, send_values
from dts.goodput import DIRECTIONS, measure

IS_LONG = os.environ.get("DTS_LONG") == "1"
MIB = 1 << 20
LONG_NB = 64
STALL_MAX_S = 120  # an RTO that doubles to its limit takes no longer
FREED_MAX_S = 10  # the end of a connection may have to be sent again
VLAN_ID = 77
SMALL_MTU = 576
LEATD_EXTRA = ["--store-memory", "128"]
DELAY = "delay=1ms"
LINE = f"reorder=0.02,{DELAY},rate=40M,queue=256k"
GOODPUT_NB = 64 if IS_LONG else 8
NB_ROUNDS = 5 if IS_LONG else 3
GOODPUT_MIN = 0.75
USAGE = 2


@dataclass(frozen=True)
class Case:
    """One bad link.

    Attributes:
        figures: Of both directions.
        nb_values: Mebibytes each way, when nobody has asked for more.
        vlan: The tag of the daemon's side, 0 for none.
        mtu: Of the links.
        addr: Of the daemon, of either family.
    """

    figures: str
    nb_values: int
    vlan: int = 0
    mtu: int = 1500
    addr: str = SRV_ADDR


CASES = {
    "reorder": Case(LINE, LONG_NB),
    "loss-1": Case(f"loss=0.01,{LINE}", LONG_NB),
    "loss-5": Case(f"loss=0.05,{LINE}", LONG_NB),
    "corrupt": Case(f"corrupt=0.005,dup=0.005,{LINE}", 16),
    "vlan": Case(f"loss=0.002,{LINE}", 16, vlan=VLAN_ID),
    "small-mtu": Case(f"loss=0.002,{LINE}", 8, mtu=SMALL_MTU),
    "ipv6": Case(f"loss=0.01,{LINE}", 16, addr=SRV_ADDR6),
}


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest, relay_lab: RelayLab) -> Iterator[Case]:
    """Each link, the lab made ready for it."""
    one = CASES[request.param]
    relay_lab.set_mtu(one.mtu)
    with relay_lab.ipv6() if one.addr == SRV_ADDR6 else contextlib.nullcontext():
        yield one
    relay_lab.set_mtu(1500)


def _move(lab: RelayLab, nb: int, addr: str = SRV_ADDR) -> None:
    for move in (send_values, fetch_values):
        sock = lab.connect(RESP_PORT, addr, timeout_s=STALL_MAX_S)
        took_s = move(sock, nb, MIB)
        sock.close()
        print(f"{move.__name__}: {nb} MiB in {took_s:.1f} s, {nb * MIB * 8e-6 / took_s:.0f} Mbit/s")


def _check_share(counters: dict[str, int], name: str, share: float) -> None:
    wanted = share * counters["received"]
    assert wanted / 2 < counters[name] < wanted * 2, (name, counters)


def _check_counters(counters: Counters, figures: str) -> None:
    said = {"loss": "lost", "dup": "duplicated", "reorder": "reordered", "corrupt": "corrupted"}
    print(counters)
    for one in (counters.up, counters.down):
        for figure, name in said.items():
            share = re.search(rf"\b{figure}=([0-9.]+)", figures)
            if share is None:
                assert one[name] == 0, one
            else:
                _check_share(one, name, float(share.group(1)))
        dropped = sum(one[name] for name in ("lost", "overflowed", "crowded", "refused"))
        # What is under way when the relay ends is neither.
        assert 0 <= one["received"] + one["duplicated"] - dropped - one["forwarded"] < 20, one


def test_text_arrives_whole(
    relay_lab: RelayLab, case: Case, request: pytest.FixtureRequest
) -> None:
    """Linux and leat over a bad link.

    Steps:
        SET values of 1 MiB on one connection, GET them on another, over a link that loses,
        reorders, doubles or damages frames, on a VLAN, with a small MTU, or over IPv6.

    Verify:
        Each value comes back as it was; no packet buffer is lost; tshark finds no fault in what the
        daemon sent; the relay did what it was told.
    """
    addrs, extra = f"{SRV_ADDR}/24", list(LEATD_EXTRA)
    if case.vlan:
        addrs += f",vlan={case.vlan}"
    if case.addr == SRV_ADDR6:
        addrs += f",addr={SRV_ADDR6}/64"
        extra += ["--listen", f"resp,dpdk,{SRV_ADDR6},{RESP_PORT}"]
    conf = LeatdConf(port=port_option("net_af_packet0", addrs, "iface=leat0"), extra=extra)
    link = Link(case.figures, case.figures, vlan=case.vlan)
    name = f"relay-{request.node.callspec.id}"
    with relay(relay_lab, link, out_dir() / f"{name}.relay") as counters:
        with serve(relay_lab, conf, name, clean_link=False) as leatd:
            _move(relay_lab, LONG_NB if IS_LONG else case.nb_values, case.addr)
            telemetry = Telemetry(leatd)
            assert telemetry.wait_until("now", "nb_conns", 0, FREED_MAX_S) == 0
            assert telemetry.mbufs_left(FREED_MAX_S) == {}
            telemetry.close()
    _check_counters(counters, case.figures)


@pytest.mark.parametrize("name", ["reorder", "loss-1", "corrupt"])
def test_linux_to_linux_is_no_better(relay_lab: RelayLab, name: str) -> None:
    """The control: the same links between two ends of Linux'.

    Steps:
        The same with redis-server in the daemon's place.

    Verify:
        Each value comes back as it was.
    """
    case = CASES[name]
    path = out_dir() / f"relay-linux-{name}.log"
    link = Link(case.figures, case.figures)
    with relay(relay_lab, link, path.with_suffix(".relay")) as counters:
        with relay_lab.linux_server(path):
            _move(relay_lab, LONG_NB if IS_LONG else min(case.nb_values, 16))
    _check_counters(counters, case.figures)


def test_goodput_is_near_that_of_linux(relay_lab: RelayLab) -> None:
    """At a loss of 1 % leat is no slow peer, in either direction.

    Steps:
        In turns and with the same seeds: Linux to Linux, and Linux to leat; 1 % loss each way.

    Verify:
        The median of leat's rounds is at least 75 % of Linux'.
    """
    figures = f"loss=0.01,reorder=0.01,{DELAY},rate=25M,queue=256k"
    with ahead_of_others():
        goodput = measure(relay_lab, figures, GOODPUT_NB, NB_ROUNDS, seed=1)
    print(goodput.table())
    for direction in DIRECTIONS:
        assert goodput.share(direction) >= GOODPUT_MIN, goodput.table()


def test_delay_is_kept(relay_lab: RelayLab) -> None:
    """A frame is not much later than it should be, and never early by more than a little.

    Steps:
        Ping Linux through a relay with 1 ms each way.

    Verify:
        The round trip takes 2 ms, and the median 0.4 ms more at most.
    """
    path = out_dir() / "relay-delay.log"
    with relay(relay_lab, Link(DELAY, DELAY), path.with_suffix(".relay")):
        with relay_lab.linux_server(path):
            done = relay_lab.run("ping", "-c", "100", "-i", "0.01", SRV_ADDR)
    took_ms = [float(one) for one in re.findall(rb"time=([0-9.]+) ms", done.stdout)]
    assert len(took_ms) == 100, done.stdout
    print(f"median {statistics.median(took_ms):.2f} ms, worst {max(took_ms):.2f} ms")
    assert min(took_ms) > 1.8
    assert statistics.median(took_ms) < 2.4


def test_same_seed_loses_the_same_frames(relay_lab: RelayLab) -> None:
    """A run can be repeated.

    Steps:
        Twice: send 200 echo requests one after the other over a link that loses a tenth of them
        on the way there.

    Verify:
        The same ones have no reply.
    """
    lost = []
    for idx in range(2):
        path = out_dir() / f"relay-seed-{idx}.log"
        with relay(relay_lab, Link("loss=0.1", "", seed=5), path.with_suffix(".relay")):
            with relay_lab.linux_server(path):
                # The neighbour is known before, so that no frame but these has a number.
                mac = _srv_mac(relay_lab)
                neigh = ["ip", "neigh", "replace", SRV_ADDR, "lladdr", mac, "dev", "peer0"]
                assert relay_lab.run(*neigh).returncode == 0
                done = relay_lab.run("ping", "-c", "200", "-i", "0.005", "-W", "1", SRV_ADDR)
                relay_lab.run("ip", "neigh", "del", SRV_ADDR, "dev", "peer0")
        seen = {int(one) for one in re.findall(rb"icmp_seq=(\d+)", done.stdout)}
        lost.append(set(range(1, 201)) - seen)
    assert lost[0] == lost[1]
    assert 5 < len(lost[0]) < 40


def _srv_mac(lab: RelayLab) -> str:
    argv = lab.srv_command("cat", "/sys/class/net/leat0/address")
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--a", "x"], "--b is missing: name the device of that side"),
        (["--a", "x", "--b", "y", "--a-to-b", "loss=2"], "loss is a share of frames from 0 to 1"),
        (["--what"], "unknown option '--what'"),
    ],
)
def test_wrong_option_is_one_sentence(args: list[str], sentence: str) -> None:
    """A mistake is told before anything is touched.

    Steps:
        Start the relay with a wrong option.

    Verify:
        One line that names it, and status 2.
    """
    done = subprocess.run([binary(), *args], capture_output=True, text=True, check=False)
    assert done.returncode == USAGE
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert sentence in done.stderr
