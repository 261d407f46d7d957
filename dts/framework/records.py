# SPDX-License-Identifier: BSD-3-Clause
"""Flight records: waiting for them, and reading them with tshark."""

from __future__ import annotations

import socket
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from dts.framework.resp import encode


def wait_for(what: Callable[[], object], timeout_s: float) -> object:
    """Wait until something is there.

    Args:
        what: Gives it, or something false.
        timeout_s: How long at most.

    Returns:
        What it gave last.
    """
    deadline = time.monotonic() + timeout_s
    while not (found := what()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def exchange(sock: socket.socket, *args: str) -> bytes:
    """Send a request and read the first piece of its reply.

    Args:
        sock: A connection to the RESP port.
        args: The command.

    Returns:
        What came.
    """
    sock.sendall(encode(*args))
    return sock.recv(4096)


def reset(sock: socket.socket) -> None:
    """Close with RST.

    Args:
        sock: The connection.
    """
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def tshark(path: Path, *fields: str, display: str = "") -> list[list[str]]:
    """Read a record.

    Args:
        path: The file.
        fields: Which fields.
        display: Which packets; "" for all.

    Returns:
        The fields of each packet.
    """
    argv = ["tshark", "-r", str(path), "-T", "fields", "-E", "separator=|"]
    for field in fields:
        argv += ["-e", field]
    if display:
        argv += ["-Y", display]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    noise = [line for line in done.stderr.splitlines() if "Running as user" not in line]
    assert not noise, noise
    return [line.split("|") for line in done.stdout.splitlines()]


def assert_is_sound(path: Path) -> None:
    """Check that tshark finds nothing wrong with a record.

    Args:
        path: The file.
    """
    assert tshark(path, "frame.number"), "it is empty"
    assert not tshark(path, "frame.number", display="_ws.malformed || _ws.expert.severity >= error")
    for length, captured in tshark(path, "frame.len", "frame.cap_len"):
        assert int(captured) <= int(length)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def records(directory: Path, reason: str) -> list[Path]:
    """List the records that nobody asked for.

    Args:
        directory: Where they are.
        reason: Why they were written.

    Returns:
        The files that are whole, oldest first.
    """
    return sorted(p for p in directory.glob(f"*-{reason}.pcapng") if p.stat().st_size > 0)
