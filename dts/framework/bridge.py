# SPDX-License-Identifier: BSD-3-Clause
"""testpmd as the other end of a memif or a vhost socket: it forwards to the lab's veth."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from dts.framework.lab import SRV_IFACE, Lab

_START_S = 15.0
_STOP_S = 10.0
_MEMORY_MB = 96
_NB_MBUFS = 16384


@contextlib.contextmanager
def bridge(lab: Lab, vdev: str, log: Path) -> Iterator[None]:
    """Forward frames between a vdev and the veth, both ways, for the length of a with block.

    Args:
        lab: Where to run.
        vdev: The end that faces the daemon, "net_memif0,role=server,..." for example.
        log: Where the output goes.

    Yields:
        Nothing; the bridge forwards.
    """
    prefix = f"leat-{lab.instance}-bridge"
    eal = ["--no-pci", "--no-huge", "-m", str(_MEMORY_MB), "--no-telemetry", "-l", "0,1"]
    vdevs = ["--vdev", vdev, "--vdev", f"net_af_packet0,iface={SRV_IFACE}"]
    app = [f"--total-num-mbufs={_NB_MBUFS}", "--forward-mode=io"]
    app += ["--auto-start", "--disable-link-check"]  # the daemon is not there yet
    # Line by line, or the line that tells of the start would stay in a buffer.
    testpmd = ["stdbuf", "-oL", "dpdk-testpmd", "--file-prefix", prefix]
    argv = lab.srv_command(*testpmd, *eal, *vdevs, "--", *app)
    with log.open("wb") as out:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=out, stderr=out)
    try:
        deadline = time.monotonic() + _START_S
        while "Press enter to exit" not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"testpmd does not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)
        yield
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired, BrokenPipeError):
            process.communicate(b"\n", timeout=_STOP_S)
        process.kill()
        process.wait()
        shutil.rmtree(f"/run/dpdk/{prefix}", ignore_errors=True)  # testpmd leaves it
