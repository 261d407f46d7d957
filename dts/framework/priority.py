# SPDX-License-Identifier: BSD-3-Clause
"""Rates are those of what is measured, whatever else the machine does."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def ahead_of_others() -> Iterator[None]:
    """Run this process, and what it starts meanwhile, before all ordinary ones.

    Yields:
        Nothing. Where the machine does not allow it, everybody takes turns.
    """
    policy, param = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, policy, param)
