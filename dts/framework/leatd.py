# SPDX-License-Identifier: BSD-3-Clause
"""The daemon as a child process."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from dts.framework.lab import ROOT, SRV_ADDR, SRV_IFACE, Lab

READY_LINE = "ready"
READY_MAX_S = 20.0
DRAIN_MAX_S = 10.0
RESP_PORT = 6379
HTTP_PORT = 8080
_POLL_S = 0.01


def binary() -> Path:
    """Find the daemon that is under test.

    Returns:
        $LEATD, or the one of the build directory "build".
    """
    return Path(os.environ.get("LEATD", ROOT / "build" / "app" / "leatd" / "leatd"))


def port_option(device: str, addr: str = f"{SRV_ADDR}/24", vdev_args: str = "") -> str:
    """Write the value of --port.

    Args:
        device: A PCI address or the name of a vdev.
        addr: Address and prefix length.
        vdev_args: What the vdev itself takes, "iface=leat0" for example.

    Returns:
        The value.
    """
    option = f"p0,dev={device},addr={addr}"
    return f"{option};{vdev_args}" if vdev_args else option


def af_port(driver: str) -> str:
    """Write the value of --port for a driver that binds to the lab's interface.

    Args:
        driver: net_af_packet or net_af_xdp.

    Returns:
        The value.
    """
    return port_option(f"{driver}0", vdev_args=f"iface={SRV_IFACE}")


@dataclass
class LeatdConf:
    """How to start the daemon.

    Attributes:
        port: The value of --port.
        huge: Use hugepages.
        extra: More arguments.
        record_dir: Where flight records go, or "none".
        env: Variables of its environment beside ours, as NAME=VALUE.
    """

    port: str
    huge: bool = False
    extra: list[str] = field(default_factory=list)
    record_dir: str = "none"
    env: list[str] = field(default_factory=list)

    def argv(self) -> list[str]:
        """Build the command line.

        Returns:
            The arguments, the program first.
        """
        argv = ["env", *self.env] if self.env else []  # it becomes the program
        argv += [str(binary()), "--port", self.port, "--record-dir", self.record_dir]
        for protocol, port in (("resp", RESP_PORT), ("http", HTTP_PORT)):
            argv += ["--listen", f"{protocol},dpdk,{SRV_ADDR},{port}"]
        return argv + ([] if self.huge else ["--no-huge"]) + self.extra


class Leatd:
    """One run of the daemon.

    Attributes:
        log: The file with all that it said.
    """

    def __init__(self, lab: Lab, conf: LeatdConf, log: Path) -> None:
        """Prepare a run; nothing is started yet.

        Args:
            lab: Where to run.
            conf: How to run.
            log: Where its output goes.
        """
        self.log = log
        self._argv = lab.srv_command(*conf.argv())
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process id while it runs."""
        assert self._process is not None
        return self._process.pid

    def text(self) -> str:
        """Read what it has said so far.

        Returns:
            Both of its outputs in one.
        """
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def start(self) -> None:
        """Start it and wait until it says that it is ready.

        Raises:
            RuntimeError: It ended, or said nothing in time; the text has what it said.
        """
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                self._argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # an interrupt from the keyboard is for us to handle
            )
        deadline = time.monotonic() + READY_MAX_S
        try:
            while READY_LINE not in self.text().splitlines():
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"leatd is not ready:\n{self.text()}")
                time.sleep(_POLL_S)
        except BaseException:  # also when whoever waits is told to end
            self.kill()
            raise

    def signal(self, number: int) -> None:
        """Send a signal.

        Args:
            number: The signal.
        """
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, timeout_s: float = DRAIN_MAX_S) -> int:
        """Wait for its end.

        Args:
            timeout_s: How long at most.

        Returns:
            The exit status, negative when a signal ended it.
        """
        assert self._process is not None
        return self._process.wait(timeout_s)

    def is_running(self) -> bool:
        """Tell whether it runs.

        Returns:
            False when it was never started or has ended.
        """
        return self._process is not None and self._process.poll() is None

    def stop(self) -> int:
        """Ask it to end, as an operator does.

        Returns:
            The exit status; a daemon that does not end in time is killed and gives -SIGKILL.
        """
        if self.is_running():
            self.signal(signal.SIGTERM)
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            return -signal.SIGKILL

    def kill(self) -> None:
        """End it at once; nothing when it has ended."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def cpu_s(self) -> float:
        """Read how much processor time all of its threads have used.

        Returns:
            Seconds of user and system time.
        """
        # The scheduler's own count, in nanoseconds: ticks do not see who sleeps in between them.
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def run_to_end(lab: Lab, argv: list[str], timeout_s: float = 5) -> tuple[int, str, float]:
    """Run the daemon with arguments that let it end by itself.

    Args:
        lab: Where to run.
        argv: The program and its arguments.
        timeout_s: It is killed, and the test fails, after this time.

    Returns:
        Exit status, all that it said, and seconds that it took.
    """
    begin = time.monotonic()
    done = subprocess.run(
        lab.srv_command(*argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout_s,
        check=False,
    )
    return done.returncode, done.stdout.decode(errors="replace"), time.monotonic() - begin
