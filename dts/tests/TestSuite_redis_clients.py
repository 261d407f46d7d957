# SPDX-License-Identifier: BSD-3-Clause
"""Debian's clients of Redis, beside Redis: python3-redis, hiredis and redis-cli."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from dts.framework.lab import ROOT, SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, LeatdConf, af_port
from dts.framework.redis_py import redis_py
from dts.framework.redis_server import REDIS_ADDR, REDIS_PORT, redis_server
from dts.framework.resp import encode
from dts.framework.run import SNAP_LEN_LOAD, serve

NB_PIPED = 100_000
NB_PIPELINED = 10_000
NB_MESSAGES = 100
LARGE_LEN = (1 << 20) + 1
# Who asks before the end of a stream has come finds the connection closed, and asks again.
RETRY = {"retry": Retry(NoBackoff(), 1), "retry_on_error": [redis.ConnectionError]}
SERVERS = [(SRV_ADDR, RESP_PORT), (REDIS_ADDR, REDIS_PORT)]
HIREDIS_C = ROOT / "test" / "clients" / "hiredis_cases.c"

Client: TypeAlias = Any  # redis.Redis, whose package tells mypy nothing


@pytest.fixture(scope="module", autouse=True)
def both(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The daemon and Redis."""
    conf = LeatdConf(port=af_port("net_af_packet"))
    server = redis_server(lab, tmp_path_factory.mktemp("redis"))
    # A client that computes has its kernel acknowledge late, and the tail is sent again.
    with serve(lab, conf, "redis-clients", SNAP_LEN_LOAD, clean_link=False), server:
        yield


def error_of(call: Callable[[], object]) -> tuple[str, str]:
    """Say how something is refused.

    Args:
        call: What is to be refused.

    Returns:
        The class of the error and its words.
    """
    with pytest.raises(redis.RedisError) as refused:
        call()
    return type(refused.value).__name__, str(refused.value)


def values(client: Client) -> list[object]:
    """Values of every type, in the types of Python."""
    binary = bytes(range(256))
    return [
        client.set("k", binary),
        client.get("k") == binary,
        client.get("none"),
        client.set("k", "v", ex=100, nx=True),
        client.set("k", "v", px=100000, xx=True),
        client.set("k", "w", get=True, keepttl=True),
        client.ttl("k"),
        client.incr("n", 41),
        client.decr("n"),
        client.hset("h", mapping={"f": "v", "g": b"\r\n"}),
        client.hgetall("h"),
        client.hget("h", "none"),
        client.hdel("h", "f"),
        client.zadd("z", {"a": 1.5, "b": float("-inf")}),
        client.zscore("z", "a"),
        client.zscore("z", "b"),
        client.zscore("z", "none"),
        client.zcard("z"),
        client.zadd("z", {"a": 1}, incr=True),
        client.type("z"),
        client.exists("k", "h", "none"),
        client.expire("k", 10),
        client.persist("k"),
        client.delete("k", "h"),
        client.dbsize(),
        client.ping(),
        client.echo("back"),
        client.config_get("no-such-parameter"),
    ]


def errors(client: Client) -> list[object]:
    """Errors as exceptions with Redis' words."""
    client.hset("h", "f", "v")
    client.set("k", "v")
    calls: list[Callable[[], object]] = [
        lambda: client.get("h"),
        lambda: client.incr("k"),
        lambda: client.zadd("k", {"m": 1}),
        lambda: client.execute_command("GET"),
        lambda: client.execute_command("NOSUCH", "a", "b"),
        lambda: client.set("k", "v", ex=0),
        lambda: client.execute_command("SELECT", 10000),
        lambda: client.execute_command("HELLO", 9),
    ]
    return [error_of(call) for call in calls]


def pipeline(client: Client) -> list[object]:
    """A long pipeline without a transaction, with one error in it."""
    pipe = client.pipeline(transaction=False)
    for i in range(NB_PIPELINED // 2):
        pipe.set(f"p{i}", i).get(f"p{i}")
    pipe.hget("p0", "f").get("p1")
    replies = pipe.execute(raise_on_error=False)
    expected = [one for i in range(NB_PIPELINED // 2) for one in (True, b"%d" % i)]
    assert replies[:NB_PIPELINED] == expected
    return [str(reply) for reply in replies[NB_PIPELINED:]]


def messages(client: Client) -> list[object]:
    """Publish and subscribe, and what a subscriber may still say."""
    sub = client.pubsub()
    sub.subscribe("a", "b")
    got = [sub.get_message(timeout=1) for _ in range(2)]
    counts = [client.publish("ab"[i % 2], f"m{i}") for i in range(NB_MESSAGES)]
    got += [sub.get_message(timeout=1) for _ in range(NB_MESSAGES)]
    sub.ping("there")
    got.append(sub.get_message(timeout=1))
    sub.unsubscribe("a", "b")
    got += [sub.get_message(timeout=1) for _ in range(2)]
    counts.append(client.publish("a", "gone"))
    sub.close()
    return [counts, got]


def large(client: Client) -> list[object]:
    """A value of more than a mebibyte."""
    value = bytes(i * 31 % 251 for i in range(LARGE_LEN))
    return [client.set("k", value), client.get("k") == value]


def reconnect(client: Client) -> list[object]:
    """A connection that the server has closed is made again."""
    client.set("k", "kept")
    first = client.client_id()
    client.execute_command("QUIT")
    return [client.get("k"), client.client_id() > first]


def test_redis_py_decodes_pushes_of_neither(lab: Lab) -> None:
    """Debian's redis-py is of a version that asks for no RESP3.

    Steps:
        Look at the arguments of a connection.

    Verify:
        None chooses a protocol, so that its cases in RESP2 are all that there are.
    """
    with pytest.raises(TypeError):
        redis.Connection(protocol=3)


@pytest.mark.parametrize("case", [values, errors, pipeline, messages, large, reconnect])
def test_redis_py_sees_what_it_sees_of_redis(
    lab: Lab, case: Callable[[Client], list[object]]
) -> None:
    """Values, exceptions and messages.

    Steps:
        Do the same with the daemon and with Redis.

    Verify:
        The same comes of it.
    """
    seen = []
    for addr, port in SERVERS:
        client = redis_py(lab, addr, port, client_name="leat-dts", **RETRY)
        assert client.flushall()
        assert client.client_getname() == "leat-dts"
        seen.append(case(client))
        client.connection_pool.disconnect()
    assert seen[0] == seen[1]


def test_redis_py_hears_of_a_transaction_that_is_refused(lab: Lab) -> None:
    """A pipeline is a transaction by default; there are none.

    Steps:
        Execute one.

    Verify:
        An unknown command.
    """
    client = redis_py(lab, SRV_ADDR, RESP_PORT)
    kind, words = error_of(lambda: client.pipeline().set("k", "v").execute())
    assert kind == "ResponseError"
    assert words.startswith("unknown command 'EXEC'")
    client.connection_pool.disconnect()


def test_hiredis_prints_what_it_prints_of_redis(lab: Lab, tmp_path: Path) -> None:
    """A program in C: values, errors, a pipeline, messages, and the asynchronous half.

    Steps:
        Compile it, run it with the daemon and with Redis.

    Verify:
        The same text, and all of it.
    """
    program = tmp_path / "hiredis_cases"
    flags = ["-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", program, HIREDIS_C, "-lhiredis"], check=True)
    ours, theirs = (lab.run(str(program), addr, str(port)) for addr, port in SERVERS)
    assert (ours.returncode, ours.stderr) == (0, b"")
    assert theirs.stdout.endswith(b"asynchronous, 0 wrong\nQUIT: <OK>\n")
    assert ours.stdout == theirs.stdout


def test_redis_cli_pipes_a_hundred_thousand_commands(lab: Lab) -> None:
    """redis-cli --pipe sends as fast as it can and reads replies meanwhile.

    Steps:
        Send 100,000 SET through --pipe.

    Verify:
        As many replies, no error, and the values are there.
    """
    data = b"".join(encode("SET", f"pipe:{i}", i) for i in range(NB_PIPED))
    argv = ["redis-cli", "-h", SRV_ADDR, "-p", str(RESP_PORT)]
    done = lab.run(*argv, "--pipe", stdin=data, timeout_s=60)
    assert done.returncode == 0, done.stderr
    assert f"errors: 0, replies: {NB_PIPED}".encode() in done.stdout
    client = redis_py(lab, SRV_ADDR, RESP_PORT)
    for i in (0, 1, NB_PIPED // 2, NB_PIPED - 1):
        assert client.get(f"pipe:{i}") == b"%d" % i
    assert client.dbsize() >= NB_PIPED
    client.connection_pool.disconnect()


# What a person types, one command a line. A hash has one field, for fields come in any order.
TYPED = b"""FLUSHALL
PING
SET k "a \\x00 value"
GET k
GET none
HSET h f "two words"
HGETALL h
HGETALL none
ZADD z 1.5 a -inf b
ZSCORE z a
ZSCORE z b
ZSCORE z none
INCR k
HGET k f
NOSUCH a b
CLIENT SETNAME me
CLIENT GETNAME
TTL k
DEL k h
"""


@pytest.mark.parametrize("form", [[], ["--raw"], ["--no-raw"], ["--csv"], ["--json"]], ids=str)
@pytest.mark.parametrize("resp", ["-2", "-3"])
def test_redis_cli_prints_what_it_prints_of_redis(lab: Lab, resp: str, form: list[str]) -> None:
    """Maps, doubles, nulls and errors as redis-cli shows them, in both versions of RESP.

    Steps:
        Type commands to the daemon and to Redis.

    Verify:
        The same text, and all of it.
    """
    said = []
    for addr, port in SERVERS:
        done = lab.run("redis-cli", resp, "-h", addr, "-p", str(port), *form, stdin=TYPED)
        said.append((done.returncode, done.stdout, done.stderr))
    assert len(said[1][1].splitlines()) >= len(TYPED.splitlines())
    assert said[0] == said[1]


@pytest.mark.parametrize("resp", ["-2", "-3"])
def test_redis_cli_prints_messages(lab: Lab, resp: str) -> None:
    """A subscriber at a terminal sees pushes of RESP3 and arrays of RESP2.

    Steps:
        SUBSCRIBE with redis-cli, publish a message, end redis-cli.

    Verify:
        It printed the acknowledgment and the message.
    """
    argv = ["redis-cli", resp, "-h", SRV_ADDR, "-p", str(RESP_PORT), "--csv", "SUBSCRIBE", "news"]
    process = subprocess.Popen(
        lab.cli_command(*argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Reading messages...")
        heard = process.stdout.readline()
        client = redis_py(lab, SRV_ADDR, RESP_PORT)
        assert client.publish("news", "good") == 1
        client.connection_pool.disconnect()
        heard += process.stdout.readline()
    finally:
        process.terminate()
        process.wait()
    assert heard == b'"subscribe","news",1\n"message","news","good"\n'
