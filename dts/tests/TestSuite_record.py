# SPDX-License-Identifier: BSD-3-Clause
"""Flight records under conditions of their own: few buffers, no directory, no recorder."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from pathlib import Path

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, LeatdConf, af_port
from dts.framework.records import assert_is_sound, exchange, records, reset, wait_for
from dts.framework.resp import encode
from dts.framework.run import serve
from dts.framework.telemetry import Telemetry

INTERVAL_S = 1.0
STALL_MAX_S = 60.0


def test_a_peer_that_stalls_is_recorded(lab: Lab, tmp_path: Path) -> None:
    """A peer that takes nothing while buffers run short is ended, and recorded.

    Steps:
        With few buffers, peers ask for much and read nothing until one of them is ended.

    Verify:
        A record of a connection that was relieved, and segments of its class in it.
    """
    conf = LeatdConf(
        port=af_port("net_af_packet"),
        extra=["--tx-mbufs", "256", "--rx-mbufs", "256"],
        record_dir=str(tmp_path / "records"),
    )
    with serve(lab, conf, "telemetry-stall"), ExitStack() as stack:
        sock = stack.enter_context(lab.connect(RESP_PORT))
        assert exchange(sock, "SET", "telemetry:value", "v" * 100_000) == b"+OK\r\n"
        for _ in range(24):
            one = lab.open_socket()
            stack.enter_context(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            one.settimeout(5)
            one.connect((SRV_ADDR, RESP_PORT))
            one.sendall(encode("GET", "telemetry:value") * 20)
        found = wait_for(lambda: records(tmp_path / "records", "relieved"), STALL_MAX_S)
        assert isinstance(found, list)
        assert found
        assert_is_sound(found[0])


def test_a_directory_that_cannot_be_written_to(lab: Lab) -> None:
    """Records are a luxury.

    Steps:
        A directory that cannot be made; reset connections, ask for a record, then a client.

    Verify:
        One sentence in the log, an error for who asked, and the client is served.
    """
    conf = LeatdConf(port=af_port("net_af_packet"), record_dir="/proc/leat-records")
    with serve(lab, conf, "telemetry-unwritable") as leatd, Telemetry(leatd) as telemetry:
        for _ in range(2):
            reset(lab.connect(RESP_PORT))
            time.sleep(1.5 * INTERVAL_S)
        assert "cannot write /proc/leat-records/" in telemetry.ask("/leat/record")["error"]
        assert leatd.text().count("cannot write /proc/leat-records/") == 1
        with lab.connect(RESP_PORT) as sock:
            assert exchange(sock, "PING") == b"+PONG\r\n"


def test_without_a_recorder(lab: Lab) -> None:
    """It can be turned off.

    Steps:
        Start with no segments; with no directory.

    Verify:
        A sentence that says what to set.
    """
    conf = LeatdConf(port=af_port("net_af_packet"), extra=["--record-segments", "0"])
    with serve(lab, conf, "telemetry-off") as leatd, Telemetry(leatd) as telemetry:
        assert "control: no flight records" in leatd.text()
        assert "record-segments" in telemetry.ask("/leat/record")["error"]
    conf = LeatdConf(port=af_port("net_af_packet"))
    with serve(lab, conf, "telemetry-none") as leatd, Telemetry(leatd) as telemetry:
        assert "record-dir" in telemetry.ask("/leat/record")["error"]
