# SPDX-License-Identifier: BSD-3-Clause
"""Commands and bytes at random, most of them odd: two servers must agree on all of them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

_KEYS = ["k", "s", "h", "z", "n", ""]
_WORDS = (
    "1 -1 0 abc 9223372036854775807 -9223372036854775808 9223372036854775808 1.5 inf -inf nan 1e400"
    " 0x10 +1 01 1e2 1.0000000000000002 3.0e-7 infinity +inf 1_0 .5 5. - + 0x1p3 NaN"
    " 123456789012345678901234567890 0.1 100 16777217"
).split()
_VALUES = [*_WORDS, "", " 1", "1 ", "\0", "a b"]
# Times are over at once or never in a run, and within what either server can count.
_TIMES = "100000 -1 0 x -9223372036854775808 4102444800 4102444800000 1.5".split() + [""]
_SET_OPTIONS = "NX XX GET KEEPTTL EX PX EXAT PXAT WHAT".split()
_ZADD_OPTIONS = "NX XX GT LT CH INCR".split()
_EXPIRE_OPTIONS = "NX XX GT LT WHAT".split()
_HELLO = [["2"], ["3"], ["4"], ["3", "AUTH", "default"], ["3", "WHAT"], ["2", "AUTH", "x", "y"]]
_CLIENT = [["GETNAME"], ["NO-EVICT", "ON"], ["WHAT"], ["LIST", "TYPE", "x"], ["LIST", "ID", "0x"]]
_COMMAND = [
    *(["WHAT"], ["GETKEYS", "GET"], ["GETKEYS", "SET", "a", "b"], ["GETKEYS", "NOSUCH"]),
    *(["GETKEYS", "PING"], ["GETKEYS"], ["INFO", "no", "nor"], ["LIST", "FILTERBY", "x", "y"]),
]


class _Source:
    """Arguments at random, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def one(self, words: list[str]) -> str:
        return self._random.choice(words)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)

    def line(self, lines: list[list[str]]) -> list[str]:
        return list(self._random.choice(lines))

    def key(self) -> str:
        return self.one(_KEYS)

    def keys(self) -> list[str]:
        return [self.key() for _ in range(1 + self.below(3))]

    def value(self) -> str:
        return self.one(_VALUES)

    def options(self, words: list[str]) -> list[str]:
        return [self.cased(self.one(words)) for _ in range(self.below(3))]

    def cased(self, word: str) -> str:
        return [word, word, word.lower(), word.capitalize()][self.below(4)]

    def set_options(self) -> list[str]:
        args = []
        for option in self.options(_SET_OPTIONS):
            is_time = option.upper() in ("EX", "PX", "EXAT", "PXAT")
            args += [option, self.one(_TIMES)] if is_time else [option]
        return args

    def members(self) -> list[str]:
        return [arg for _ in range(1 + self.below(2)) for arg in (self.value(), self.one(["a", "b"]))]


_Args = Callable[[_Source], list[str]]


def _key_only(source: _Source) -> list[str]:
    return [source.key()]


def _key_and_value(source: _Source) -> list[str]:
    return [source.key(), source.value()]


def _expire(source: _Source) -> list[str]:
    return [source.key(), source.one(_TIMES), *source.options(_EXPIRE_OPTIONS)]


def _field(source: _Source) -> list[str]:
    return [source.key(), source.one(["f", "g", ""])]


def _nothing(_: _Source) -> list[str]:
    return []


def _value_only(source: _Source) -> list[str]:
    return [source.value()]


def _set(source: _Source) -> list[str]:
    return [*_key_and_value(source), *source.set_options()]


def _zadd(source: _Source) -> list[str]:
    return [source.key(), *source.options(_ZADD_OPTIONS), *source.members()]


def _flush(source: _Source) -> list[str]:
    return source.options(["ASYNC", "x"])


# Hashes have one field, f: fields come in any order.
_COMMANDS: list[tuple[str, _Args]] = [
    *((name, _key_only) for name in "GET INCR DECR TYPE TTL PERSIST HLEN HGETALL ZCARD".split()),
    *((name, _key_and_value) for name in "INCRBY DECRBY PUBLISH".split()),
    *((name, _expire) for name in "EXPIRE PEXPIRE EXPIREAT PEXPIREAT".split()),
    *((name, _field) for name in ("HGET", "HDEL")),
    *((name, _Source.keys) for name in ("DEL", "EXISTS")),
    *((name, _value_only) for name in ("ECHO", "PING", "SELECT", "HELLO")),
    *((name, _set) for name in ("SET", "SET")),
    ("HSET", lambda source: [source.key(), "f", source.value()]),
    *((name, _zadd) for name in ("ZADD", "ZADD")),
    ("ZSCORE", lambda source: [source.key(), source.one(["a", "b", "c"])]),
    ("SUBSCRIBE", lambda source: [source.one(["a", "b"])]),
    ("UNSUBSCRIBE", lambda source: [source.one(["a", "b", "c"])]),
    ("PUBLISH", lambda source: [source.one(["a", "b", "c"]), source.value()]),
    *((name, _nothing) for name in ("DBSIZE", "PING", "RESET")),
    *((name, _flush) for name in ("FLUSHALL", "FLUSHDB")),
    ("HELLO", lambda source: source.line(_HELLO)),
    ("CLIENT", lambda source: source.line(_CLIENT)),
    ("CLIENT", lambda source: ["SETNAME", source.value()]),
    ("COMMAND", lambda source: source.line(_COMMAND)),
    ("CONFIG", lambda source: ["GET", "no-such-parameter"]),
    ("NOSUCH", lambda source: [source.value() for _ in range(source.below(3))]),
]


def random_commands(seed: int, count: int) -> list[list[str]]:
    """Make commands; one in thirty has an argument too few or too many.

    Args:
        seed: The same seed makes the same commands.
        count: How many.

    Returns:
        The commands.
    """
    source = _Source(seed)
    commands = []
    for _ in range(count):
        name, args_of = _COMMANDS[source.below(len(_COMMANDS))]
        args = args_of(source)
        what = source.below(60)
        if what == 0 and len(args) > 1:
            args.pop()
        elif what == 1:
            args.append("x")
        commands.append([source.cased(name), *args])
    return commands


# No zero byte: Redis looks for the end of a line as for that of a string of C, and so waits.
_PIECES = [
    *(b"PING", b"ECHO ", b"echo", b'"', b"'", b"\\x41", b"\\n", b'\\"', b"\\'", b"\\", b" ", b"\t"),
    *(b"\r\n", b"\r\n", b"\r\n", b"\n", b"*1\r\n", b"*2\r\n", b"*3\r\n", b"$4\r\nPING\r\n"),
    *(b"$4\r\nECHO\r\n", b"$3\r\nabc\r\n", b"$-1\r\n", b"$0\r\n\r\n", b"*0\r\n", b"*-1\r\n"),
    *(b"*-9\r\n", b"$", b"*", b"a", b"\x80", b"\\xg1", b"\\x4", b"*1\r\n$4\r\nPING\r\n"),
    *(b"*2\r\n$4\r\nECHO\r\n$2\r\n\r\n\r\n", b'SET k "a b"\r\n', b'GET "k"\r\n'),
]


def random_stream(seed: int) -> bytes:
    """Make bytes of which some are RESP.

    Args:
        seed: The same seed makes the same bytes.

    Returns:
        Up to 13 pieces: commands, halves of them, quotes, escapes, ends of lines.
    """
    random = Random(seed)
    return b"".join(random.choices(_PIECES, k=random.randrange(1, 14)))
