# SPDX-License-Identifier: BSD-3-Clause
"""Commands and the replies that Redis 7.0 gives: the daemon is asked, and Redis itself is too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dts.framework.resp import Error, Reply, Status

OK = Status("OK")
WRONG_TYPE = Error("WRONGTYPE Operation against a key holding the wrong kind of value")
NOT_INTEGER = Error("ERR value is not an integer or out of range")
SYNTAX = Error("ERR syntax error")


@dataclass(frozen=True)
class Within:
    """An integer between two bounds, both included."""

    low: int
    high: int


@dataclass(frozen=True)
class Matches:
    """Whatever satisfies a predicate."""

    what: str
    test: Callable[[Reply], bool]


Expected = Reply | Within | Matches
Step = tuple[list[str | bytes | int], Expected]


def wrong_args(command: str) -> Error:
    """Say what Redis says to a wrong number of arguments.

    Args:
        command: The command in lower case, a subcommand after "|".

    Returns:
        The error.
    """
    return Error(f"ERR wrong number of arguments for '{command}' command")


def agrees(reply: Reply, expected: Expected) -> bool:
    """Compare a reply with what the table says.

    Args:
        reply: The reply.
        expected: A value, a range or a predicate.

    Returns:
        Whether they agree, type and value.
    """
    if isinstance(expected, Within):
        return isinstance(reply, int) and expected.low <= reply <= expected.high
    if isinstance(expected, Matches):
        return expected.test(reply)
    return type(reply) is type(expected) and reply == expected


def _is_info(reply: Reply) -> bool:
    return isinstance(reply, bytes) and b"# Server\r\n" in reply and b"redis_version:" in reply


def _is_hello(reply: Reply) -> bool:
    if not isinstance(reply, list) or len(reply) % 2 != 0:
        return False
    names = [name for name in reply[::2] if isinstance(name, bytes)]
    fields = dict(zip(names, reply[1::2], strict=True))
    return fields[b"server"] == b"redis" and fields[b"proto"] == 2 and b"version" in fields


def _is_command_list(reply: Reply) -> bool:
    if not isinstance(reply, list):
        return False
    entries = {bytes_of(entry[0]): entry for entry in reply if isinstance(entry, list)}
    return entries[b"get"][1:2] == [2] and entries[b"set"][1:2] == [-3]


def _is_pair(reply: Reply) -> bool:
    return isinstance(reply, list) and len(reply) == 2


def bytes_of(reply: Reply) -> bytes:
    """Take a reply for bytes.

    Args:
        reply: A bulk string.

    Returns:
        Its bytes, none for any other reply.
    """
    return reply if isinstance(reply, bytes) else b""


# Each case begins with an empty key space and a connection of its own.
CASES: dict[str, list[Step]] = {
    "ping": [
        (["PING"], Status("PONG")),
        (["ping", "hello"], b"hello"),
        (["PING", ""], b""),
        (["PING", "a", "b"], wrong_args("ping")),
    ],
    "echo": [
        (["ECHO", "hello"], b"hello"),
        (["ECHO", b"\x00\r\n\xff"], b"\x00\r\n\xff"),
        (["ECHO"], wrong_args("echo")),
        (["ECHO", "a", "b"], wrong_args("echo")),
    ],
    "set-get": [
        (["GET", "k"], None),
        (["SET", "k", "v"], OK),
        (["GET", "k"], b"v"),
        (["SET", "k", ""], OK),
        (["GET", "k"], b""),
        (["SET", b"\x00\r\n", b"\xff\x00"], OK),
        (["GET", b"\x00\r\n"], b"\xff\x00"),
        (["SET", "", "empty key"], OK),
        (["GET", ""], b"empty key"),
        (["SET", "k"], wrong_args("set")),
        (["GET"], wrong_args("get")),
        (["GET", "a", "b"], wrong_args("get")),
    ],
    "set-conditions": [
        (["SET", "k", "1", "XX"], None),
        (["GET", "k"], None),
        (["SET", "k", "1", "NX"], OK),
        (["SET", "k", "2", "NX"], None),
        (["GET", "k"], b"1"),
        (["SET", "k", "2", "xx"], OK),
        (["GET", "k"], b"2"),
        (["SET", "k", "3", "NX", "XX"], SYNTAX),
        (["SET", "k", "3", "WHAT"], SYNTAX),
    ],
    "set-get-option": [
        (["SET", "k", "1", "GET"], None),
        (["SET", "k", "2", "GET"], b"1"),
        (["SET", "k", "3", "NX", "GET"], b"2"),
        (["GET", "k"], b"2"),
        (["SET", "new", "1", "XX", "GET"], None),
        (["EXISTS", "new"], 0),
        (["HSET", "h", "f", "v"], 1),
        (["SET", "h", "1", "GET"], WRONG_TYPE),
        (["HGET", "h", "f"], b"v"),
    ],
    "set-expiry": [
        (["SET", "k", "v", "EX", 100], OK),
        (["TTL", "k"], Within(99, 100)),
        (["SET", "k", "v", "PX", 100000], OK),
        (["TTL", "k"], Within(99, 100)),
        (["SET", "k", "w", "KEEPTTL"], OK),
        (["TTL", "k"], Within(99, 100)),
        (["GET", "k"], b"w"),
        (["SET", "k", "x"], OK),
        (["TTL", "k"], -1),
        (["SET", "k", "v", "EX", 0], Error("ERR invalid expire time in 'set' command")),
        (["SET", "k", "v", "EX", -1], Error("ERR invalid expire time in 'set' command")),
        (["SET", "k", "v", "PX", "x"], NOT_INTEGER),
        (["SET", "k", "v", "EX"], SYNTAX),
        (["SET", "k", "v", "EX", 1, "PX", 1], SYNTAX),
        (["SET", "k", "v", "EX", 1, "KEEPTTL"], SYNTAX),
        (["GET", "k"], b"x"),
    ],
    "del-exists": [
        (["DEL", "a"], 0),
        (["SET", "a", 1], OK),
        (["SET", "b", 1], OK),
        (["EXISTS", "a", "b", "a", "c"], 3),
        (["DEL", "a", "b", "a", "c"], 2),
        (["EXISTS", "a"], 0),
        (["DEL"], wrong_args("del")),
        (["EXISTS"], wrong_args("exists")),
    ],
    "incr-decr": [
        (["INCR", "n"], 1),
        (["INCR", "n"], 2),
        (["DECR", "n"], 1),
        (["DECR", "m"], -1),
        (["GET", "n"], b"1"),
        (["SET", "n", "9223372036854775806"], OK),
        (["INCR", "n"], 9223372036854775807),
        (["INCR", "n"], Error("ERR increment or decrement would overflow")),
        (["SET", "n", "-9223372036854775808"], OK),
        (["DECR", "n"], Error("ERR increment or decrement would overflow")),
        (["GET", "n"], b"-9223372036854775808"),
        (["SET", "n", "9223372036854775808"], OK),
        (["INCR", "n"], NOT_INTEGER),
        (["SET", "n", " 1"], OK),
        (["INCR", "n"], NOT_INTEGER),
        (["SET", "n", "01"], OK),
        (["INCR", "n"], NOT_INTEGER),
        (["SET", "n", ""], OK),
        (["INCR", "n"], NOT_INTEGER),
        (["HSET", "h", "f", "v"], 1),
        (["INCR", "h"], WRONG_TYPE),
        (["INCR"], wrong_args("incr")),
    ],
    "incr-keeps-expiry": [
        (["SET", "n", 1, "EX", 100], OK),
        (["INCR", "n"], 2),
        (["TTL", "n"], Within(99, 100)),
    ],
    "expire-ttl": [
        (["TTL", "k"], -2),
        (["EXPIRE", "k", 10], 0),
        (["SET", "k", "v"], OK),
        (["TTL", "k"], -1),
        (["EXPIRE", "k", 100], 1),
        (["TTL", "k"], Within(99, 100)),
        (["EXPIRE", "k", "x"], NOT_INTEGER),
        (["EXPIRE", "k", -1], 1),
        (["EXISTS", "k"], 0),
        (["EXPIRE", "k"], wrong_args("expire")),
        (["TTL"], wrong_args("ttl")),
    ],
    "hash": [
        (["HGET", "h", "f"], None),
        (["HSET", "h", "f", "v"], 1),
        (["HSET", "h", "f", "w"], 0),
        (["HSET", "h", "f", "x", "g", "y", "i", ""], 2),
        (["HGET", "h", "f"], b"x"),
        (["HGET", "h", "g"], b"y"),
        (["HGET", "h", "i"], b""),
        (["HGET", "h", "none"], None),
        (["HSET", "h", "f"], wrong_args("hset")),
        (["HSET", "h", "f", "v", "g"], wrong_args("hset")),
        (["HGET", "h"], wrong_args("hget")),
        (["GET", "h"], WRONG_TYPE),
        (["SET", "k", "v"], OK),
        (["HSET", "k", "f", "v"], WRONG_TYPE),
        (["HGET", "k", "f"], WRONG_TYPE),
        (["DEL", "h"], 1),
        (["HGET", "h", "f"], None),
    ],
    "sorted-set": [
        (["ZSCORE", "z", "a"], None),
        (["ZADD", "z", 1, "a"], 1),
        (["ZADD", "z", 2, "a", 3, "b"], 1),
        (["ZSCORE", "z", "a"], b"2"),
        (["ZADD", "z", "1.5", "c", "-inf", "d", "inf", "e", "1e3", "f"], 4),
        (["ZSCORE", "z", "c"], b"1.5"),
        (["ZSCORE", "z", "d"], b"-inf"),
        (["ZSCORE", "z", "e"], b"inf"),
        (["ZSCORE", "z", "f"], b"1000"),
        (["ZADD", "z", "0.1", "g"], 1),
        (["ZSCORE", "z", "g"], b"0.10000000000000001"),
        (["ZADD", "z", "3.0e-7", "h"], 1),
        (["ZSCORE", "z", "h"], b"2.9999999999999999e-07"),
        (["ZSCORE", "z", "none"], None),
        (["ZADD", "z", "x", "a"], Error("ERR value is not a valid float")),
        (["ZADD", "z", "nan", "a"], Error("ERR value is not a valid float")),
        (["ZADD", "z", 1, "a", 2], SYNTAX),
        (["ZADD", "z", 1], wrong_args("zadd")),
        (["ZSCORE", "z"], wrong_args("zscore")),
        (["SET", "k", "v"], OK),
        (["ZADD", "k", 1, "a"], WRONG_TYPE),
        (["ZSCORE", "k", "a"], WRONG_TYPE),
    ],
    "keyspace": [
        (["DBSIZE"], 0),
        (["SET", "a", 1], OK),
        (["HSET", "b", "f", "v"], 1),
        (["ZADD", "c", 1, "m"], 1),
        (["DBSIZE"], 3),
        (["FLUSHALL"], OK),
        (["DBSIZE"], 0),
        (["GET", "a"], None),
        (["DBSIZE", "x"], wrong_args("dbsize")),
    ],
    "connection": [
        (["SELECT", 0], OK),
        (["SELECT", "x"], NOT_INTEGER),
        (["SELECT", 10000], Error("ERR DB index is out of range")),
        (["HELLO", 2], Matches("the fields of HELLO", _is_hello)),
        (["HELLO", "x"], Error("ERR Protocol version is not an integer or out of range")),
        (["HELLO", 9], Error("NOPROTO unsupported protocol version")),
        (["CLIENT", "GETNAME"], None),
        (["CLIENT", "SETNAME", "me"], OK),
        (["CLIENT", "GETNAME"], b"me"),
        (["CLIENT", "ID"], Within(1, 1 << 62)),
        (["CLIENT"], wrong_args("client")),
    ],
    "introspection": [
        (["COMMAND"], Matches("entries of GET and SET", _is_command_list)),
        (["COMMAND", "COUNT"], Within(30, 1000)),
        (["INFO"], Matches("a server section", _is_info)),
        (["INFO", "server"], Matches("a server section", _is_info)),
        (["CONFIG", "GET", "save"], Matches("a pair", _is_pair)),
        (["CONFIG", "GET", "no-such-parameter"], []),
        (["PUBLISH", "nobody", "hears"], 0),
        (["PUBLISH", "c"], wrong_args("publish")),
        (["SUBSCRIBE"], wrong_args("subscribe")),
    ],
    "unknown": [
        (["NOSUCH"], Error("ERR unknown command 'NOSUCH', with args beginning with: ")),
        (
            ["nosuch", "a", "b"],
            Error("ERR unknown command 'nosuch', with args beginning with: 'a' 'b' "),
        ),
        (["PING"], Status("PONG")),
    ],
    "subscribe": [
        (["SUBSCRIBE", "c"], [b"subscribe", b"c", 1]),
        (["PING"], [b"pong", b""]),
        (["PING", "x"], [b"pong", b"x"]),
        (
            ["GET", "k"],
            Error(
                "ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT /"
                " RESET are allowed in this context"
            ),
        ),
        (["UNSUBSCRIBE", "c"], [b"unsubscribe", b"c", 0]),
        (["UNSUBSCRIBE"], [b"unsubscribe", None, 0]),
        (["PING"], Status("PONG")),
    ],
}

# Newer than Redis 7.0, but sent by today's clients when they connect.
NEWER_CASES: dict[str, list[Step]] = {
    "client-setinfo": [
        (["CLIENT", "SETINFO", "lib-name", "redis-py"], OK),
        (["CLIENT", "SETINFO", "LIB-VER", "5.0.1"], OK),
    ],
}
