# SPDX-License-Identifier: BSD-3-Clause
"""Redis itself, in the lab: what the daemon answers must be what it answers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dts.framework.lab import Lab

REDIS_ADDR = "127.0.0.1"
REDIS_PORT = 16379
_START_MAX_S = 10.0
# Debian's redis-tools has the server under another name; as a service it is not installed.
_PROGRAM = "/usr/bin/redis-check-rdb"


@contextmanager
def redis_server(lab: Lab, path: Path, *options: str) -> Iterator[None]:
    """Run Redis on the loopback interface of the peers for the length of a with block.

    Args:
        lab: Where to run; it is up.
        path: An empty directory.
        options: More options.

    Yields:
        Nothing; it answers.
    """
    server = path / "redis-server"
    server.symlink_to(_PROGRAM)
    argv = lab.cli_command(str(server), "--port", str(REDIS_PORT), "--bind", REDIS_ADDR)
    with (path / "log").open("wb") as log:
        process = subprocess.Popen([*argv, "--save", "", *options], stdout=log, cwd=path)
    try:
        _wait(lab, path / "log")
        yield
    finally:
        process.terminate()
        process.wait()


def _wait(lab: Lab, log: Path) -> None:
    deadline = time.monotonic() + _START_MAX_S
    while True:
        try:
            lab.connect(REDIS_PORT, REDIS_ADDR).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
