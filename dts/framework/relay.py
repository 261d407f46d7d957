# SPDX-License-Identifier: BSD-3-Clause
"""A bad link: three namespaces, and leat-relay in the middle one."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dts.framework.lab import CLI_ADDR, CLI_ADDR6, CLI_IFACE, ROOT, SRV_ADDR, SRV_IFACE, Lab
from dts.framework.leatd import RESP_PORT

CONGESTION = "cubic"  # what leat uses, whatever the kernel would choose
_CLI_SIDE = "relay0"
_SRV_SIDE = "relay1"
_START_S = 15.0
_STOP_S = 10.0
_POLL_S = 0.02
_NB_RING_FRAMES = 4096  # the driver's 512 are over in the time that another process may run


def binary() -> Path:
    """Find the relay.

    Returns:
        $LEAT_RELAY, or the one beside the daemon that is under test.
    """
    leatd = Path(os.environ.get("LEATD", ROOT / "build" / "app" / "leatd" / "leatd"))
    default = leatd.parents[2] / "test" / "relay" / "leat-relay"
    return Path(os.environ.get("LEAT_RELAY", default))


class RelayLab(Lab):
    """A lab whose two ends are joined by the relay; it is dark until one runs.

    Attributes:
        rly: The namespace of the relay.
    """

    def __init__(self, instance: str) -> None:
        """Name a lab; nothing is made yet.

        Args:
            instance: Up to 16 lower-case letters and digits.
        """
        super().__init__(instance)
        self.rly = f"leat-{instance}-rly"

    def up(self) -> None:
        """Make the lab afresh, whatever a killed run has left of it."""
        self.down()
        for namespace in (self.srv, self.rly, self.cli):
            _run("ip", "netns", "add", namespace)
            quiet = [f"net.ipv6.conf.{which}.disable_ipv6=1" for which in ("all", "default")]
            _run("ip", "netns", "exec", namespace, "sysctl", "-eqw", *quiet)
        one_queue = ["numrxqueues", "1", "numtxqueues", "1"]
        for end, iface, side in (
            (self.cli, CLI_IFACE, _CLI_SIDE),
            (self.srv, SRV_IFACE, _SRV_SIDE),
        ):
            peer = ["peer", "name", side, "netns", self.rly, *one_queue]
            _run("ip", "-n", end, "link", "add", iface, *one_queue, "type", "veth", *peer)
            for namespace, one in ((end, iface), (self.rly, side)):
                offloads = ["tx", "off", "tso", "off", "gso", "off", "gro", "off"]
                _run("ip", "netns", "exec", namespace, "ethtool", "-K", one, *offloads)
        # Whoever has no address and no ARP is silent: the relay's ends, and leat's.
        for namespace, one in (
            (self.rly, _CLI_SIDE),
            (self.rly, _SRV_SIDE),
            (self.srv, SRV_IFACE),
        ):
            _run("ip", "-n", namespace, "link", "set", one, "arp", "off", "up")
        _run("ip", "-n", self.cli, "link", "set", "lo", "up")
        _run("ip", "-n", self.cli, "link", "set", CLI_IFACE, "up")
        _address(self.cli, CLI_IFACE, CLI_ADDR)

    def down(self) -> None:
        """Remove the lab and nothing else."""
        for namespace in (self.srv, self.rly, self.cli):
            if Path(f"/run/netns/{namespace}").exists():
                _run("ip", "netns", "delete", namespace)

    def capture_at(self) -> tuple[list[str], str]:
        """Say where a capture sees what the daemon sends before the link has done its work.

        Returns:
            The side of the relay that the daemon is on; the daemon's own end hides what it sends.
        """
        return ["ip", "netns", "exec", self.rly], _SRV_SIDE

    def set_mtu(self, mtu: int) -> None:
        """Set the MTU of both links.

        Args:
            mtu: Bytes of the largest IP packet.
        """
        for namespace, iface in (
            (self.cli, CLI_IFACE),
            (self.rly, _CLI_SIDE),
            (self.rly, _SRV_SIDE),
            (self.srv, SRV_IFACE),
        ):
            _run("ip", "-n", namespace, "link", "set", iface, "mtu", str(mtu))

    @contextlib.contextmanager
    def ipv6(self) -> Iterator[None]:
        """Let the client speak IPv6 as well; else it is silent, and each frame can be foretold.

        Yields:
            Nothing.
        """

        def set_off(off: int) -> None:
            conf = f"net.ipv6.conf.{CLI_IFACE}"
            keys = [f"{conf}.router_solicitations=0", f"{conf}.disable_ipv6={off}"]
            _run("ip", "netns", "exec", self.cli, "sysctl", "-eqw", *keys)

        set_off(0)
        try:
            _address(self.cli, CLI_IFACE, CLI_ADDR6)
            yield
        finally:
            set_off(1)  # takes the address along

    @contextlib.contextmanager
    def linux_server(self, log: Path) -> Iterator[None]:
        """Let Linux' TCP serve in the daemon's place: redis-server on the same address and port.

        Args:
            log: Where it writes.

        Yields:
            Nothing; it answers to whoever is beside it, the relay may not run yet.
        """
        # Debian's redis-tools has the server under another name; as a service it is not installed.
        server = log.with_name(f"{log.name}-redis-server")
        server.unlink(missing_ok=True)
        server.symlink_to("/usr/bin/redis-check-rdb")
        _run("ip", "-n", self.srv, "link", "set", "lo", "up")
        _run("ip", "-n", self.srv, "link", "set", SRV_IFACE, "arp", "on")
        _address(self.srv, SRV_IFACE, SRV_ADDR)
        argv = self.srv_command(str(server), "--port", str(RESP_PORT), "--bind", SRV_ADDR)
        argv += ["--protected-mode", "no"]
        with log.open("wb") as out:
            process = subprocess.Popen([*argv, "--save", ""], stdout=out, cwd=log.parent)
        try:
            deadline = time.monotonic() + _START_S
            while "Ready to accept" not in log.read_text():
                assert process.poll() is None and time.monotonic() < deadline, log.read_text()
                time.sleep(_POLL_S)
            yield
        finally:
            process.terminate()
            process.wait()
            server.unlink()
            _run("ip", "-n", self.srv, "link", "set", SRV_IFACE, "arp", "off")
            _run("ip", "-n", self.srv, "address", "flush", "dev", SRV_IFACE)


@dataclass(frozen=True)
class Link:
    """How bad the link is.

    Attributes:
        up: Figures from the client to the server.
        down: Figures from the server to the client.
        seed: What the losses follow from.
        vlan: Of the tag on the server's side, 0 for none.
    """

    up: str
    down: str
    seed: int = 1
    vlan: int = 0


@dataclass
class Counters:
    """What the relay did; empty while it runs.

    Attributes:
        up: From the client to the server.
        down: From the server to the client.
    """

    up: dict[str, int] = field(default_factory=dict)
    down: dict[str, int] = field(default_factory=dict)


@contextlib.contextmanager
def relay(lab: RelayLab, link: Link, log: Path) -> Iterator[Counters]:
    """Join the two ends for the length of a with block.

    Args:
        lab: Where to run; it is up.
        link: How bad it is.
        log: Where the relay's output goes.

    Yields:
        The counters, filled when the block has ended.

    Raises:
        RuntimeError: It does not start, or does not end as it should.
    """
    args = []
    for side, iface in (("a", _CLI_SIDE), ("b", _SRV_SIDE)):
        # Past the queueing discipline captures would not see what the relay sends.
        ring = f"framecnt={_NB_RING_FRAMES},qdisc_bypass=0"
        args += [f"--{side}", f"net_af_packet_{side},iface={iface},{ring}"]
    args += ["--a-to-b", link.up, "--b-to-a", link.down, "--seed", str(link.seed)]
    if link.vlan:
        args += ["--vlan-b", str(link.vlan)]
    argv = ["ip", "netns", "exec", lab.rly, str(binary()), *args]
    with log.open("wb") as out:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True
        )
    counters = Counters()
    try:
        deadline = time.monotonic() + _START_S
        while "ready" not in log.read_text().splitlines():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the relay does not start:\n{log.read_text()}")
            time.sleep(_POLL_S)
        yield counters
        process.send_signal(signal.SIGTERM)
        if process.wait(_STOP_S) != 0:
            raise RuntimeError(f"the relay ended with {process.returncode}:\n{log.read_text()}")
        said = json.loads(log.read_text().splitlines()[-1])
        counters.up, counters.down = said["a_to_b"], said["b_to_a"]
    finally:
        process.kill()
        process.wait()


def _address(namespace: str, iface: str, addr: str) -> None:
    """Give an interface its address; the route says which congestion control is used on it."""
    is_ipv6 = ":" in addr
    subnet = f"{addr.rpartition(':')[0]}:/64" if is_ipv6 else f"{addr.rpartition('.')[0]}.0/24"
    family, more = ("-6", ["nodad"]) if is_ipv6 else ("-4", [])
    own = [f"{addr}/{subnet.rpartition('/')[2]}", "dev", iface, "noprefixroute", *more]
    _run("ip", "-n", namespace, "address", "add", *own)
    route = [subnet, "dev", iface, "src", addr, "congctl", CONGESTION]
    _run("ip", family, "-n", namespace, "route", "add", *route)


def _run(*argv: str) -> None:
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(argv)}: {done.stdout.decode(errors='replace')}")
