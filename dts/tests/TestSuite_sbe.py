# SPDX-License-Identifier: BSD-3-Clause
"""SBE on the wire: on a port of its own, and beside RESP behind GOBLINS!."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import pytest

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.resp import RespClient, Status, encode
from dts.framework.resp_table import OK as RESP_OK
from dts.framework.run import SNAP_LEN_LOAD, serve
from dts.framework.sbe import (
    MAGIC,
    Array,
    Bulk,
    Error,
    Int,
    Nil,
    Push,
    SbeClient,
)
from dts.framework.sbe_table import (
    BAD,
    CASES,
    OK,
    PONG,
    TEMPLATES,
    get,
    hset,
    of,
    of_group,
    ping,
    publish,
    set_,
    subscribe,
    zadd,
)

AUTO_PORT, SBE_PORT = 17001, 17002  # which no other protocol has
NB_PIPELINED = 10_000
NB_MESSAGES = 200
PAUSE_S = 0.001
REQUEST_MAX = 16 << 20
ENTRIES_MAX = 65_535

# Whole frames, as other implementations write them.
GOLDEN = [
    ("080000000000100007000200", "10000000000002000700020004000000504f4e47"),
    (
        "2b0000000a0017000700020000000000000000000000010000006b1000000076616c75652d30303030303030"
        "303031",
        "0e0000000000020007000200020000004f4b",
    ),
    (
        "0d0000000000160007000200010000006b",
        "1c00000000000600070002001000000076616c75652d30303030303030303031",
    ),
    (
        "2e00000000002e000700020000000100050000006669656c641000000076616c75652d303030303030303030"
        "310100000068",
        "1000000008000400070002000100000000000000",
    ),
    (
        "1600000000003000070002000100000068050000006669656c64",
        "1c00000000000600070002001000000076616c75652d30303030303030303031",
    ),
    (
        "2400000001001100070002000008000100000000000000f03f060000006d656d626572010000007a",
        "1000000008000400070002000100000000000000",
    ),
    (
        "170000000000130007000200010000007a060000006d656d626572",
        "100000000800050007000200000000000000f03f",
    ),
    (
        "110000000000600007000200000001000100000063",
        "1a00000005000c0007000200020100000000000000010000006300000000",
    ),
    (
        "1d000000000064000700020001000000630c00000071756f74652d757064617465",
        "2600000005000c000700020000000000000000000001000000630c00000071756f74652d757064617465",
    ),
    ("", "1000000008000400070002000100000000000000"),
    (
        "0d0000000000160007000200010000007a",
        "5000000000000300070002000900000057524f4e4754595045370000004f7065726174696f6e20616761696e"
        "73742061206b657920686f6c64696e67207468652077726f6e67206b696e64206f662076616c7565",
    ),
    ("0d000000000016000700020001000000ff", "080000000000010007000200"),
]


@pytest.fixture(scope="module", autouse=True)
def served(lab: Lab) -> Iterator[Leatd]:
    """The daemon with a listener of SBE and one of both protocols."""
    listeners = {AUTO_PORT: "auto", SBE_PORT: "sbe"}
    extra = [f"--listen={what},dpdk,{SRV_ADDR},{port}" for port, what in listeners.items()]
    conf = LeatdConf(port=af_port("net_af_packet"), extra=extra)
    # Of frames of mebibytes the headers are enough to judge. A client that computes has its kernel
    # acknowledge late, and the tail is sent again.
    with serve(lab, conf, "sbe", SNAP_LEN_LOAD, clean_link=False) as one:
        resp = RespClient(lab.connect(RESP_PORT))
        assert resp.command("FLUSHALL") == RESP_OK
        resp.close()
        yield one


@pytest.fixture(params=["sbe", "sbe-magic", "auto"])
def client(lab: Lab, request: pytest.FixtureRequest) -> Iterator[SbeClient]:
    """A connection that speaks SBE, in each way to come to it."""
    one = SbeClient(lab.connect(AUTO_PORT if request.param == "auto" else SBE_PORT))
    if request.param != "sbe":
        one.send(MAGIC)
    yield one
    one.close()


@pytest.fixture
def plain(lab: Lab) -> Iterator[SbeClient]:
    """A connection to the port of SBE alone."""
    one = SbeClient(lab.connect(SBE_PORT))
    yield one
    one.close()


@pytest.fixture
def auto(lab: Lab) -> Iterator[SbeClient]:
    """A connection to the port of both that has said nothing yet."""
    one = SbeClient(lab.connect(AUTO_PORT))
    yield one
    one.close()


def forget(client: SbeClient) -> None:
    """Remove every key that the tables use.

    Args:
        client: A connection.
    """
    prefixes, names = ("sg", "n", "k", "e", "h", "z"), ("k", "a", "b", "c", "h", "s", "none")
    keys = [f"{prefix}:{name}".encode() for prefix in prefixes for name in names]
    assert isinstance(client.ask(of_group(34, [*keys, b"k", b"h", b"z"])), Int)


@pytest.mark.parametrize("case", CASES)
def test_templates_are_answered(client: SbeClient, case: str) -> None:
    """Each template, with its options and its errors.

    Steps:
        Send the frames of the case one by one.

    Verify:
        Each reply has the right type and value.
    """
    forget(client)
    for data, expected in CASES[case]:
        reply = client.ask(data)
        assert reply == expected, data.hex()


def test_every_template_is_in_the_table() -> None:
    """Nothing that the daemon speaks is left out.

    Steps:
        Collect the ids of the table's frames.

    Verify:
        They are those of the schema; Info is asked for by itself.
    """
    asked = {int.from_bytes(data[6:8], "little") for case in CASES.values() for data, _ in case}
    assert asked & TEMPLATES == TEMPLATES - {78}


def test_info(client: SbeClient) -> None:
    """Info is the text of RESP's INFO.

    Steps:
        Send Info.

    Verify:
        A server section.
    """
    reply = client.ask(of(78))
    assert isinstance(reply, Bulk)
    assert b"# Server\r\n" in reply.value


def test_golden_frames(plain: SbeClient) -> None:
    """The bytes of other implementations.

    Steps:
        Send requests as they write them.

    Verify:
        The replies are, byte for byte, as they write them.
    """
    forget(plain)
    for request, reply in GOLDEN:
        plain.send(bytes.fromhex(request))
        assert plain.read_frame().hex() == reply


@pytest.mark.parametrize("name", BAD)
def test_bad_frame_is_told_and_closes(client: SbeClient, name: str) -> None:
    """What cannot be read on is told why, behind the replies to what came before it.

    Steps:
        Send a good frame and a bad one in one segment, and another good one.

    Verify:
        A reply, an error, the end.
    """
    data, words = BAD[name]
    client.send(ping() + data)
    assert client.read() == PONG
    reply = client.read()
    assert isinstance(reply, Error)
    assert reply.code == b"ERR"
    assert reply.message.startswith(b"Protocol error: " + words)
    assert client.at_eof()


def test_byte_at_a_time(client: SbeClient) -> None:
    """Each byte in a segment of its own.

    Steps:
        Send a Set and a Get byte by byte.

    Verify:
        Both replies, none of them early.
    """
    for byte in set_(b"bytes", b"value") + get(b"bytes"):
        client.send(bytes([byte]))
        time.sleep(PAUSE_S)
    assert [client.read(), client.read()] == [OK, Bulk(b"value")]


def test_split_at_every_byte(lab: Lab) -> None:
    """No border of a segment is special, that of GOBLINS! among them.

    Steps:
        On new connections, send GOBLINS! and an Echo in two segments, cut after each byte.

    Verify:
        One right reply each time.
    """
    data = MAGIC + of(65, b"GOBLINS!")
    for port in (AUTO_PORT, SBE_PORT):
        for cut in range(1, len(data)):
            client = SbeClient(lab.connect(port))
            client.send(data[:cut])
            time.sleep(PAUSE_S)
            client.send(data[cut:])
            assert client.read() == Bulk(b"GOBLINS!"), cut
            client.close()


def test_ten_thousand_pipelined_frames(client: SbeClient) -> None:
    """Order and number of replies hold in a long pipeline.

    Steps:
        Send 10,000 frames of two kinds without reading.

    Verify:
        10,000 replies in order.
    """
    nb_pairs = NB_PIPELINED // 2
    client.send(b"".join(set_(b"p", b"%d" % i) + get(b"p") for i in range(nb_pairs)))
    for i in range(nb_pairs):
        assert client.read() == OK
        assert client.read() == Bulk(b"%d" % i)


@pytest.mark.parametrize(
    ("data", "reply"),
    [
        (b"PING\r\n", Status("PONG")),
        (encode("PING"), Status("PONG")),
        (b"GOBLIN\r\n", None),
        (b"GOBLINS\r\n", None),
        (b"GOBLINS.X\r\n", None),
        (b"goblins!\r\n", None),
        (b"GET none\r\n", None),
    ],
)
def test_another_word_is_resp(lab: Lab, data: bytes, reply: Status | None) -> None:
    """What differs from GOBLINS! in any byte is RESP, and nothing of it is lost.

    Steps:
        Send an inline command, byte by byte; then PING.

    Verify:
        RESP's reply to all of it, and RESP it stays.
    """
    resp = RespClient(lab.connect(AUTO_PORT))
    for byte in data:
        resp.sock.sendall(bytes([byte]))
        time.sleep(PAUSE_S)
    first = resp.read()
    if data.startswith(b"GET"):
        assert first is None
    elif reply is None:
        word = data.strip().decode()
        assert str(first).startswith(f"Error(text=\"ERR unknown command '{word}'")
    else:
        assert first == reply
    assert resp.command("PING") == Status("PONG")
    resp.close()


def test_choice_is_final(lab: Lab, auto: SbeClient) -> None:
    """Who has chosen RESP cannot become SBE, and the other way round.

    Steps:
        Say PING in RESP and then GOBLINS!; on another connection GOBLINS! and then RESP.

    Verify:
        An unknown command; a frame that is too long.
    """
    resp = RespClient(lab.connect(AUTO_PORT))
    assert resp.command("PING") == Status("PONG")
    resp.sock.sendall(MAGIC + b"\r\n")
    assert "unknown command 'GOBLINS!'" in str(resp.read())
    resp.close()
    auto.send(MAGIC + encode("PING"))
    assert auto.read() == Error(b"ERR", b"Protocol error: frame too long")
    assert auto.at_eof()


def test_both_protocols_see_the_same_keys(lab: Lab, client: SbeClient) -> None:
    """A value is a value in either protocol.

    Steps:
        Write in one and read in the other.

    Verify:
        The same bytes.
    """
    resp = RespClient(lab.connect(AUTO_PORT))
    assert client.ask(set_(b"shared", b"\x00\r\n")) == OK
    assert resp.command("GET", "shared") == b"\x00\r\n"
    assert resp.command("SET", "shared", "theirs") == RESP_OK
    assert client.ask(get(b"shared")) == Bulk(b"theirs")
    assert client.ask(zadd(b"shared-z", {b"m": 0.1})) in (Int(0), Int(1))
    assert resp.command("ZSCORE", "shared-z", "m") == b"0.10000000000000001"
    resp.close()


def test_messages_cross_protocols(lab: Lab, client: SbeClient) -> None:
    """Subscribers of either protocol hear publishers of both, and go on asking.

    Steps:
        Subscribe in both; publish 200 messages, in turns; ask in between.

    Verify:
        Each message once, in order, with its mark.
    """
    resp, publisher = (RespClient(lab.connect(AUTO_PORT)) for _ in range(2))
    assert client.ask(subscribe(b"a", b"b")) == Push(2, 1, b"", b"a", b"")
    assert client.read() == Push(2, 2, b"", b"b", b"")
    assert resp.command("SUBSCRIBE", "a") == [b"subscribe", b"a", 1]
    other = SbeClient(lab.connect(SBE_PORT))
    for i in range(NB_MESSAGES):
        if i % 2 == 0:
            assert publisher.command("PUBLISH", "a", i) == 2
        else:
            assert other.ask(publish(b"a", b"%d" % i)) == Int(2)
    for i in range(NB_MESSAGES):
        assert client.read() == Push(0, 0, b"", b"a", b"%d" % i)
        assert resp.read() == [b"message", b"a", b"%d" % i]
    assert client.ask(get(b"none")) == Nil()
    resp.close()
    publisher.close()
    other.close()


def test_frame_at_the_limit_is_answered(plain: SbeClient) -> None:
    """A frame may have as many bytes as a request.

    Steps:
        Send an Echo of exactly that many bytes.

    Verify:
        It comes back.
    """
    value = bytes(i * 31 % 251 for i in range(4096)) * (REQUEST_MAX // 4096)
    data = of(65, value[: REQUEST_MAX - len(of(65, b""))])
    assert len(data) == REQUEST_MAX
    plain.sock.settimeout(20)
    reply = plain.ask(data)
    assert isinstance(reply, Bulk)
    assert reply.value == value[: len(reply.value)]
    assert len(data) == REQUEST_MAX


def test_group_of_every_entry_it_can_have(plain: SbeClient) -> None:
    """A group has at most 65,535 entries, and a reply no more.

    Steps:
        Delete as many keys as a group holds; write so many fields, read them, write more, read.

    Verify:
        Counts and values; an error where a reply has more entries than fit.
    """
    assert plain.ask(of_group(34, [b"none"] * (ENTRIES_MAX - 1))) == Int(0)
    nb_fields = ENTRIES_MAX // 2
    fields = {b"%d" % i: b"v%d" % i for i in range(nb_fields)}
    half = dict(list(fields.items())[: nb_fields // 2])
    rest = dict(list(fields.items())[nb_fields // 2 :])
    assert plain.ask(hset(b"wide", half)) == Int(len(half))
    assert plain.ask(hset(b"wide", rest)) == Int(len(rest))
    reply = plain.ask(of(51, b"wide"))
    assert isinstance(reply, Array)
    assert dict(zip(reply.items[::2], reply.items[1::2], strict=True)) == fields
    assert plain.ask(hset(b"wide", {b"one more": b""})) == Int(1)
    assert plain.ask(of(51, b"wide")) == Error(b"ERR", b"reply has too many entries")
    assert plain.ask(of_group(34, [b"wide"])) == Int(1)


def test_arguments_over_the_room_of_a_turn_are_refused(plain: SbeClient) -> None:
    """More arguments than a turn has room for end nothing but their request.

    Steps:
        Add one member more to a sorted set than fit, then as many as fit.

    Verify:
        An error; the connection goes on; a count.
    """
    members = {b"%d" % i: float(i) for i in range(16_383)}
    refused = Error(b"ERR", b"too many entries in a request")
    assert plain.ask(zadd(b"many", members)) == refused
    members.popitem()
    assert plain.ask(zadd(b"many", members)) == Int(16_382)
    assert plain.ask(of_group(34, [b"many"])) == Int(1)


def test_scores_are_exact(plain: SbeClient) -> None:
    """Scores are numbers and not text: every bit comes back.

    Steps:
        Store scores of every size.

    Verify:
        The same bits; minus zero is the zero of Redis.
    """
    for score in (math.pi, -math.e, 1e308, 2.2250738585072014e-308, 5e-324, 2.0**53 + 2, 1 / 3):
        plain.ask(zadd(b"exact", {b"m": score}))
        reply = plain.ask(of(19, b"exact", b"m"))
        assert str(reply) == f"Double(value={score!r})"

