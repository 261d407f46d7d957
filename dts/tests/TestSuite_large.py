# SPDX-License-Identifier: BSD-3-Clause
"""Large values leave by reference: many at once, whatever becomes of their keys meanwhile."""

from __future__ import annotations

import re
import resource
import selectors
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from dts.framework.lab import Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.records import wait_for
from dts.framework.resp import RespClient, Status, encode
from dts.framework.run import SNAP_LEN_LOAD, serve
from dts.framework.telemetry import Telemetry
from dts.framework.transfer import value

MIB = 1 << 20
LARGE_LEN = 16 * MIB
NB_LARGE = 4  # values
FILE_LEN = 64 * MIB
NB_FILE_READERS = 4
NB_READERS = 16
NB_SLOW = 1000
NB_PIPELINED = 90  # requests of each slow reader
NB_UNREAD = 50  # of so many two read in the end; for all it would take minutes
PIPELINED_LEN = 4096  # the shortest value that is sent from where it lies
PING_MAX_S = 0.5
TRANSFER_MAX_S = 120.0
TEXT_SHARE_MAX = 0.5
SLOW_RCVBUF = 4096
WAIT_S = 5.0
MEMORY = ["--memory", "512", "--store-memory", "192", "--request-max", str(32 * MIB)]


@pytest.fixture
def served(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Leatd]:
    """A daemon for each test: by AF_PACKET frames are of pieces, by AF_XDP text is copied last."""
    conf = LeatdConf(port=af_port(request.param), extra=MEMORY)
    name = request.node.name.partition("[")[0].removeprefix("test_")
    # acknowledgments of many streams wait for each other, so that a tail is probed now and then
    log = f"large-{name}-{request.param}"
    with serve(lab, conf, log, SNAP_LEN_LOAD, clean_link=False) as one:
        yield one


def set_value(client: RespClient, key: str, data: bytes) -> None:
    """Store a value.

    Args:
        client: Who asks.
        key: The key.
        data: The value.
    """
    client.sock.settimeout(TRANSFER_MAX_S)
    assert client.command("SET", key, data) == Status("OK")


def used_memory(client: RespClient) -> int:
    """Read what the store holds.

    Args:
        client: Who asks.

    Returns:
        Bytes.
    """
    info = client.command("INFO", "memory")
    assert isinstance(info, bytes)
    found = re.search(rb"^used_memory:(\d+)", info, re.MULTILINE)
    assert found is not None, info
    return int(found.group(1))


def wait_for_memory(client: RespClient, wanted: int) -> None:
    """Wait until the store holds no more than it did.

    Args:
        client: Who asks.
        wanted: Bytes.
    """
    deadline = time.monotonic() + WAIT_S
    while (used := used_memory(client)) > wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    assert used <= wanted


def assert_nothing_left(telemetry: Telemetry) -> None:
    """Wait until nothing is left of any connection.

    Args:
        telemetry: A client of the daemon's socket.
    """
    left = telemetry.conns_left(WAIT_S)
    left.pop("leat0_rx", None)  # net_af_xdp's own, for frames that are still to come
    assert left == {}


def slow_connect(lab: Lab) -> socket.socket:
    """Open a connection with hardly any room to receive.

    Args:
        lab: Where.

    Returns:
        The connection.
    """
    sock = lab.open_socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_RCVBUF)
    sock.settimeout(WAIT_S)
    sock.connect(("10.77.0.1", RESP_PORT))
    return sock


def read_all(socks: list[socket.socket], nb_bytes: int, glance: Callable[[], None]) -> list[bytes]:
    """Read so much from each connection, from all of them at once.

    Args:
        socks: The connections.
        nb_bytes: To read from each.
        glance: Called now and then.

    Returns:
        What came, by connection.
    """
    got = [bytearray() for _ in socks]
    deadline = time.monotonic() + TRANSFER_MAX_S
    nb_reads = 0
    with selectors.EpollSelector() as selector:
        for idx, sock in enumerate(socks):
            selector.register(sock, selectors.EVENT_READ, idx)
        while selector.get_map():
            assert time.monotonic() < deadline, [len(one) for one in got]
            for key, _ in selector.select(1.0):
                one = got[key.data]
                data = key.fileobj.recv(min(MIB, nb_bytes - len(one)))  # type: ignore[union-attr]
                assert data, f"connection {key.data} ended after {len(one)} bytes"
                one += data
                if len(one) == nb_bytes:
                    selector.unregister(key.fileobj)
                nb_reads += 1
                if nb_reads % 200 == 0:
                    glance()
    return [bytes(one) for one in got]


def bulk(data: bytes) -> bytes:
    """Write a bulk string.

    Args:
        data: The string.

    Returns:
        The reply of a GET.
    """
    return b"$%d\r\n%s\r\n" % (len(data), data)


@pytest.mark.parametrize("served", ["net_af_packet", "net_af_xdp"], indirect=True)
def test_many_large_values_at_once(lab: Lab, served: Leatd) -> None:
    """Sixteen peers ask for 16 MiB each, at the same time.

    Steps:
        Store four values of 16 MiB; ask for them from sixteen connections, then read all.

    Verify:
        Every byte arrives, no connection is aborted, the packet buffers of text are hardly used,
        and nothing is left of it in the end.
    """
    client = RespClient(lab.connect(RESP_PORT))
    before = used_memory(client)
    values = [value(idx, LARGE_LEN) for idx in range(NB_LARGE)]
    for idx, data in enumerate(values):
        set_value(client, f"large:{idx}", data)
    most = 0.0
    with Telemetry(served) as telemetry, ExitStack() as stack:

        def glance() -> None:
            nonlocal most
            for name, pool in telemetry.ask("/leat/pools")["pools"].items():
                if name.endswith("_text"):
                    most = max(most, pool["in_use"] / pool["size"])

        socks = [stack.enter_context(lab.connect(RESP_PORT)) for _ in range(NB_READERS)]
        began = time.monotonic()
        for idx, sock in enumerate(socks):
            sock.sendall(encode("GET", f"large:{idx % NB_LARGE}"))
        glance()
        got = read_all(socks, len(bulk(values[0])), glance)
        took_s = time.monotonic() - began
        print(f"{NB_READERS} x {LARGE_LEN} bytes in {took_s:.1f} s, text pool {most:.1%} at most")
        for idx, data in enumerate(got):
            assert data == bulk(values[idx % NB_LARGE]), idx
        stats = telemetry.stats()["session"]
        print({name: nb for name, nb in stats.items() if "ref" in name})
        assert stats["nb_tx_pool_empty"] == 0
        assert stats["nb_refs"] == NB_READERS
        assert stats["refs_len"] == NB_READERS * LARGE_LEN
        assert most < TEXT_SHARE_MAX
        assert client.command("FLUSHALL") == Status("OK")
        wait_for_memory(client, before)
        assert telemetry.wait_until("session", "refs_held_len", 0, WAIT_S) == 0
        for sock in socks:
            sock.close()
        client.close()
        assert_nothing_left(telemetry)


def test_a_file_of_a_route_for_many(lab: Lab, tmp_path: Path) -> None:
    """A body of 64 MiB that is always the same goes to several peers at once.

    Steps:
        Serve a file of 64 MiB at a path; ask for it from four connections, then read all.

    Verify:
        Every byte arrives, nobody is aborted, and each body goes by one reference.
    """
    body = value(1, FILE_LEN)
    (tmp_path / "large").write_bytes(body)
    (tmp_path / "leatd.conf").write_text(
        f"[route large]\npath = /large\nbody = {tmp_path}/large\n", encoding="ascii"
    )
    conf = LeatdConf(
        port=af_port("net_af_packet"), extra=["--config", str(tmp_path / "leatd.conf")]
    )
    with serve(lab, conf, "large-file", SNAP_LEN_LOAD, clean_link=False) as one, ExitStack() as stack:
        telemetry = stack.enter_context(Telemetry(one))
        socks = [stack.enter_context(lab.connect(HTTP_PORT)) for _ in range(NB_FILE_READERS)]
        for sock in socks:
            sock.sendall(b"GET /large HTTP/1.1\r\nHost: leat\r\n\r\n")
        first = socks[0].recv(64 * 1024, socket.MSG_PEEK)
        head_len = first.index(b"\r\n\r\n") + 4
        assert len(first) > head_len, "bytes of the body come with the head"
        got = read_all(socks, head_len + FILE_LEN, lambda: None)
        for idx, data in enumerate(got):
            assert data.startswith(b"HTTP/1.1 200 OK\r\n"), idx
            assert data[head_len:] == body, idx
        stats = telemetry.stats()["session"]
        assert stats["nb_refs"] == NB_FILE_READERS
        assert stats["nb_tx_pool_empty"] == 0
        for sock in socks:
            sock.close()
        assert_nothing_left(telemetry)


@pytest.mark.parametrize("served", ["net_af_packet"], indirect=True)
@pytest.mark.parametrize("change", ["set", "delete", "expire", "flush", "another-type"])
def test_key_changes_while_its_value_is_sent(lab: Lab, served: Leatd, change: str) -> None:
    """A value arrives whole and old, whatever becomes of its key.

    Steps:
        Ask for a value and read nothing; have the key set, deleted, expired, flushed or made
        another type; fill the memory that it would leave; then read.

    Verify:
        The bytes are those that were stored when they were asked for. The store counts them until
        they have arrived, and not longer.
    """
    client = RespClient(lab.connect(RESP_PORT))
    before = used_memory(client)
    old, new = value(1, LARGE_LEN), value(2, LARGE_LEN)
    set_value(client, "k", old)
    reader = slow_connect(lab)
    reader.sendall(encode("GET", "k"))
    head = reader.recv(1, socket.MSG_PEEK)  # it is under way
    assert head == b"$"
    if change == "set":
        set_value(client, "k", new)
    elif change == "expire":
        assert client.command("PEXPIRE", "k", 1) == 1
        time.sleep(0.05)
        assert client.command("GET", "k") is None
    elif change == "flush":
        assert client.command("FLUSHALL") == Status("OK")
    else:
        assert client.command("DEL", "k") == 1
    if change == "another-type":
        assert client.command("HSET", "k", "f", "v") == 1
    held = used_memory(client)
    assert held > before + LARGE_LEN
    set_value(client, "other", new)
    assert read_all([reader], len(bulk(old)), lambda: None) == [bulk(old)]
    reader.close()
    assert client.command("GET", "other") == new
    assert client.command("FLUSHALL") == Status("OK")
    wait_for_memory(client, before)
    client.close()
    with Telemetry(served) as telemetry:
        assert_nothing_left(telemetry)


@pytest.mark.parametrize("served", ["net_af_packet", "net_af_xdp"], indirect=True)
def test_a_thousand_slow_readers(lab: Lab, served: Leatd) -> None:
    """Peers that ask for much and read nothing do not slow down the others.

    Steps:
        A thousand connections with small windows ask for a value of 16 MiB and do not read; others
        send PING, SET and GET; the value is deleted; all close.

    Verify:
        Others are answered in time; nobody is aborted; the packet buffers of text are hardly used;
        nothing is left.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, NB_SLOW + 500), hard))
    client = RespClient(lab.connect(RESP_PORT))
    before = used_memory(client)
    set_value(client, "large", value(1, LARGE_LEN))
    took_s = []
    with Telemetry(served) as telemetry, ExitStack() as stack:
        socks = [stack.enter_context(slow_connect(lab)) for _ in range(NB_SLOW)]
        for sock in socks:
            sock.sendall(encode("GET", "large"))
        # A ring that they filled all at once has lost some of their requests: these come again.
        assert wait_for(
            lambda: telemetry.stats()["session"]["refs_held_len"] == NB_SLOW * LARGE_LEN, WAIT_S
        )
        for number in range(500):
            began = time.monotonic()
            assert client.command("PING") == Status("PONG")
            took_s.append(time.monotonic() - began)
            assert client.command("SET", "small", number) == Status("OK")
            assert client.command("GET", "small") == b"%d" % number
        stats = telemetry.stats()["session"]
        pools = telemetry.ask("/leat/pools")["pools"]
        print({name: pool["in_use"] for name, pool in pools.items()})
        print(f"PING {statistics.median(took_s) * 1e3:.2f} ms, {max(took_s) * 1e3:.0f} at most")
        assert max(took_s) < PING_MAX_S
        assert stats["refs_held_len"] == NB_SLOW * LARGE_LEN
        for name, pool in pools.items():
            assert not name.endswith("_text") or pool["in_use"] < TEXT_SHARE_MAX * pool["size"]
        assert stats["nb_tx_pool_empty"] == 0
        assert telemetry.stats()["now"]["nb_conns"] == NB_SLOW + 1, "nobody was aborted"
        assert client.command("DEL", "large", "small") == 2
        assert used_memory(client) > before + LARGE_LEN
        for sock in socks:
            sock.close()
        wait_for_memory(client, before)
        client.close()
        assert_nothing_left(telemetry)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("nb_slow", [300, 1000])
def test_who_reads_is_served_beside_those_who_pipeline_and_do_not(
    lab: Lab, nb_slow: int
) -> None:
    """Peers that pipeline requests and read nothing stop nobody, and keep what they asked for.

    Steps:
        With the memory of the defaults, many connections with small windows ask for a value of
        1 MB or 4 KiB and for ninety of 4 KiB, and do not read; others ask for PING and, over HTTP,
        for the value of 1 MB; then some of the first read.

    Verify:
        Others are answered in time; nobody is aborted, before or after; the worker does not try
        in vain; those who read late get every byte.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, nb_slow + 500), hard))
    small, large = value(1, PIPELINED_LEN), value(2, MIB)
    conf = LeatdConf(port=af_port("net_af_packet"))
    with serve(
        lab, conf, f"large-pipelines-{nb_slow}", SNAP_LEN_LOAD, clean_link=False
    ) as one, ExitStack() as stack:
        telemetry = stack.enter_context(Telemetry(one))
        client = RespClient(lab.connect(RESP_PORT))
        set_value(client, "small", small)
        set_value(client, "large", large)
        socks = [stack.enter_context(slow_connect(lab)) for _ in range(nb_slow)]
        for idx, sock in enumerate(socks):
            first = encode("GET", "small" if idx % 2 else "large")
            sock.sendall(first + encode("GET", "small") * NB_PIPELINED)
        began = time.monotonic()
        for _ in range(100):
            assert client.command("PING") == Status("PONG")
        assert time.monotonic() - began < TRANSFER_MAX_S / 10
        reader = stack.enter_context(lab.connect(HTTP_PORT))
        reader.settimeout(WAIT_S)
        reader.sendall(b"GET /v1/kv/large HTTP/1.1\r\nHost: leat\r\nConnection: close\r\n\r\n")
        got = bytearray()
        while data := reader.recv(MIB):
            got += data
        reader.close()
        assert got.endswith(b"\r\n\r\n" + large)
        print(f"PING and 1 MiB in {time.monotonic() - began:.2f} s")
        stats = telemetry.stats()
        deadline = time.monotonic() + 4 * WAIT_S
        while True:  # what the link has lost comes again first
            nb_requests = stats["worker"]["nb_requests"]
            time.sleep(1.0)
            stats = telemetry.stats()
            if stats["worker"]["nb_requests"] - nb_requests < nb_slow:
                break
            assert time.monotonic() < deadline, "who waits costs nothing"
        assert telemetry.wait_until("now", "nb_conns", nb_slow + 1, WAIT_S) == nb_slow + 1
        for start, head in ((0, large), (1, small)):
            wanted = bulk(head) + bulk(small) * NB_PIPELINED
            for data in read_all(socks[start::NB_UNREAD], len(wanted), lambda: None):
                assert data == wanted
        stats = telemetry.stats()
        assert stats["inet"]["tcp_relieved"] == 0
        assert stats["session"]["nb_tx_pool_empty"] == 0
        client.close()
        for sock in socks:
            sock.close()
        assert_nothing_left(telemetry)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
