# SPDX-License-Identifier: BSD-3-Clause
"""What one run of the daemon has left behind on the machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from dts.framework.lab import SRV_IFACE, Lab

_DIRS = ("/run/dpdk", "/run/leat", "/dev/hugepages", "/dev/shm", "/tmp", "/var/tmp")


def leftovers(lab: Lab, pid: int) -> list[str]:
    """List what a daemon that has ended should have removed.

    Its files carry its process id behind a "-" or the like, so that daemons of others on the
    machine, and files that other programs number, are no concern here.

    Args:
        lab: Where it ran.
        pid: Its process id.

    Returns:
        Paths, interfaces and XDP programs, sorted; none is right.
    """
    mine = re.compile(rf"(?<![0-9A-Za-z]){pid}(?!\d)")
    found = []
    for directory in {Path(name) for name in _DIRS} | _huge_dirs():
        if directory.is_dir():
            found += [str(path) for path in directory.iterdir() if mine.search(path.name)]
    show = ["ip", "-o", "-n", lab.srv, "link", "show"]
    for line in subprocess.run(show, capture_output=True, text=True, check=True).stdout.splitlines():
        name = line.split(": ")[1].partition("@")[0]
        if name not in ("lo", SRV_IFACE):
            found.append(f"interface {name}")
        if re.search(r"\bxdp", line):
            found.append(f"XDP program on {name}")
    return sorted(found)


def _huge_dirs() -> set[Path]:
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    return {Path(mount[1]) for mount in mounts if mount[2] == "hugetlbfs"}
