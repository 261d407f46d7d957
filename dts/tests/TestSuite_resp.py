# SPDX-License-Identifier: BSD-3-Clause
"""RESP2 on the wire: Redis' replies to each command, however the bytes arrive."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from dts.framework.lab import Lab
from dts.framework.leatd import RESP_PORT
from dts.framework.redis_server import REDIS_ADDR, REDIS_PORT, redis_server
from dts.framework.resp import Error, Reply, RespClient, Status, encode
from dts.framework.resp_table import CASES, NEWER_CASES, OK, Step, agrees

NB_PIPELINED = 10000
PAUSE_S = 0.001


@pytest.fixture
def client(lab: Lab, leatd: object) -> Iterator[RespClient]:
    """A connection to the RESP listener, the key space empty."""
    one = RespClient(lab.connect(RESP_PORT))
    assert one.command("FLUSHALL") == OK
    yield one
    one.close()


@pytest.fixture(scope="module")
def redis(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Redis itself: the table must be true of it."""
    with redis_server(lab, tmp_path_factory.mktemp("redis")):
        yield


def run_case(client: RespClient, steps: list[Step]) -> None:
    """Send commands one by one and compare each reply.

    Args:
        client: A connection.
        steps: Commands and replies.
    """
    for args, expected in steps:
        reply = client.command(*args)
        assert agrees(reply, expected), f"{args}: {reply!r} instead of {expected!r}"


@pytest.mark.parametrize("case", CASES)
def test_replies_are_those_of_redis(client: RespClient, case: str) -> None:
    """Every command of the table.

    Steps:
        Send the commands of the case.

    Verify:
        Each reply has the right type and value.
    """
    run_case(client, CASES[case])


@pytest.mark.parametrize("case", NEWER_CASES)
def test_replies_newer_than_the_table(client: RespClient, case: str) -> None:
    """What clients of today send when they connect.

    Steps:
        Send the commands of the case.

    Verify:
        Each reply has the right type and value.
    """
    run_case(client, NEWER_CASES[case])


@pytest.mark.usefixtures("redis")
@pytest.mark.parametrize("case", CASES)
def test_redis_agrees_with_the_table(lab: Lab, case: str) -> None:
    """The table itself is tested.

    Steps:
        Send the commands of the case to Redis 7.0.

    Verify:
        Each reply has the right type and value.
    """
    one = RespClient(lab.connect(REDIS_PORT, REDIS_ADDR))
    try:
        assert one.command("FLUSHALL") == OK
        run_case(one, CASES[case])
    finally:
        one.close()


def test_quit_is_answered_and_closes(client: RespClient) -> None:
    """QUIT ends the connection after its reply.

    Steps:
        Send QUIT.

    Verify:
        OK, then the end of the stream.
    """
    assert client.command("QUIT") == OK
    assert client.at_eof()


def test_key_expires(client: RespClient) -> None:
    """A key is gone when its time is over.

    Steps:
        SET with PX 50, wait 100 ms.

    Verify:
        The value before, nothing after.
    """
    assert client.command("SET", "k", "v", "PX", 50) == OK
    assert client.command("GET", "k") == b"v"
    time.sleep(0.1)
    assert client.command("GET", "k") is None
    assert client.command("TTL", "k") == -2
    assert client.command("DBSIZE") == 0


def test_ten_thousand_pipelined_commands(client: RespClient) -> None:
    """Order and number of replies hold in a long pipeline.

    Steps:
        Send 10,000 commands of three kinds without reading.

    Verify:
        10,000 replies in order.
    """
    parts = []
    for i in range(NB_PIPELINED // 2):
        parts += [encode("SET", f"p:{i}", i), encode("GET", f"p:{i}")]
    client.sock.sendall(b"".join(parts))
    for i in range(NB_PIPELINED // 2):
        assert client.read() == OK
        assert client.read() == b"%d" % i


def test_byte_at_a_time(client: RespClient) -> None:
    """Each byte in a segment of its own.

    Steps:
        Send SET and GET byte by byte.

    Verify:
        Both replies.
    """
    for byte in encode("SET", "k", "value") + encode("GET", "k"):
        client.sock.sendall(bytes([byte]))
        time.sleep(PAUSE_S)
    assert client.read() == OK
    assert client.read() == b"value"


def test_split_at_every_byte(client: RespClient) -> None:
    """No border of a segment is special.

    Steps:
        Send ECHO in two segments, cut after each byte in turn.

    Verify:
        One right reply each time.
    """
    data = encode("ECHO", b"\r\n*2\r\n$4\r\n")
    for cut in range(1, len(data)):
        client.sock.sendall(data[:cut])
        time.sleep(PAUSE_S)
        client.sock.sendall(data[cut:])
        assert client.read() == b"\r\n*2\r\n$4\r\n", cut


@pytest.mark.parametrize(
    ("data", "replies"),
    [
        (b"PING\r\n", [Status("PONG")]),
        (b"PING\n", [Status("PONG")]),
        (b"  ECHO   hello  \r\n", [b"hello"]),
        (b'ECHO "a b\\x41\\n"\r\n', [b"a bA\n"]),
        (b"ECHO 'a b'\r\n", [b"a b"]),
        (b"\r\n*1\r\n$4\r\nPING\r\n", [Status("PONG")]),
        (b"\r\n\r\nPING\r\n*1\r\n$4\r\nPING\r\nPING\r\n", [Status("PONG")] * 3),
        (b"SET inline 1\r\nINCR inline\r\n", [OK, 2]),
    ],
)
def test_inline_commands(client: RespClient, data: bytes, replies: list[Reply]) -> None:
    """What a person types into a terminal, alone and between arrays.

    Steps:
        Send lines.

    Verify:
        The replies, and none more.
    """
    client.sock.sendall(data)
    for expected in replies:
        assert client.read() == expected
    assert client.command("ECHO", "end") == b"end"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"*x\r\n", "ERR Protocol error: invalid multibulk length"),
        (b"*2147483648\r\n", "ERR Protocol error: invalid multibulk length"),
        (b"*1\r\nPING\r\n", "ERR Protocol error: expected '$', got 'P'"),
        (b"*1\r\n$x\r\n", "ERR Protocol error: invalid bulk length"),
        (b"*1\r\n$-1\r\n", "ERR Protocol error: invalid bulk length"),
        (b"*1\r\n$2000000000\r\n", "ERR Protocol error: invalid bulk length"),
        (b'ECHO "a\r\n', "ERR Protocol error: unbalanced quotes in request"),
        (b"x" * 65600, "ERR Protocol error: too big inline request"),
    ],
    ids=["count", "too-many", "type", "length", "negative", "huge", "quotes", "endless"],
)
def test_protocol_errors_are_told_and_close(client: RespClient, data: bytes, error: str) -> None:
    """A stream that is no longer RESP is told why and closed; nothing is allocated for a claim.

    Steps:
        Send bytes that are not RESP.

    Verify:
        The error in Redis' words, then the end of the stream.
    """
    client.sock.sendall(data)
    assert client.read() == Error(error)
    assert client.at_eof()


def test_published_messages_arrive_in_order(client: RespClient, lab: Lab) -> None:
    """Publish and subscribe across connections.

    Steps:
        Two subscribers, one of two channels; publish 100 messages.

    Verify:
        The counts of receivers, and each message once, in order.
    """
    both, one = (RespClient(lab.connect(RESP_PORT)) for _ in range(2))
    both.send("SUBSCRIBE", "a", "b")
    assert [both.read(), both.read()] == [[b"subscribe", b"a", 1], [b"subscribe", b"b", 2]]
    assert one.command("SUBSCRIBE", "a") == [b"subscribe", b"a", 1]
    for i in range(100):
        assert client.command("PUBLISH", "a", i) == 2
        assert client.command("PUBLISH", "b", i) == 1
    for i in range(100):
        assert both.read() == [b"message", b"a", b"%d" % i]
        assert both.read() == [b"message", b"b", b"%d" % i]
        assert one.read() == [b"message", b"a", b"%d" % i]
    one.close()
    both.send("UNSUBSCRIBE", "a")
    assert both.read() == [b"unsubscribe", b"a", 1]
    assert client.command("PUBLISH", "a", "x") == 0
    both.close()


def test_closed_subscriber_is_forgotten(client: RespClient, lab: Lab) -> None:
    """A connection that ends leaves no subscription behind.

    Steps:
        Subscribe, close, publish.

    Verify:
        Nobody receives.
    """
    one = RespClient(lab.connect(RESP_PORT))
    assert one.command("SUBSCRIBE", "gone") == [b"subscribe", b"gone", 1]
    assert client.command("PUBLISH", "gone", "x") == 1
    one.close()
    time.sleep(0.1)
    assert client.command("PUBLISH", "gone", "x") == 0


@pytest.mark.parametrize("value_len", [1, 1459, 1460, 1461, 65535, 65536, 1 << 20])
def test_values_of_every_size(client: RespClient, value_len: int) -> None:
    """A value of a mebibyte is as good as one of a byte.

    Steps:
        SET and GET a value.

    Verify:
        The same bytes.
    """
    value = bytes(i * 31 % 251 for i in range(1024)) * (value_len // 1024 + 1)
    assert client.command("SET", "big", value[:value_len]) == OK
    assert client.command("GET", "big") == value[:value_len]
