# SPDX-License-Identifier: BSD-3-Clause
"""Packet scripts: what is sent, what must come back and when, by leat and, as oracle, by Linux."""

from __future__ import annotations

import contextlib
import functools
import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dts.framework.kernel import serve_by_kernel
from dts.framework.kernel_server import KEEPALIVE_NB, KEEPALIVE_S
from dts.framework.lab import ROOT, SRV_ADDR, SRV_IFACE, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, LeatdConf, binary, port_option
from dts.framework.resp import RespClient, Status
from dts.framework.run import out_dir, serve
from dts.framework.script import Script, bulk_key, bulk_value, read_script
from dts.framework.stage import (
    PREFIX6_LEN,
    PREFIX_LEN,
    SRV_ADDR6,
    Result,
    Stage,
    play_all,
)

SCRIPTS = ROOT / "dts" / "scripts"
TARGETS = ("leat", "linux")
KEEPALIVE_PORT = 6380
PORTS = {"resp": RESP_PORT, "http": HTTP_PORT, "keepalive": KEEPALIVE_PORT}
BULKS = (1000, 2000, 5000, 10000, 14000, 20000, 40000, 100000, 400000)

# What leatd is told in each configuration, and what Linux is told for the same conduct.
CONFIGS: dict[str, tuple[list[str], dict[str, str]]] = {
    "default": ([], {}),
    "cookies": (["--syn-cookies=always"], {"ipv4.tcp_syncookies": "2"}),
    "impatient": (
        ["--retries=3", "--synack-retries=2", "--time-wait=2", "--fin-timeout=2"],
        {"ipv4.tcp_retries2": "3", "ipv4.tcp_synack_retries": "2"},
    ),
}
KEEPALIVE = f"keepalive-idle={KEEPALIVE_S},keepalive-interval={KEEPALIVE_S}"
KEEPALIVE += f",keepalive-probes={KEEPALIVE_NB}"
# What a script may say that it needs, and the key of the configuration that comes with it.
FEATURES = {
    "ipv6": "gw6",
    "keepalive": "keepalive-idle",
    "cookies": "syn-cookies",
    "patience": "time-wait",
}
_SYSCTLS = {
    "ipv4.tcp_no_metrics_save": "1",
    "ipv4.tcp_syncookies": "1",
    "core.somaxconn": "1024",
    "ipv4.icmp_ratelimit": "0",
    "ipv4.tcp_rfc1337": "1",
    "ipv4.tcp_ecn": "0",
    "ipv6.icmp.ratelimit": "0",
}


@functools.cache
def _features() -> set[str]:
    argv = [str(binary()), "--help"]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return {name for name, key in FEATURES.items() if key in text}


def _lacks(target: str, script: Script) -> str:
    needs = script.head.get("needs", "")
    return "" if target == "linux" or needs in ("", *_features()) else needs


@functools.cache
def _scripts() -> list[Script]:
    return [read_script(path) for path in sorted(SCRIPTS.glob("*/*.pkt"))]


def _srv_mac(lab: Lab) -> str:
    argv = ["ip", "-n", lab.srv, "-j", "link", "show", SRV_IFACE]
    shown = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    return str(shown[0]["address"])


def _store_bulks(lab: Lab) -> None:
    client = RespClient(lab.connect(RESP_PORT))
    for length in BULKS:
        assert client.command("SET", bulk_key(length), bulk_value(length)) == Status("OK")
    client.close()


@contextmanager
def _leat(lab: Lab, config: str) -> Iterator[None]:
    addrs, extra = f"{SRV_ADDR}/{PREFIX_LEN}", list(CONFIGS[config][0])
    if "keepalive" in _features():
        extra += ["--listen", f"resp,dpdk,{SRV_ADDR},{KEEPALIVE_PORT},{KEEPALIVE}"]
    if "ipv6" in _features():
        addrs += f",addr={SRV_ADDR6}/{PREFIX6_LEN}"
        extra += ["--listen", f"resp,dpdk,{SRV_ADDR6},{RESP_PORT}"]
    port = port_option("net_af_packet0", addrs, f"iface={SRV_IFACE}")
    conf = LeatdConf(port=port, extra=extra)
    # Each script judges what it sees; tshark would take our own sequence numbers amiss.
    with serve(lab, conf, f"scripts-{config}", clean_link=False, sequences=False):
        yield


@contextmanager
def _linux(lab: Lab, config: str) -> Iterator[None]:
    listens = [
        f"{addr},{port},{kind}" for addr in (SRV_ADDR, SRV_ADDR6) for kind, port in PORTS.items()
    ]
    addrs = [f"{SRV_ADDR}/{PREFIX_LEN}", f"{SRV_ADDR6}/{PREFIX6_LEN}"]
    sysctls = {**_SYSCTLS, **CONFIGS[config][1]}
    with serve_by_kernel(lab, addrs, listens, sysctls, out_dir() / f"scripts-{config}.linux"):
        yield


class Runs:
    """Plays the selected scripts of a configuration together, when the first of them is asked."""

    def __init__(self, labs: dict[str, Lab], wanted: set[tuple[str, str]]) -> None:
        """Nothing is played yet.

        Args:
            labs: The lab of each target.
            wanted: Target and name of each script that was selected.
        """
        self._labs = labs
        self._wanted = wanted
        self._results: dict[tuple[str, str], Result] = {}
        self._faults: dict[str, str] = {}

    def result(self, target: str, script: Script) -> Result:
        """Give the result of a script.

        Args:
            target: Who is tested.
            script: The script.

        Returns:
            The result.
        """
        fault = self.fault(script.get("config"))
        if (target, script.name) not in self._results:
            pytest.fail(f"it was not played: {fault}", pytrace=False)
        return self._results[target, script.name]

    def fault(self, config: str) -> str:
        """Say what was wrong with the servers of a configuration, once it has been played.

        Args:
            config: The configuration.

        Returns:
            What broke off, or that the daemon did not end well; empty if nothing.
        """
        if config not in self._faults:
            self._faults[config] = ""
            try:
                self._play(config)
            except (AssertionError, OSError, RuntimeError) as error:
                self._faults[config] = str(error)
        return self._faults[config]

    def _play(self, config: str) -> None:
        servers = {"leat": _leat, "linux": _linux}
        with ExitStack() as stack:
            stages = {}
            for target in TARGETS:
                mine = [one for one in _scripts() if (target, one.name) in self._wanted]
                mine = [one for one in mine if one.get("config") == config]
                if not mine:
                    continue
                lab = self._labs[target]
                stack.enter_context(servers[target](lab, config))
                _store_bulks(lab)
                stage = stack.enter_context(contextlib.closing(Stage(lab, _srv_mac(lab), PORTS)))
                stage.add(mine)
                stages[target] = stage
            play_all(list(stages.values()))
            for target, stage in stages.items():
                for name, result in stage.results.items():
                    self._results[target, name] = result


@pytest.fixture(scope="module")
def runs(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Runs]:
    """The two targets side by side, each in a lab of its own."""
    oracle = Lab(f"{lab.instance[:14]}lx")
    oracle.up()
    wanted: set[tuple[str, str]] = set()
    for item in request.session.items:
        if isinstance(item, pytest.Function) and item.function is test_script:
            script, target = item.callspec.params["script"], str(item.callspec.params["target"])
            assert isinstance(script, Script)
            if not _lacks(target, script):
                wanted.add((target, script.name))
    yield Runs({"leat": lab, "linux": oracle}, wanted)
    oracle.down()


def _name(script: Script) -> str:
    return script.name


@pytest.mark.parametrize("script", _scripts(), ids=_name)
@pytest.mark.parametrize("target", TARGETS)
def test_script(runs: Runs, target: str, script: Script) -> None:
    """A conversation as it is written in dts/scripts.

    Steps:
        Send what the script says.

    Verify:
        What comes back and when; Linux does the same, or the script says why it does not.
    """
    if lacks := _lacks(target, script):
        pytest.skip(f"leatd has no {lacks}")
    result = runs.result(target, script)
    differs = target == "linux" and "linux" in script.head
    text = f"{script.shows}\n{result.failure}\nall of it:\n{result.log}"
    if differs and not result.failure:
        pytest.fail(f"Linux passes what it should not by its header: {script.path}", pytrace=False)
    if not differs and result.failure:
        pytest.fail(text, pytrace=False)
    print(f"{script.name}: {result.took_s:.1f} s, {result.nb_tries} tries")


@pytest.mark.parametrize("config", CONFIGS)
def test_daemon_ends_well(runs: Runs, config: str) -> None:
    """After all that was sent to it the daemon ends as it should.

    Steps:
        Play the scripts of a configuration; tell the daemon to end.

    Verify:
        Status 0, which no connection that was left open allows, and nothing left behind.
    """
    fault = runs.fault(config)
    if fault:
        pytest.fail(fault, pytrace=False)
