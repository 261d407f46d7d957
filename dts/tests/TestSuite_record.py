# SPDX-License-Identifier: BSD-3-Clause
"""Flight records under conditions of their own: peers that vanish, few buffers, no room for files."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, LeatdConf, af_port
from dts.framework.records import assert_is_sound, exchange, records, reset, tshark, wait_for
from dts.framework.resp import RespClient, Status, encode
from dts.framework.run import serve
from dts.framework.telemetry import Telemetry
from dts.framework.vanish import host

INTERVAL_S = 1.0
STALL_MAX_S = 60.0
COPIED_LEN = 4000  # longer values are sent from where they lie, and take no buffers
NB_FIELDS = 20
NB_RETRIES = 3
SHUT_S = 0.6
DISK_LEN = 256 << 10
TELEMETRY_STRING_MAX = 127  # what the telemetry of DPDK takes of a string; a long path fills it
NO_ROOM = "No space left on device"


def test_a_peer_that_stalls_is_recorded(lab: Lab, tmp_path: Path) -> None:
    """A peer that takes nothing is ended where another goes without, and recorded.

    Steps:
        With few buffers, peers ask for many values that are copied into them, and read nothing.
        Another one asks for more than is left over for one reply, and reads it.

    Verify:
        It gets all of it; a record of a connection that was relieved, and segments of its class
        in it.
    """
    conf = LeatdConf(
        port=af_port("net_af_packet"),
        extra=["--tx-mbufs", "256", "--rx-mbufs", "256"],
        record_dir=str(tmp_path / "records"),
    )
    with serve(lab, conf, "telemetry-stall"), ExitStack() as stack:
        sock = stack.enter_context(lab.connect(RESP_PORT))
        assert exchange(sock, "SET", "telemetry:value", "v" * COPIED_LEN) == b"+OK\r\n"
        for number in range(NB_FIELDS):
            field = ("HSET", "telemetry:hash", f"field{number}", "v" * COPIED_LEN)
            assert exchange(sock, *field) == b":1\r\n"
        for _ in range(24):
            one = lab.open_socket()
            stack.enter_context(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            one.settimeout(5)
            one.connect((SRV_ADDR, RESP_PORT))
            one.sendall(encode("GET", "telemetry:value") * 500)
        sock.settimeout(STALL_MAX_S)
        sock.sendall(encode("HGETALL", "telemetry:hash"))
        nb_bytes = 0
        while nb_bytes < NB_FIELDS * COPIED_LEN:
            data = sock.recv(65536)
            assert data, "it is not the one to end"
            nb_bytes += len(data)
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


def _conf(tmp_path: Path, *more: str) -> LeatdConf:
    return LeatdConf(
        port=af_port("net_af_packet"), extra=list(more), record_dir=str(tmp_path / "records")
    )


def test_a_peer_that_vanishes_when_text_is_due_is_recorded(lab: Lab, tmp_path: Path) -> None:
    """Text that was sent again and again, and never acknowledged.

    Steps:
        A peer SUBSCRIBEs and vanishes; another one PUBLISHes.

    Verify:
        A record with the reason "timeout"; tshark reads the text and each time that it was sent
        again, as of a troubled connection; the log names connection and file.
    """
    conf = _conf(tmp_path, f"--retries={NB_RETRIES}")
    with host(lab, SRV_ADDR) as gone, serve(lab, conf, "record-timeout", clean_link=False) as leatd:
        client = gone.connect(RESP_PORT)
        assert client.command("SUBSCRIBE", "record") == [b"subscribe", b"record", 1]
        addr, port = client.sock.getsockname()
        gone.vanish()
        with lab.connect(RESP_PORT) as sock:
            assert exchange(sock, "PUBLISH", "record", "text") == b":1\r\n"
        found = wait_for(lambda: records(tmp_path / "records", "timeout"), STALL_MAX_S)
        assert isinstance(found, list) and len(found) == 1
        said = f"the connection of {SRV_ADDR} port {RESP_PORT} with {addr} port {port} ended"
        said += f" by timeout: recorded in {found[0]}"
        assert wait_for(lambda: said in leatd.text(), STALL_MAX_S)
    assert_is_sound(found[0])
    display = f"tcp.dstport == {port} && tcp.len > 0"
    sent = tshark(found[0], "frame.comment", "tcp.seq_raw", display=display)
    last = [comment for comment, seq in sent if seq == sent[-1][1]]
    assert len(last) >= 1 + NB_RETRIES
    assert last[-1] == "troubled"


def test_a_peer_that_vanishes_with_its_window_shut_is_recorded(lab: Lab, tmp_path: Path) -> None:
    """A stall: probes of a closed window that nobody answers.

    Steps:
        A peer asks for much, reads nothing until its window is shut, and vanishes.

    Verify:
        A record with the reason "stall"; tshark reads the peer's last window, of nothing, and the
        probes behind it.
    """
    conf = _conf(tmp_path, f"--retries={NB_RETRIES}")
    with host(lab, SRV_ADDR) as gone, serve(lab, conf, "record-stall", clean_link=False):
        with lab.connect(RESP_PORT) as sock:
            assert exchange(sock, "SET", "record", "v" * 100_000) == b"+OK\r\n"
        client = gone.connect(RESP_PORT, receive_len=4096)
        client.send("GET", "record")
        port = client.sock.getsockname()[1]
        time.sleep(SHUT_S)
        gone.vanish()
        found = wait_for(lambda: records(tmp_path / "records", "stall"), STALL_MAX_S)
        assert isinstance(found, list) and len(found) == 1
    assert_is_sound(found[0])
    rows = tshark(found[0], "tcp.srcport", "tcp.window_size_value", display=f"tcp.port == {port}")
    shut = max(i for i, (src, window) in enumerate(rows) if src == str(port))
    assert rows[shut][1] == "0"
    assert len(rows) - 1 - shut >= NB_RETRIES


@contextmanager
def _small_disk(path: Path) -> Iterator[Path]:
    """A disk for records, full but for a page; yields the file that takes the room."""
    path.mkdir(mode=0o700)
    options = f"size={DISK_LEN},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "leat-dts", str(path)], check=True)
    try:
        filler = path / "filler"
        filler.write_bytes(bytes(DISK_LEN - (8 << 10)))
        yield filler
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_full_disk(lab: Lab, tmp_path: Path) -> None:
    """A record that does not fit is none, and nobody but the log hears of it.

    Steps:
        A disk with room for a part of a record; peers reset connections; ask for a record; make
        room; a peer resets a connection.

    Verify:
        One sentence in the log that says why and where, however many connections; the same for who
        asked; no half file; clients are served meanwhile; the last one is recorded.
    """
    with _small_disk(tmp_path / "records") as filler:
        with serve(lab, _conf(tmp_path), "record-disk") as leatd, Telemetry(leatd) as telemetry:
            client = RespClient(lab.connect(RESP_PORT))
            for _ in range(200):  # a record of some ten thousand bytes
                assert client.command("PING") == Status("PONG")
            for _ in range(3):
                reset(lab.connect(RESP_PORT))
                time.sleep(1.5 * INTERVAL_S)
            said = [line for line in leatd.text().splitlines() if "cannot write" in line]
            assert len(said) == 1, leatd.text()
            where = f"cannot record connections that end badly: cannot write {tmp_path}/records/"
            assert where in said[0] and said[0].endswith(f"-reset.pcapng: {NO_ROOM}"), said[0]
            error = telemetry.ask("/leat/record")["error"]
            assert error.startswith(f"cannot write {tmp_path}/records/"), error
            assert error.endswith(NO_ROOM) or len(error) == TELEMETRY_STRING_MAX, error
            assert os.listdir(tmp_path / "records") == ["filler"]
            assert client.command("PING") == Status("PONG")
            filler.unlink()
            reset(lab.connect(RESP_PORT))
            found = wait_for(lambda: records(tmp_path / "records", "reset"), STALL_MAX_S)
            assert isinstance(found, list) and len(found) == 1
            said_now = f"recorded in {found[0]}"
            assert wait_for(lambda: said_now in leatd.text(), STALL_MAX_S)
            assert_is_sound(found[0])
            client.close()
