# SPDX-License-Identifier: BSD-3-Clause
"""Frames that nobody wants, at a steady pace, from the side of the peers."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dts.framework.lab import CLI_IFACE, ROOT, SRV_ADDR, SRV_IFACE, Lab
from dts.framework.leatd import RESP_PORT

FOREIGN_MAC = "02:00:00:00:66:66"  # nobody's: the frames come, and are another host's
_SOURCES = "198.18.0.0/15"
_STOP_S = 5.0


def binary() -> Path:
    """Find the sender.

    Returns:
        $LEAT_FLOOD, or the one beside the daemon that is under test.
    """
    leatd = Path(os.environ.get("LEATD", ROOT / "build" / "app" / "leatd" / "leatd"))
    return Path(os.environ.get("LEAT_FLOOD", leatd.parents[2] / "test" / "flood" / "leat-flood"))


def srv_mac(lab: Lab) -> str:
    """Read the MAC address of the daemon's interface.

    Args:
        lab: The lab.

    Returns:
        The address.
    """
    argv = lab.srv_command("cat", f"/sys/class/net/{SRV_IFACE}/address")
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()


@dataclass(frozen=True)
class Flood:
    """What to send.

    Attributes:
        mac: To whom.
        kind: What the frames are, as leat-flood names it.
        rate: Frames per second.
        seconds: For how long.
        dst: To which address.
        sources: From which network.
        port: To which port.
    """

    mac: str
    kind: str = "syn"
    rate: int = 100_000
    seconds: int = 1
    dst: str = SRV_ADDR
    sources: str = _SOURCES
    port: int = RESP_PORT

    def argv(self, lab: Lab) -> list[str]:
        """Build the command line.

        Args:
            lab: The lab.

        Returns:
            The whole command line.
        """
        what = ["--iface", CLI_IFACE, "--mac", self.mac, "--kind", self.kind, "--dst", self.dst]
        what += ["--sources", self.sources, "--port", str(self.port), "--rate", str(self.rate)]
        return lab.cli_command(str(binary()), *what, "--seconds", str(self.seconds))

    def run(self, lab: Lab) -> int:
        """Send all of it.

        Args:
            lab: The lab.

        Returns:
            Frames that were sent.
        """
        with self.under_way(lab) as sent:
            pass
        return sent[0]

    @contextlib.contextmanager
    def under_way(self, lab: Lab) -> Iterator[list[int]]:
        """Send while a with block runs, which is over before the flood is.

        Args:
            lab: The lab.

        Yields:
            What will hold the number of frames that were sent, when the flood is over.
        """
        process = subprocess.Popen(self.argv(lab), stdout=subprocess.PIPE)
        sent: list[int] = []
        try:
            yield sent
            said, _ = process.communicate(timeout=self.seconds + _STOP_S)
            assert process.returncode == 0
            sent.append(int(json.loads(said)["sent"]))
        finally:
            process.kill()
            process.wait()
