#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reserve 2 MiB hugepages for a while and give back exactly what was added.

hugepages.py reserve NAME COUNT    exit status 3: the machine cannot give them
hugepages.py release NAME

What was added under NAME is remembered in /run/leat-lab/hugepages-NAME, so that a release after a
kill, or in another shell, still gives back the right number and never a page of somebody else.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from pathlib import Path

PAGE_DIR = Path("/sys/kernel/mm/hugepages/hugepages-2048kB")
STATE_DIR = Path("/run/leat-lab")
CANNOT = 3


def _state(name: str) -> Path:
    return STATE_DIR / f"hugepages-{name}"


def _nr_pages() -> int:
    return int((PAGE_DIR / "nr_hugepages").read_text())


def _set_nr_pages(count: int) -> None:
    (PAGE_DIR / "nr_hugepages").write_text(str(count))


def _is_mounted() -> bool:
    """Tell whether a hugetlbfs of 2 MiB pages is mounted anywhere."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, _, fs_type, options = line.split()[:4]
        if fs_type == "hugetlbfs" and "pagesize=1" not in options:  # "1G" or "1024M"
            return True
    return False


def reserve(name: str, count: int) -> bool:
    """Add pages and, when there is none, a mount point.

    Args:
        name: Who reserves; one reservation a name.
        count: Pages to add to those that the machine has.

    Returns:
        Whether the machine gave all of them; if not, nothing has changed.
    """
    release(name)
    try:
        before = _nr_pages()
        _set_nr_pages(before + count)
    except OSError as error:
        print(f"hugepages: cannot be had here ({error})")
        return False
    added = _nr_pages() - before
    if added < count:
        _set_nr_pages(before)
        print(f"hugepages: the machine has {added} of {count} free pages of 2 MiB, none taken")
        return False
    mount_dir = ""
    STATE_DIR.mkdir(exist_ok=True)
    if not _is_mounted():
        mount_dir = str(STATE_DIR / f"hugetlbfs-{name}")
        Path(mount_dir).mkdir(exist_ok=True)
    _state(name).write_text(json.dumps({"added": added, "mount": mount_dir}))
    print(f"hugepages: {before} pages of 2 MiB before, {added} added ({added * 2} MiB)")
    if mount_dir:
        mount = ["mount", "-t", "hugetlbfs", "-o", "pagesize=2M", "leat", mount_dir]
        if subprocess.run(mount, check=False).returncode != 0:
            release(name)
            return False
        print(f"hugepages: mounted on {mount_dir}")
    return True


def release(name: str) -> None:
    """Give back what reserve() added under this name; nothing when there is nothing.

    Args:
        name: The name that was given to reserve().
    """
    state = _state(name)
    if not state.exists():
        return
    was = json.loads(state.read_text())
    if was["mount"]:
        subprocess.run(["umount", was["mount"]], check=False, capture_output=True)
        Path(was["mount"]).rmdir()
    now = _nr_pages()
    _set_nr_pages(max(0, now - was["added"]))
    state.unlink()
    with contextlib.suppress(OSError):  # others of ours may still be in it
        STATE_DIR.rmdir()
    print(f"hugepages: {was['added']} given back, {_nr_pages()} pages of 2 MiB remain")


def main(argv: list[str]) -> int:
    """Run one command.

    Args:
        argv: The arguments without the program's name.

    Returns:
        The exit status.
    """
    match argv:
        case ["reserve", name, count] if re.fullmatch(r"[a-z0-9-]+", name) and count.isdigit():
            return 0 if reserve(name, int(count)) else CANNOT
        case ["release", name] if re.fullmatch(r"[a-z0-9-]+", name):
            release(name)
            return 0
    print("usage: hugepages.py reserve NAME COUNT | release NAME", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
