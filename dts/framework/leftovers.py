# SPDX-License-Identifier: BSD-3-Clause
"""What the daemon may leave on a machine, and what it did leave."""

from __future__ import annotations

from pathlib import Path

_DIRS = ("/run/dpdk", "/dev/hugepages", "/dev/shm", "/run/leat", "/run/netns", "/tmp")
_NAMES = ("leat", "rte")
_HUGE_FILE = "map_"


def snapshot(exclude: str = "leat-dts") -> set[str]:
    """List all that could be of leat's making.

    Args:
        exclude: Names that begin so belong to the tests themselves.

    Returns:
        Paths, and the network interfaces of the host.
    """
    found: set[str] = set()
    for directory in _huge_dirs() | {Path(name) for name in _DIRS}:
        if not directory.is_dir():
            continue
        for path in directory.iterdir():
            ours = path.name.startswith(_NAMES) or _HUGE_FILE in path.name
            if directory == Path("/run/dpdk") or ours:
                found.add(str(path))
    found |= {f"interface {path.name}" for path in Path("/sys/class/net").iterdir()}
    return {name for name in found if exclude not in name}


def _huge_dirs() -> set[Path]:
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    return {Path(mount[1]) for mount in mounts if mount[2] == "hugetlbfs"}
