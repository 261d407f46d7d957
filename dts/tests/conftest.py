# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures that all suites share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from dts.framework.lab import Lab
from dts.framework.leatd import Leatd, LeatdConf, af_port
from dts.framework.node import NodeScripts
from dts.framework.relay import RelayLab
from dts.framework.run import serve


@pytest.fixture(scope="session")
def lab() -> Iterator[Lab]:
    """The lab of this run of the tests, removed at its end."""
    if os.geteuid() != 0:
        pytest.exit("the end-to-end tests make network namespaces: run them as root", 1)
    one = Lab(os.environ.get("DTS_LAB", "dts"))
    one.up()
    yield one
    one.down()


@pytest.fixture(scope="session")
def relay_lab(lab: Lab) -> Iterator[RelayLab]:
    """The lab with a bad link, made when the first test asks for it."""
    one = RelayLab(f"{lab.instance[:15]}r")
    one.up()
    yield one
    one.down()


@pytest.fixture(scope="module")
def leatd(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Leatd]:
    """The daemon on AF_PACKET, one run a suite: captured, judged and cleaned up after."""
    suite = request.module.__name__.rpartition("TestSuite_")[2]
    with serve(lab, LeatdConf(port=af_port("net_af_packet")), suite) as one:
        yield one


@pytest.fixture(scope="session")
def node_scripts(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> NodeScripts:
    """Clients that Node runs; their tests are skipped where npm cannot fetch them."""
    return NodeScripts(lab, tmp_path_factory.mktemp("node"))
