# SPDX-License-Identifier: BSD-3-Clause
"""One run of the daemon, captured, and judged when it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dts.framework.capture import Capture
from dts.framework.lab import ROOT, Lab
from dts.framework.leatd import Leatd, LeatdConf
from dts.framework.leftovers import leftovers
from dts.framework.oracle import judge

SNAP_LEN_LOAD = 128  # enough for every header of a load too large to be kept whole


def out_dir() -> Path:
    """Find where captures and logs go.

    Returns:
        $DTS_OUT, or "build/dts"; it exists.
    """
    path = Path(os.environ.get("DTS_OUT", ROOT / "build" / "dts"))
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def serve(
    lab: Lab,
    conf: LeatdConf,
    name: str,
    snap_len: int = 0,
    on_ready: Callable[[], None] | None = None,
    clean_link: bool = True,
    sequences: bool = True,
) -> Iterator[Leatd]:
    """Run the daemon for the length of a with block.

    Args:
        lab: Where to run; it is up.
        conf: How to run.
        name: What to call the files of this run.
        snap_len: Bytes of each packet to capture, 0 for all.
        on_ready: Called before the capture starts, when the peer's interface is the daemon's work;
            without it the capture sees the first packet.
        clean_link: The link loses nothing.
        sequences: What the peers send has numbers that make sense.

    Yields:
        The daemon, ready.

    Raises:
        AssertionError: When the block has ended: the daemon did not end with status 0, tshark
            found fault with what it sent, or it left something behind.
    """
    path = out_dir() / f"{name}.pcapng"
    leatd = Leatd(lab, conf, path.with_name(f"{name}.leatd"))

    def start_capture() -> Capture:
        return Capture(*lab.capture_at(), path, snap_len)

    capture = start_capture() if on_ready is None else None
    try:
        leatd.start()
        if on_ready is not None:
            on_ready()
            capture = start_capture()
        yield leatd
        status = leatd.stop()
    finally:
        leatd.kill()
        if capture is not None:
            capture.stop()
    assert capture is not None
    began = time.monotonic()
    verdict = judge(
        path, capture.nb_dropped, snap_len == 0, clean_link=clean_link, sequences=sequences
    )
    print(f"{name}: {verdict.text()} (judged in {time.monotonic() - began:.1f} s)")
    _check_end(lab, leatd, name, status)
    assert verdict.nb_packets > 0, f"{name}: the capture has nothing of the daemon"
    assert not verdict.faults, f"{name}: {verdict.text()}\nsee {path}"
    if snap_len > 0:
        path.unlink()  # hundreds of megabytes that have told all that they know


@contextmanager
def serve_unseen(lab: Lab, conf: LeatdConf, name: str) -> Iterator[Leatd]:
    """Run the daemon without a capture, which would cost more than what is measured.

    Args:
        lab: Where to run; it is up.
        conf: How to run.
        name: What to call the files of this run.

    Yields:
        The daemon, ready.

    Raises:
        AssertionError: When the block has ended: the daemon did not end with status 0, or it left
            something behind.
    """
    leatd = Leatd(lab, conf, out_dir() / f"{name}.leatd")
    try:
        leatd.start()
        yield leatd
        status = leatd.stop()
    finally:
        leatd.kill()
    _check_end(lab, leatd, name, status)


def _check_end(lab: Lab, leatd: Leatd, name: str, status: int) -> None:
    assert status == 0, f"{name}: leatd ended with {status}:\n{leatd.text()}"
    left = leftovers(lab, leatd.pid)
    assert not left, f"{name}: left behind: {left}"
