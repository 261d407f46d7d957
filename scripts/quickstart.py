#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Build leat, serve a Redis and an HTTP client over a DPDK port, and leave nothing behind."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import hugepages  # noqa: E402
from dts.framework.lab import SRV_ADDR, Lab  # noqa: E402
from dts.framework.leatd import HTTP_PORT, Leatd, LeatdConf, af_port  # noqa: E402
from dts.framework.leftovers import leftovers  # noqa: E402

NAME = os.environ.get("LEAT_LAB", "quickstart")  # another lab does not disturb one that is kept
BUILD = ROOT / "build-quickstart"
LEATD = BUILD / "app" / "leatd" / "leatd"
STATE = Path(f"/run/leat-lab/{NAME}.json")
NB_HUGEPAGES = 288  # the default memory, 512 MiB, and what EAL needs for itself
STOP_MAX_S = 10.0
LIBRARY_TALK = ("libbpf: ", "libxdp: ")  # how they found their way; the log has it

URL = f"http://{SRV_ADDR}:{HTTP_PORT}"
# What a client types, and what the whole of its output has to look like.
DEMO = [
    (f"redis-cli -h {SRV_ADDR} PING", r"PONG\n"),
    (f"redis-cli -h {SRV_ADDR} SET greeting 'water on the mill'", r"OK\n"),
    (f"redis-cli -h {SRV_ADDR} GET greeting", r"water on the mill\n"),
    (f"redis-cli -h {SRV_ADDR} ZADD mills 1823 Otterton 1086 Sturminster", r"2\n"),
    (f"redis-cli -h {SRV_ADDR} ZSCORE mills Otterton", r"1823\n"),
    (f"curl -sS -i {URL}/health", r"HTTP/1\.1 200 [^\n]*\n([^\n]+\n)+\r\nok"),
    (f"curl -sS --data 'hello' {URL}/echo", r"hello"),
    (f"ping -c 2 -i 0.2 -s 1400 {SRV_ADDR}", r"(?s).* 2 received, 0% packet loss.*"),
]


def build() -> None:
    """Build the daemon; what is up to date is not built again.

    Raises:
        SystemExit: The build failed; what it said has been printed.
    """
    print(f"building in {BUILD.name}/", flush=True)
    commands = [["ninja", "-C", str(BUILD), "app/leatd/leatd"]]
    if not (BUILD / "build.ninja").exists():
        options = ["--buildtype=release", "-Dtests=disabled"]
        commands.insert(0, ["meson", "setup", str(BUILD), str(ROOT), *options])
    for argv in commands:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            said = done.stdout.decode(errors="replace")
            print(said[max(0, said.find("FAILED:")) :])
            raise SystemExit(f"{argv[0]} failed")


def start(lab: Lab) -> Leatd:
    """Start the daemon on the best driver that works here.

    Args:
        lab: Where to run; it is up.

    Returns:
        The daemon, ready.

    Raises:
        SystemExit: It starts on no driver; what it said has been printed.
    """
    huge = hugepages.reserve(NAME, NB_HUGEPAGES)
    if not huge:
        print("memory: without hugepages (--no-huge)")
    for driver, name in (("net_af_xdp", "AF_XDP"), ("net_af_packet", "AF_PACKET")):
        leatd = Leatd(lab, LeatdConf(port=af_port(driver), huge=huge), BUILD / "leatd.log")
        try:
            leatd.start()
        except RuntimeError as error:
            print(f"{name} cannot be had here: {error}")
            continue
        print(f"leatd runs on {name} in namespace {lab.srv}; its log is {leatd.log}:", flush=True)
        lines = [line for line in leatd.text().splitlines() if not line.startswith(LIBRARY_TALK)]
        print("".join(f"    {line}\n" for line in lines))
        return leatd
    raise SystemExit("leatd does not start")


def show(lab: Lab) -> bool:
    """Run the clients, visibly.

    Args:
        lab: Where the daemon serves.

    Returns:
        Whether every reply was right.
    """
    right = True
    for line, expected in DEMO:
        print(f"$ {line}", flush=True)
        done = lab.run(*shlex.split(line), timeout_s=15)
        said = (done.stdout + done.stderr).decode(errors="replace")
        print(said if said.endswith("\n") else f"{said}\n", end="", flush=True)
        if done.returncode != 0 or re.fullmatch(expected, said) is None:
            print("  ^ this is not the right reply")
            right = False
    return right


def print_how_to_play_on(lab: Lab, kept: bool) -> None:
    """Tell what else a person may try.

    Args:
        lab: Where the daemon serves.
        kept: It goes on serving.
    """
    inside = f"sudo ip netns exec {lab.cli}"
    again = "" if kept else " (after 'sudo ./scripts/quickstart.sh --keep')"
    print(f"\nto play on{again}:")
    print(f"    {inside} redis-cli -h {SRV_ADDR}")
    print(f"    {inside} curl -i {URL}/health")
    print(f"    {inside} redis-benchmark -h {SRV_ADDR} -t ping,set,get -P 16")
    print(f"    {inside} bash")
    if kept:
        print("to stop: sudo ./scripts/quickstart.sh --stop")


def _is_ours(pid: int) -> bool:
    """Tell whether a process is the daemon of this tree and not one that got its number."""
    try:
        return os.readlink(f"/proc/{pid}/exe").removesuffix(" (deleted)") == str(LEATD)
    except OSError:
        return False


def _wait_for_end(pid: int) -> bool:
    deadline = time.monotonic() + STOP_MAX_S
    while _is_ours(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not _is_ours(pid)


def stop() -> None:
    """End what a run with --keep, or one that was killed, has left; nothing when there is none."""
    if STATE.exists():
        pid = int(json.loads(STATE.read_text())["pid"])
        if _is_ours(pid):
            print(f"stopping leatd, process {pid}", flush=True)
            os.kill(pid, signal.SIGTERM)
            if not _wait_for_end(pid):
                os.kill(pid, signal.SIGKILL)
                _wait_for_end(pid)
        STATE.unlink()
    Lab(NAME).down()
    hugepages.release(NAME)
    with contextlib.suppress(OSError):  # others of ours may still be in it
        STATE.parent.rmdir()


def remember(leatd: Leatd) -> None:
    """Note the daemon, so that stop() finds it.

    Args:
        leatd: The daemon.
    """
    STATE.parent.mkdir(exist_ok=True)
    STATE.write_text(json.dumps({"pid": leatd.pid}))


def run(keep: bool) -> int:
    """Serve, show, and clean up.

    Args:
        keep: Go on serving at the end, if all went well.

    Returns:
        The exit status.
    """
    lab = Lab(NAME)
    stop()
    build()
    kept = False
    try:
        lab.up()
        print(f"lab: namespaces {lab.srv} and {lab.cli}, joined by a veth pair", flush=True)
        leatd = start(lab)
        remember(leatd)
        right = show(lab)
        kept = keep and right
        print_how_to_play_on(lab, kept)
        if kept:
            return 0
        status = leatd.stop()
        left = leftovers(lab, leatd.pid)
        if status != 0 or left:
            print(f"leatd ended with status {status} and left {left or 'nothing'}")
            right = False
        return 0 if right else 1
    finally:
        if not kept:
            stop()
            print("all that was made has been removed", flush=True)


def main() -> int:
    """Do what the command line says.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(prog="quickstart.sh", description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--keep", action="store_true", help="go on serving")
    what.add_argument("--stop", action="store_true", help="stop what --keep has started")
    args = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))  # through the clean-up
    os.environ["LEATD"] = str(LEATD)
    if args.stop:
        stop()
        return 0
    return run(args.keep)


if __name__ == "__main__":
    sys.exit(main())
