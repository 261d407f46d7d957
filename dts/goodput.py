# SPDX-License-Identifier: BSD-3-Clause
"""Goodput over the same bad link: leat to Linux beside Linux to Linux.

Run it as root from the top of the tree: /usr/bin/python3 -m dts.goodput --help
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.priority import ahead_of_others
from dts.framework.relay import Link, RelayLab, relay
from dts.framework.run import out_dir
from dts.framework.transfer import fetch_values, send_values

VALUE_LEN = 1 << 20
STALL_MAX_S = 120.0
DIRECTIONS = ("up", "down")
LEATD_EXTRA = ["--store-memory", "128"]


@dataclass
class Goodput:
    """What the rounds gave.

    Attributes:
        rates: Of each end, "leat" or "linux", and each direction: Mbit/s, round by round.
        notes: What makes a round doubtful.
    """

    rates: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def median(self, end: str, direction: str) -> float:
        """Take the median of the rounds.

        Args:
            end: "leat" or "linux".
            direction: "up" or "down".

        Returns:
            Mbit/s.
        """
        return statistics.median(self.rates[end, direction])

    def share(self, direction: str) -> float:
        """Compare the medians.

        Args:
            direction: "up" or "down".

        Returns:
            leat's part of Linux' goodput.
        """
        return self.median("leat", direction) / self.median("linux", direction)

    def table(self) -> str:
        """Draw it.

        Returns:
            Lines of text.
        """
        lines = []
        for direction in DIRECTIONS:
            for end in ("linux", "leat"):
                rates = " ".join(f"{rate:7.1f}" for rate in self.rates[end, direction])
                lines.append(
                    f"{direction:4} {end:5} median {self.median(end, direction):7.1f} Mbit/s"
                    f"   rounds {rates}"
                )
            lines.append(f"{direction:4} leat has {self.share(direction):.0%} of Linux' goodput")
        return "\n".join(lines + self.notes)


@contextlib.contextmanager
def _server(lab: RelayLab, end: str, path: Path) -> Iterator[None]:
    if end == "linux":
        with lab.linux_server(path):
            yield
        return
    leatd = Leatd(lab, LeatdConf(port=af_port("net_af_packet"), extra=LEATD_EXTRA), path)
    try:
        leatd.start()
        yield
        assert leatd.stop() == 0, leatd.text()
    finally:
        leatd.kill()


def measure(lab: RelayLab, figures: str, nb_values: int, nb_rounds: int, seed: int) -> Goodput:
    """Measure both ends in turns, each round with a seed of its own.

    Args:
        lab: Where to run; it is up.
        figures: Of both directions of the link.
        nb_values: Mebibytes each way.
        nb_rounds: How many rounds.
        seed: Of the first round.

    Returns:
        What came out.
    """
    goodput = Goodput({(end, way): [] for end in ("linux", "leat") for way in DIRECTIONS})
    mbits = nb_values * VALUE_LEN * 8 / 1e6
    for idx in range(nb_rounds):
        for end in ("linux", "leat"):
            path = out_dir() / f"goodput-{end}.log"
            link = Link(figures, figures, seed + idx)
            with relay(lab, link, path.with_suffix(".relay")) as counters, _server(lab, end, path):
                for direction, move in (("up", send_values), ("down", fetch_values)):
                    sock = lab.connect(RESP_PORT, timeout_s=STALL_MAX_S)
                    took_s = move(sock, nb_values, VALUE_LEN)
                    sock.close()
                    goodput.rates[end, direction].append(mbits / took_s)
                    print(f"round {idx} {end} {direction} {mbits / took_s:.1f}", flush=True)
            missed = counters.up["missed"] + counters.down["missed"]
            if missed > 0:
                goodput.notes.append(f"round {idx}, {end}: the relay missed {missed} frames")
    return goodput


def main() -> int:
    """Measure, and print the table.

    Returns:
        The exit status.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", default="loss=0.01,reorder=0.01,delay=1ms,rate=25M,queue=256k")
    parser.add_argument("--mib", type=int, default=16, help="each way")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lab", default="goodput", help="name of the lab")
    args = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("it makes network namespaces: run it as root")
    lab = RelayLab(args.lab)
    lab.up()
    try:
        with ahead_of_others():
            print(measure(lab, args.figures, args.mib, args.rounds, args.seed).table())
    finally:
        lab.down()
    return 0


if __name__ == "__main__":
    sys.exit(main())
