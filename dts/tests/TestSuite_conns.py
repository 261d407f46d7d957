# SPDX-License-Identifier: BSD-3-Clause
"""Very many connections: they take what memory was said, and nothing is left of them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dts.framework.lab import SRV_IFACE, Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, port_option
from dts.framework.many import crowd
from dts.framework.priority import ahead_of_others
from dts.framework.resp import RespClient, Status
from dts.framework.run import serve_unseen
from dts.framework.telemetry import Telemetry

NB_PROCESSES = 8
NB_EACH = 12_500
CONNS_MAX = 110_000
MEMORY_MB = 768
CONN_LEN_MAX = 512
GONE_MAX_S = 20.0
ANSWER_MAX_S = 1.0


def _rss(leatd: Leatd) -> int:
    status = Path(f"/proc/{leatd.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found.group(1)) << 10


def _printed(leatd: Leatd, what: str) -> int:
    found = re.search(rf"^memory: - {what}\b.* (\d+) bytes$", leatd.text(), re.MULTILINE)
    assert found is not None, leatd.text()
    return int(found.group(1))


@pytest.fixture
def cookies() -> str:
    """When SYNs are answered by cookies, where a test does not say otherwise."""
    return "auto"


@pytest.fixture
def roomy(lab: Lab, cookies: str) -> Iterator[Leatd]:
    """A daemon with room for 110,000 connections, for each test its own."""
    room = ["--conns-max", str(CONNS_MAX), "--memory", str(MEMORY_MB), "--syn-cookies", cookies]
    # A reset that is lost is not sent again, so none may be.
    port = port_option("net_af_packet0", vdev_args=f"iface={SRV_IFACE},framecnt=8192")
    with ahead_of_others():
        with serve_unseen(lab, LeatdConf(port=port, extra=room), "conns") as one:
            yield one


@pytest.fixture
def telemetry(roomy: Leatd) -> Iterator[Telemetry]:
    """What the daemon tells of itself."""
    one = Telemetry(roomy)
    yield one
    one.close()


# In this order: Linux keeps the ports of connections that it has closed for a minute.
@pytest.mark.parametrize(
    ("cookies", "end"), [("always", "reset"), ("auto", "reset"), ("auto", "close")]
)
def test_very_many_connections(lab: Lab, roomy: Leatd, telemetry: Telemetry, end: str) -> None:
    """All get in, all are answered, and all go without a trace.

    Steps:
        Open 100,000 connections from several processes and addresses; PING
        on each; leave them idle; close or reset them.

    Verify:
        Each succeeds; memory is what the daemon printed at its start; a new client is
        answered while they idle; all counters are back to zero afterwards.
    """
    each = _printed(roomy, "an idle connection") + _printed(roomy, "one session")
    memory = telemetry.ask("/leat/pools")["memory"]
    rss = _rss(roomy)
    begin = time.monotonic()
    with crowd(lab, NB_PROCESSES, NB_EACH, RESP_PORT) as many:
        print(f"{many.nb} connections in {time.monotonic() - begin:.1f} s")
        many.tell("ping")
        assert telemetry.stats()["now"]["nb_conns"] == many.nb
        grown = _rss(roomy) - rss
        print(f"memory: {grown} bytes more in use, {each} printed for a connection")
        assert grown < many.nb * each * 1.1 + (8 << 20)
        assert telemetry.ask("/leat/pools")["memory"] == memory
        time.sleep(1)
        began = time.monotonic()
        client = RespClient(lab.connect(RESP_PORT))
        assert client.command("PING") == Status("PONG")
        client.close()
        assert time.monotonic() - began < ANSWER_MAX_S
        begin = time.monotonic()
        many.tell(end)
        assert telemetry.conns_left(GONE_MAX_S) == {}
        print(f"{end}: nothing left after {time.monotonic() - begin:.1f} s")


def test_idle_connection_is_small(roomy: Leatd) -> None:
    """What an idle established connection takes, its place in the index included.

    Steps:
        Read what the daemon prints at its start.

    Verify:
        At most 512 bytes.
    """
    assert _printed(roomy, "an idle connection") <= CONN_LEN_MAX
