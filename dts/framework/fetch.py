# SPDX-License-Identifier: BSD-3-Clause
"""What Debian does not install for us, and a script of ours fetches into the cache."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from dts.framework.lab import ROOT


def fetched(script: str) -> Path:
    """Find what a script fetches; the test is skipped where there is no network for it.

    Args:
        script: Its name in scripts; it prints a path.

    Returns:
        That path.
    """
    done = subprocess.run([ROOT / "scripts" / script], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(done.stderr.strip().rpartition("\n")[2])
    return Path(done.stdout.strip())
