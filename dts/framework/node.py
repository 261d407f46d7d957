# SPDX-License-Identifier: BSD-3-Clause
"""Clients that Node runs: the packages of dts/node, and scripts that try the daemon with them."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from dts.framework.fetch import fetched
from dts.framework.lab import ROOT, Lab

NODE = "/usr/bin/node"  # Debian's; another one on the PATH is not asked
SCRIPT_MAX_S = 60.0
_SCRIPTS = ROOT / "dts" / "node"


@dataclass(frozen=True)
class Outcome:
    """What came of one case of a script.

    Attributes:
        error: What went wrong; "" when nothing did.
        value: What the case tells about itself, such as counts.
    """

    error: str
    value: object


class NodeScripts:
    """The scripts beside the packages that they import, in a directory of this run."""

    def __init__(self, lab: Lab, path: Path) -> None:
        """Lay the directory out; the test is skipped where npm cannot fetch the packages.

        Args:
            lab: Where the scripts run.
            path: An empty directory.
        """
        modules = fetched("node-modules.sh")
        shutil.copytree(_SCRIPTS, path, dirs_exist_ok=True)
        (path / "node_modules").symlink_to(modules / "node_modules")
        self._lab = lab
        self._path = path

    def run(self, script: str, *args: str | int) -> dict[str, Outcome]:
        """Run all cases of a script on the side of the peers.

        Args:
            script: Its name in dts/node.
            args: What it takes.

        Returns:
            What came of each case, by its name.
        """
        argv = [NODE, str(self._path / script), *map(str, args)]
        done = self._lab.run(*argv, timeout_s=SCRIPT_MAX_S)
        outcomes = {}
        for line in done.stdout.splitlines():
            case = json.loads(line)
            outcomes[case["name"]] = Outcome(case["error"], case["value"])
        assert done.returncode == 0, f"{script} ended early:\n{done.stderr.decode()}"
        assert outcomes, f"{script} ran nothing:\n{done.stderr.decode()}"
        return outcomes
