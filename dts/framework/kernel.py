# SPDX-License-Identifier: BSD-3-Clause
"""Linux as the server of a lab, in the place of the daemon."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dts.framework.lab import ROOT, SRV_IFACE, Lab


@contextmanager
def serve_by_kernel(
    lab: Lab, addrs: list[str], listens: list[str], sysctls: dict[str, str], log: Path
) -> Iterator[None]:
    """Run the oracle for the length of a with block.

    Args:
        lab: Where to run; it is up.
        addrs: The server's addresses with their prefix lengths.
        listens: ADDRESS,PORT,KIND of each listener.
        sysctls: Settings of the namespace below net.
        log: Where its output goes.

    Yields:
        Nothing; the server answers.
    """
    settings = [f"net.{name}={value}" for name, value in sysctls.items()]
    subprocess.run(
        lab.srv_command("sysctl", "-qw", f"net.ipv6.conf.{SRV_IFACE}.disable_ipv6=0", *settings),
        check=True,
    )
    subprocess.run(["ip", "-n", lab.srv, "link", "set", SRV_IFACE, "arp", "on"], check=True)
    for addr in addrs:
        argv = ["ip", "-n", lab.srv, "address", "replace", addr, "dev", SRV_IFACE]
        subprocess.run([*argv, "nodad"] if ":" in addr else argv, check=True)
    program = [sys.executable, "-B", "-m", "dts.framework.kernel_server"]
    with log.open("wb") as errors:
        process = subprocess.Popen(
            lab.srv_command(*program, *listens),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=ROOT,
        )
    try:
        assert process.stdout is not None
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"the oracle does not start:\n{log.read_text()}")
        yield
    finally:
        process.kill()
        process.communicate()
