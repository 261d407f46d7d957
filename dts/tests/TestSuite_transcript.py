# SPDX-License-Identifier: BSD-3-Clause
"""The same bytes to the daemon and to Redis, in RESP2 and RESP3: the same bytes come back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dts.framework.lab import Lab
from dts.framework.leatd import RESP_PORT
from dts.framework.redis_server import REDIS_ADDR, REDIS_PORT, redis_server
from dts.framework.resp_random import random_commands, random_stream
from dts.framework.resp_table import CASES
from dts.framework.transcript import Arg, stream, transcript

NB_SEEDS = 300
NB_RANDOM = 60  # commands of each

# Each server tells of itself in its own way.
_OWN = {"introspection"}
_HELLO: dict[str, list[list[Arg]]] = {"2": [], "3": [["HELLO", 3]]}
# Every command that we have, but for those that say what is each server's own.
_COMMANDS = (
    "ECHO SELECT AUTH GET SET INCR DECR INCRBY DECRBY DEL EXISTS EXPIRE EXPIREAT PEXPIRE PEXPIREAT"
    " TTL PTTL PERSIST TYPE HGET HSET HDEL HGETALL HLEN ZADD ZCARD ZSCORE PUBLISH SUBSCRIBE"
    " FLUSHALL FLUSHDB DBSIZE PING CLIENT RESET UNSUBSCRIBE QUIT"
).split()

# What RESP3 makes of replies, and how a client comes to it.
CONVERSATIONS: dict[str, list[list[Arg]]] = {
    "hello": [["HELLO"], ["HELLO", 2], ["HELLO", 3], ["HELLO"], ["HELLO", 2], ["GET", "none"]],
    "hello-setname": [["HELLO", 3, "SETNAME", "me"], ["CLIENT", "GETNAME"]],
    "hello-bad-setname": [["HELLO", 3, "SETNAME", "a b"], ["CLIENT", "GETNAME"]],
    "hello-empty-setname": [["HELLO", 3, "SETNAME", ""], ["CLIENT", "GETNAME"]],
    "hello-auth": [["HELLO", 3, "AUTH", "default", "any"], ["GET", "none"]],
    "hello-auth-nobody": [["HELLO", 3, "AUTH", "nobody", "any"], ["GET", "none"]],
    "hello-both": [["HELLO", 3, "AUTH", "default", "x", "SETNAME", "me"], ["CLIENT", "GETNAME"]],
    "hello-refused": [["HELLO", 1], ["HELLO", 4], ["HELLO", "x"], ["HELLO", ""], ["HELLO", " 3"]],
    "hello-options": [["HELLO", 3, "WHAT"], ["HELLO", 3, "AUTH", "x"], ["HELLO", 3, "SETNAME"]],
    "auth": [["AUTH", "x"], ["AUTH", "default", "x"], ["AUTH", "nobody", "x"], ["AUTH", 1, 2, 3]],
    "types": [
        ["HELLO", 3],
        ["SET", "k", "v"],
        ["GET", "k"],
        ["GET", "none"],
        ["SET", "k", "w", "XX", "GET"],
        ["SET", "k", "w", "NX"],
        ["HSET", "h", "f", ""],  # one, since fields come in any order
        ["HGETALL", "h"],
        ["HGETALL", "none"],
        ["HGET", "h", "none"],
        ["ZADD", "z", "1", "one", "-inf", "low", "inf", "high", "0.1", "tenth", "1e300", "big"],
        ["ZSCORE", "z", "one"],
        ["ZSCORE", "z", "low"],
        ["ZSCORE", "z", "high"],
        ["ZSCORE", "z", "tenth"],
        ["ZSCORE", "z", "big"],
        ["ZSCORE", "z", "none"],
        ["ZADD", "z", "INCR", "1.5", "one"],
        ["ZADD", "z", "NX", "INCR", "1", "one"],
        ["CLIENT", "GETNAME"],
        ["PING", "x"],
        ["CONFIG", "GET", "no-such-parameter"],
        ["PUBLISH", "nobody", "hears"],
    ],
    "push": [
        ["HELLO", 3],
        ["SUBSCRIBE", "a", "b", "a"],
        ["PING"],
        ["PING", "x"],
        ["SET", "k", "v"],
        ["GET", "k"],
        ["PUBLISH", "a", "to myself"],
        ["UNSUBSCRIBE", "a", "none"],
        ["PUBLISH", "a", "to nobody"],
        ["UNSUBSCRIBE"],
        ["UNSUBSCRIBE"],
        ["PUBLISH", "b", "to nobody"],
    ],
    "subscribed-in-2": [
        ["SUBSCRIBE", "a", "b"],
        ["PING"],
        ["GET", "k"],
        ["HELLO", 3],
        ["ECHO", "x"],
        ["RESET"],
        ["ECHO", "x"],
        ["PUBLISH", "a", "to nobody"],
    ],
    "pushes-turn-into-arrays": [
        ["HELLO", 3],
        ["SUBSCRIBE", "a"],
        ["HELLO", 2],
        ["PUBLISH", "a", "x"],
        ["UNSUBSCRIBE"],
        ["PUBLISH", "a", "x"],
    ],
    "reset": [["HELLO", 3, "SETNAME", "me"], ["RESET"], ["GET", "none"], ["CLIENT", "GETNAME"]],
    "client": [
        ["CLIENT", "SETNAME", "me"],
        ["CLIENT", "GETNAME"],
        ["CLIENT", "SETNAME", "a\nb"],
        ["CLIENT", "SETNAME", ""],
        ["CLIENT", "GETNAME"],
        ["CLIENT", "SETNAME"],
        ["CLIENT", "NOSUCH"],
        ["CLIENT", "NO-EVICT", "on"],
        ["CLIENT", "NO-EVICT", "x"],
        ["CLIENT", "LIST", "TYPE", "x"],
        ["CLIENT", "LIST", "ID", "x"],
    ],
    "no-arguments": [[command] for command in _COMMANDS if command not in ("QUIT", "RESET")],
    "many-arguments": [[command, *"abcdefgh"] for command in _COMMANDS if command != "SUBSCRIBE"],
}

# What is not RESP, and what only looks odd.
STREAMS: dict[str, bytes] = {
    "inline": b'PING\r\n  echo   "a b"  \nSET k \'it\\\'s\'\r\nGET k\r\n\r\nQUIT\r\n',
    "empty": b"*0\r\n*-1\r\n\r\n\n*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nQUIT\r\n",
    "count": b"*x\r\n",
    "count-empty": b"*\r\n",
    "count-plus": b"*+1\r\n",
    "count-too-many": b"*2147483648\r\n",
    "type": b"*1\r\nPING\r\n",
    "type-cr": b"*1\r\n\r\n",
    "type-second": b"*2\r\n$4\r\nECHO\r\n:5\r\n",
    "length": b"*1\r\n$x\r\n",
    "length-negative": b"*1\r\n$-1\r\n",
    "length-empty": b"*1\r\n$\r\n",
    "length-512M-and-one": b"*1\r\n$536870913\r\n",
    "quotes": b'ECHO "a\r\n',
    "quotes-glued": b'ECHO "a"b\r\n',
    "quotes-single": b"ECHO 'a\r\n",
    "after-a-command": b"PING\r\n*1\r\n$4\r\nPING\r\n*x\r\n",
    "inline-endless": b"x" * 65600,
    "count-endless": b"*" + b"1" * 65600,
    "length-endless": b"*1\r\n$" + b"1" * 65600,
}


class Two:
    """The daemon and Redis."""

    def __init__(self, lab: Lab) -> None:
        """Both run.

        Args:
            lab: Where.
        """
        self._lab = lab

    def replies(self, data: bytes, half_close: bool = False) -> tuple[bytes, bytes]:
        """Send bytes to both.

        Args:
            data: Something behind which a server closes.
            half_close: Close our side behind it, so that data may end in any way.

        Returns:
            What comes from the daemon, and what from Redis.
        """
        ours = transcript(self._lab.connect(RESP_PORT), data, half_close)
        return ours, transcript(self._lab.connect(REDIS_PORT, REDIS_ADDR), data, half_close)

    def agree(self, data: bytes) -> None:
        """Send bytes to both and compare what comes back.

        Args:
            data: Something behind which a server closes.
        """
        ours, theirs = self.replies(data)
        assert ours == theirs


@pytest.fixture(scope="module")
def both(lab: Lab, leatd: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Both servers, and no data base but number 0."""
    with redis_server(lab, tmp_path_factory.mktemp("redis"), "--databases", "1"):
        yield Two(lab)


@pytest.mark.parametrize("resp", _HELLO)
@pytest.mark.parametrize("case", [case for case in CASES if case not in _OWN])
def test_table_gives_the_bytes_of_redis(both: Two, case: str, resp: str) -> None:
    """Every command of the table, in both versions of RESP.

    Steps:
        Send the commands of the case in one segment.

    Verify:
        What comes is what comes from Redis.
    """
    commands = [args for args, _ in CASES[case] if args != ["CLIENT", "ID"]]
    both.agree(stream(["FLUSHALL"], *_HELLO[resp], *commands, ["QUIT"]))


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversation_gives_the_bytes_of_redis(both: Two, name: str) -> None:
    """Versions, names, types, pushes and errors.

    Steps:
        Send the commands in one segment.

    Verify:
        What comes is what comes from Redis.
    """
    both.agree(stream(["FLUSHALL"], *CONVERSATIONS[name], ["QUIT"]))


@pytest.mark.parametrize("name", STREAMS)
def test_stream_ends_as_with_redis(both: Two, name: str) -> None:
    """What cannot be read on is told in the same words, and closed.

    Steps:
        Send bytes.

    Verify:
        What comes until the end is what comes from Redis.
    """
    both.agree(STREAMS[name])


def test_random_commands_give_the_bytes_of_redis(both: Two) -> None:
    """Numbers that are none, options that do not go together, types that are others.

    Steps:
        Send 60 commands at random in one go, with each of 300 seeds.

    Verify:
        What comes is what comes from Redis.
    """
    for seed in range(NB_SEEDS):
        commands = random_commands(seed, NB_RANDOM)
        data = stream(["FLUSHALL"], *commands, ["QUIT"])
        ours, theirs = both.replies(data)
        assert ours == theirs, f"seed {seed}: {commands}"


def test_random_streams_give_the_bytes_of_redis(both: Two) -> None:
    """Lines, quotes, counts and lengths in any order, and an end anywhere.

    Steps:
        Send bytes at random and close our side, with each of 300 seeds.

    Verify:
        What comes is what comes from Redis.
    """
    for seed in range(NB_SEEDS):
        data = random_stream(seed)
        ours, theirs = both.replies(data, half_close=True)
        assert ours == theirs, f"seed {seed}: {data!r}"
