# SPDX-License-Identifier: BSD-3-Clause
"""A capture of all that passes between the daemon and its peer."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from pathlib import Path

_START_S = 10.0
_STOP_S = 20.0
_SETTLE_S = 0.2  # the kernel hands a block of packets over at most this late
_BUFFER_MB = 128


class Capture:
    """dumpcap on the peer's interface.

    Attributes:
        path: The file.
        nb_dropped: Packets that the capture lost, known after stop().
        snap_len: Bytes kept of each packet, 0 for all.
    """

    def __init__(self, command: list[str], iface: str, path: Path, snap_len: int = 0) -> None:
        """Start to capture; returns when the capture runs.

        Args:
            command: What to put before a command to run it in the right namespace.
            iface: The interface.
            path: Where to write.
            snap_len: Bytes to keep of each packet, 0 for all.
        """
        self.path = path
        self.snap_len = snap_len
        self.nb_dropped = 0
        self._log = path.with_suffix(".log")
        argv = [*command, "dumpcap", "-q", "-i", iface, "-w", str(path), "-B", str(_BUFFER_MB)]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*argv, "-s", str(snap_len)], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        deadline = time.monotonic() + _START_S
        while "File: " not in self._log.read_text():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                raise RuntimeError(f"dumpcap does not start: {self._log.read_text()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop and read how many packets were lost."""
        time.sleep(_SETTLE_S)
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_STOP_S)
        finally:
            self._process.kill()
            self._process.wait()
        lost = re.search(r"received/dropped on interface .*?: \d+/(\d+)", self._log.read_text())
        self.nb_dropped = int(lost.group(1)) if lost else 0
