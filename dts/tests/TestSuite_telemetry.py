# SPDX-License-Identifier: BSD-3-Clause
"""What the daemon tells of itself: connections, counters, and the flight recorder."""

from __future__ import annotations

import resource
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dts.framework.lab import CLI_ADDR, CLI_IFACE, SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.records import assert_is_sound, exchange, records, reset, tshark, wait_for
from dts.framework.resp import encode
from dts.framework.run import serve
from dts.framework.telemetry import Telemetry

NB_MANY = 600  # more than one page of any size
ANSWER_MAX_S = 1.0
FILE_MAX_S = 5.0
VALUE_LEN = 1 << 20
INTERVAL_S = 1.0


@pytest.fixture(scope="module")
def record_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the flight records of this suite go; the daemon makes it."""
    return tmp_path_factory.mktemp("telemetry") / "records"


@pytest.fixture(scope="module")
def served(lab: Lab, record_dir: Path) -> Iterator[Leatd]:
    """The daemon with a directory for its records."""
    conf = LeatdConf(port=af_port("net_af_packet"), record_dir=str(record_dir))
    with serve(lab, conf, "telemetry") as one:
        yield one


@pytest.fixture
def telemetry(served: Leatd) -> Iterator[Telemetry]:
    """A client of the daemon's socket."""
    with Telemetry(served) as one:
        yield one


@contextmanager
def connections(lab: Lab, nb: int, port: int = RESP_PORT) -> Iterator[list[socket.socket]]:
    """Hold connections open for the length of a with block.

    Args:
        lab: The lab.
        nb: How many.
        port: To which port.

    Yields:
        The sockets.
    """
    with ExitStack() as stack:
        yield [stack.enter_context(lab.connect(port)) for _ in range(nb)]


def settle(telemetry: Telemetry, nb: int) -> None:
    """Wait until the last ACKs of handshakes have been seen, and old connections are gone.

    Args:
        telemetry: A client of the daemon's socket.
        nb: How many connections are open.
    """

    def now() -> tuple[int, int]:
        values = telemetry.ask("/leat/stats")["now"]
        return values["nb_conns"], values["nb_half_open"]

    wait_for(lambda: now() == (nb, 0), 5)
    assert now() == (nb, 0)


def acked(telemetry: Telemetry, sock: socket.socket) -> int:
    """Ask how much of what it sent the daemon knows to have arrived.

    Args:
        telemetry: A client of the daemon's socket.
        sock: The peer's end.

    Returns:
        Bytes.
    """
    (conn,) = telemetry.conns(f"port={sock.getsockname()[1]}")
    return int(conn["bytes_acked"])


def name_of(sock: socket.socket) -> str:
    """Write the peer's end as the daemon does.

    Args:
        sock: The socket of the peer.

    Returns:
        Address and port.
    """
    return "{}:{}".format(*sock.getsockname()[:2])


def test_the_usertool_of_dpdk_asks(telemetry: Telemetry) -> None:
    """DPDK's own client finds the socket by the file prefix.

    Steps:
        Pipe a command into dpdk-telemetry.py.

    Verify:
        Its answer is there.
    """
    prefix = Path(telemetry.path).parent.name
    done = subprocess.run(
        ["/usr/bin/python3", "/usr/bin/dpdk-telemetry.py", "-f", prefix],
        input="/leat/stats,nb_turns\n",
        capture_output=True,
        text=True,
        timeout=10,
        check=False,
    )
    assert '"worker0/worker"' in done.stdout, done


def test_connections_are_those_of_the_peer(lab: Lab, telemetry: Telemetry) -> None:
    """What the daemon lists is what Linux has at the other end.

    Steps:
        Open connections to both ports; let some have text to be read; ask both sides.

    Verify:
        The same ends, all established, with the right protocol and sane numbers.
    """
    with connections(lab, 12) as resp, connections(lab, 5, HTTP_PORT) as http:
        for sock in resp:
            assert exchange(sock, "PING") == b"+PONG\r\n"
        settle(telemetry, 17)
        conns = telemetry.conns("state=established")
        ss = lab.run("ss", "-tniH", "state", "established", "dst", SRV_ADDR).stdout.decode()
        linux = {tuple(line.split()[2:4]) for line in ss.splitlines() if line[:1].isdigit()}
        assert {(conn["peer"], conn["local"]) for conn in conns} == linux
        by_peer = {conn["peer"]: conn for conn in conns}
        assert len(by_peer) == 17
        for sock in resp:
            assert by_peer[name_of(sock)]["protocol"] == "resp"
            assert by_peer[name_of(sock)]["srtt_us"] > 0
            assert by_peer[name_of(sock)]["bytes_received"] == len(encode("PING"))
            assert wait_for(lambda: acked(telemetry, sock) == len("+PONG\r\n"), 5)
        for sock in http:
            assert by_peer[name_of(sock)]["protocol"] == "http"
        for conn in conns:
            assert conn["port"] == "p0"
            assert conn["worker"] == 0
            assert conn["cwnd"] >= 10 * 536
            assert conn["rto_us"] >= 200_000
            assert conn["idle_ms"] <= conn["age_ms"] < 60_000
            assert conn["unacked"] == conn["queued"] == conn["unread"] == 0
    assert wait_for(lambda: not telemetry.conns("state=established"), 5)


def test_text_that_waits_is_told(lab: Lab, telemetry: Telemetry) -> None:
    """A peer that does not read is seen.

    Steps:
        Ask for a megabyte and read nothing.

    Verify:
        Its connection has text queued, and the peer's window is closed or nearly so.
    """
    with connections(lab, 1) as (sock,):
        value = "v" * VALUE_LEN
        assert exchange(sock, "SET", "telemetry:value", value) == b"+OK\r\n"
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for _ in range(4):
            sock.sendall(encode("GET", "telemetry:value"))
        peer = name_of(sock)
        found = wait_for(
            lambda: [c for c in telemetry.conns(f"port={peer.split(':')[1]}") if c["queued"]], 5
        )
        assert isinstance(found, list)
        assert found[0]["peer"] == peer
        reset(sock)


def test_a_long_list_comes_in_pages(lab: Lab, telemetry: Telemetry) -> None:
    """More connections than fit into any answer.

    Steps:
        Open 600 connections, walk through the pages.

    Verify:
        Several pages, none over the limits, each connection exactly once.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    with connections(lab, NB_MANY) as socks:
        settle(telemetry, NB_MANY)
        pages = list(telemetry.pages("/leat/conn", "conns", "state=established"))
        assert len(pages) > 1
        assert all(len(page) <= 512 for page in pages)
        told = [conn["peer"] for page in pages for conn in page.values()]
        assert len(told) == NB_MANY
        assert set(told) == {name_of(sock) for sock in socks}
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_walk_loses_none_when_others_come_and_go(lab: Lab, telemetry: Telemetry) -> None:
    """Pages are stable.

    Steps:
        Open 200 connections; between pages close others and open new ones.

    Verify:
        Each that lived all the time is told exactly once.
    """
    with connections(lab, 100) as first, connections(lab, 100) as others:
        with connections(lab, 100) as last:
            settle(telemetry, 300)
            told: list[str] = []
            for i, page in enumerate(telemetry.pages("/leat/conn", "conns")):
                told += [conn["peer"] for conn in page.values()]
                others.pop().close()
                others.insert(0, lab.connect(RESP_PORT))
                assert i < 100
            for sock in first + last:
                assert told.count(name_of(sock)) == 1
            for sock in others:
                sock.close()


def test_filters(lab: Lab, telemetry: Telemetry) -> None:
    """Each term of the filter, and what is none.

    Steps:
        Open connections to both ports and ask with filters.

    Verify:
        Those that match and no other; a sentence for what is no filter.
    """
    with connections(lab, 3) as resp, connections(lab, 2, HTTP_PORT):
        settle(telemetry, 5)
        assert len(telemetry.conns("protocol=http,state=established")) == 2
        assert len(telemetry.conns(f"port={RESP_PORT},state=ESTABLISHED")) == 3
        port = resp[0].getsockname()[1]
        assert [c["peer"] for c in telemetry.conns(f"port={port}")] == [name_of(resp[0])]
        assert len(telemetry.conns(f"peer={CLI_ADDR},state=established")) == 5
        assert len(telemetry.conns("peer=10.77.0.0/24,state=established")) == 5
        assert telemetry.conns("peer=10.78.0.0/16") == []
        assert len(telemetry.conns(f"local={SRV_ADDR},state=established")) == 5
        assert telemetry.conns("peer=fd77::/16") == []
        for wrong in ("established", "port=0", "peer=10.77.0", "colour=red"):
            assert "is not a filter" in telemetry.ask(f"/leat/conn,0,{wrong}")["error"]
        for kind, word in (("state", "establshed"), ("protocol", "rsp")):
            error = telemetry.ask(f"/leat/conn,0,{kind}={word}")["error"]
            assert f"there is no {kind} '{word}'" in error
        assert "START" in telemetry.ask("/leat/conn,first")["error"]


def test_time_wait_is_listed(lab: Lab, telemetry: Telemetry) -> None:
    """A connection that the daemon closed first waits, and is told with the time that is left.

    Steps:
        QUIT: the daemon ends the connection.

    Verify:
        It is in TIME-WAIT.
    """
    with connections(lab, 1) as (sock,):
        peer = name_of(sock)
        assert exchange(sock, "QUIT") == b"+OK\r\n"
        assert sock.recv(1) == b""
    found = wait_for(
        lambda: [c for c in telemetry.conns("state=time-wait") if c["peer"] == peer], 5
    )
    assert isinstance(found, list)
    assert 0 < found[0]["left_ms"] <= 30_000


def test_counters_move(lab: Lab, telemetry: Telemetry) -> None:
    """Counters by name.

    Steps:
        Read sums, one source and one counter before and after ten requests.

    Verify:
        They grow by what was sent; the sums are those of the sources.
    """
    before = telemetry.ask("/leat/stats")
    with connections(lab, 2) as socks:
        for _ in range(5):
            for sock in socks:
                exchange(sock, "PING")
        settle(telemetry, 2)
        after = telemetry.ask("/leat/stats")
        assert after["now"]["nb_conns"] == 2
    assert after["command"]["nb_commands"] - before["command"]["nb_commands"] == 10
    assert after["inet"]["tcp_opens_passive"] - before["inet"]["tcp_opens_passive"] == 2
    assert after["inet"]["rx_tcp_segs"] - before["inet"]["rx_tcp_segs"] >= 14
    assert telemetry.ask("/leat/stats,tcp_opens_passive") == {
        "worker0/p0/inet": after["inet"]["tcp_opens_passive"]
    }
    assert set(telemetry.ask("/leat/stats,worker0")) == {"worker", "session", "command"}
    stack = telemetry.ask("/leat/stats,worker0/p0")
    assert set(stack) == {
        *("inet", "now", "tcp_pool", "dpdk"),
        *("offload_promised", "offload_used", "offload_given_up"),
        *("offload_used6", "offload_given_up6"),
    }
    assert "there is no" in telemetry.ask("/leat/stats,nonsense")["error"]


def test_pool_of_the_engine_and_offloads(lab: Lab, telemetry: Telemetry) -> None:
    """What connections in motion have lent, and what the device does for the stack.

    Steps:
        Let a client get a reply, then read both.

    Verify:
        All records are back, a reply took at least one, none was missing; of a device that
        keeps its promises those are used that were promised, and none was given up.
    """
    with connections(lab, 1) as socks:
        exchange(socks[0], "PING")
        settle(telemetry, 1)
        stats = telemetry.ask("/leat/stats")
    pool = stats["tcp_pool"]
    assert pool["records_free"] == pool["records"] > pool["records_low"] > 0
    assert pool["reass_free"] == pool["reass"] > 0
    assert pool["records_dry"] == pool["reass_dry"] == 0
    assert set(stats["offload_used"]) == set(stats["offload_promised"])
    for offload, used in stats["offload_used"].items():
        assert used <= stats["offload_promised"][offload], offload
    assert not any(stats["offload_given_up"].values())


def test_pools_and_neighbours(lab: Lab, telemetry: Telemetry) -> None:
    """Packet buffers, and who is on the link.

    Steps:
        Ask, with a connection open.

    Verify:
        Pools with sizes; the peer with the MAC address of its interface.
    """
    with connections(lab, 1):
        pools = telemetry.ask("/leat/pools")
        assert pools["memory"]["used_bytes"] <= pools["memory"]["total_bytes"]
        assert pools["pools"]
        for pool in pools["pools"].values():
            assert 0 <= pool["in_use"] <= pool["size"]
        pages = list(telemetry.pages("/leat/neighbours", "neighbours"))
        link = lab.run("cat", f"/sys/class/net/{CLI_IFACE}/address").stdout.decode().strip()
        found = [n for page in pages for n in page.values() if n["addr"] == CLI_ADDR]
        assert [(n["mac"], n["state"]) for n in found] == [(link, "REACHABLE")]


def test_an_idle_worker_answers_soon(telemetry: Telemetry) -> None:
    """Asking wakes nobody who would take long.

    Steps:
        Ask a worker that sleeps, twenty times.

    Verify:
        Each answer within a second, however busy this machine is.
    """
    for _ in range(20):
        begin = time.monotonic()
        telemetry.ask("/leat/conn,0")
        assert time.monotonic() - begin < ANSWER_MAX_S


def test_a_record_on_demand_has_the_conversation(lab: Lab, telemetry: Telemetry) -> None:
    """The flight recorder into a file, when asked.

    Steps:
        A connection opens, asks, closes; ask for the record.

    Verify:
        tshark reads it without complaint; handshake, text and end are there with their classes,
        in the order of time; no text is.
    """
    with connections(lab, 1) as (sock,):
        port = str(sock.getsockname()[1])
        assert exchange(sock, "SET", "telemetry:secret", "hushhush") == b"+OK\r\n"
    assert wait_for(lambda: not telemetry.conns(f"port={port},state=established"), 5)
    answer = telemetry.ask("/leat/record")
    path = Path(answer["file"])
    assert_is_sound(path)
    assert answer["segments"] == len(tshark(path, "frame.number"))
    rows = tshark(
        path, "frame.comment", "tcp.flags", "tcp.len", "frame.time_epoch",
        display=f"tcp.port == {port}",
    )
    assert [row[0] for row in rows[:3]] == ["new"] * 3
    assert [int(row[1], 16) & 0x12 for row in rows[:3]] == [0x02, 0x12, 0x10]
    assert {row[0] for row in rows} == {"new", "established", "closing"}
    assert sum(int(row[2]) > 0 for row in rows) == 2
    times = [float(row[3]) for row in rows]
    assert times == sorted(times)
    assert abs(times[-1] - time.time()) < 60
    assert b"hushhush" not in path.read_bytes()
    assert b"telemetry:secret" not in path.read_bytes()


def test_a_record_of_one_class(lab: Lab, telemetry: Telemetry) -> None:
    """Only what was asked for.

    Steps:
        Ask for handshakes; for a class that there is not.

    Verify:
        All packets are of the class; a sentence; no two files have one name.
    """
    with connections(lab, 3):
        path = Path(telemetry.ask("/leat/record,new")["file"])
        again = Path(telemetry.ask("/leat/record,new")["file"])
    assert path != again
    assert_is_sound(path)
    assert {row[0] for row in tshark(path, "frame.comment")} == {"new"}
    assert "is no class" in telemetry.ask("/leat/record,old")["error"]


def test_a_peer_that_resets_in_mid_reply_is_recorded(
    lab: Lab, served: Leatd, telemetry: Telemetry, record_dir: Path
) -> None:
    """A bad end is recorded by itself.

    Steps:
        A peer asks for a megabyte, reads a little, and resets.

    Verify:
        A record with its handshake, text and RST; the log names the file.
    """
    time.sleep(2 * INTERVAL_S)  # of what a test before this one has left
    old = records(record_dir, "reset")
    with connections(lab, 1) as (sock,):
        port = sock.getsockname()[1]
        assert exchange(sock, "SET", "telemetry:value", "v" * VALUE_LEN) == b"+OK\r\n"
        exchange(sock, "GET", "telemetry:value")
        reset(sock)
    assert wait_for(lambda: len(records(record_dir, "reset")) > len(old), FILE_MAX_S)
    path = next(p for p in records(record_dir, "reset") if p not in old)
    assert wait_for(lambda: f"recorded in {path}" in served.text(), FILE_MAX_S)
    assert_is_sound(path)
    rows = tshark(path, "tcp.flags", "tcp.len", display=f"tcp.port == {port}")
    flags = [int(row[0], 16) for row in rows]
    assert flags[0] & 0x02
    assert any(flag & 0x04 for flag in flags)
    assert any(int(row[1]) > 1000 for row in rows)
    assert telemetry.ask("/leat/stats")["inet"]["record_frozen"] > 0


def test_many_bad_ends_make_few_files(lab: Lab, telemetry: Telemetry, record_dir: Path) -> None:
    """Records that nobody asked for come one a second at most.

    Steps:
        Thirty connections reset at once.

    Verify:
        A few files and a count of the ends that have none.
    """
    time.sleep(2 * INTERVAL_S)
    old = len(records(record_dir, "reset"))
    skipped = telemetry.ask("/leat/stats")["inet"]["record_skipped"]
    begin = time.monotonic()
    for _ in range(30):
        reset(lab.connect(RESP_PORT))
    assert wait_for(lambda: len(records(record_dir, "reset")) > old, FILE_MAX_S)
    nb = len(records(record_dir, "reset")) - old
    assert nb <= (time.monotonic() - begin) / INTERVAL_S + 1
    assert telemetry.ask("/leat/stats")["inet"]["record_skipped"] > skipped
