# SPDX-License-Identifier: BSD-3-Clause
"""Requests of every template of SBE and their replies, and what is no request."""

from __future__ import annotations

import struct

from dts.framework.sbe import (
    Array,
    Bulk,
    Double,
    Error,
    Int,
    Nil,
    Push,
    Reply,
    Status,
    frame,
    group,
    var,
)

PONG = Status(b"PONG")
OK = Status(b"OK")
WRONG_TYPE = Error(b"WRONGTYPE", b"Operation against a key holding the wrong kind of value")
NOT_INTEGER = Error(b"ERR", b"value is not an integer or out of range")
SYNTAX = Error(b"ERR", b"syntax error")
NX, XX, GET, KEEPTTL = 1, 2, 4, 8
GT, LT, CH, INCR = 4, 8, 16, 32
EX, PX, EXAT, PXAT = 1, 2, 3, 4
FAR_S = 4_000_000_000  # a Unix time far from now

Step = tuple[bytes, Reply]


def ping() -> bytes:
    """Ping."""
    return frame(16)


def of(template: int, *data: bytes) -> bytes:
    """Write a request that is nothing but data.

    Args:
        template: Its id.
        data: Keys, fields, values.

    Returns:
        The frame.
    """
    return frame(template, b"", b"".join(map(var, data)))


def of_group(template: int, items: list[bytes], *data: bytes) -> bytes:
    """Write a request with a group of data.

    Args:
        template: Its id.
        items: The data of one entry each.
        data: What follows the group.

    Returns:
        The frame.
    """
    return frame(template, b"", group(0, list(map(var, items))) + b"".join(map(var, data)))


def get(key: bytes) -> bytes:
    """Get."""
    return of(22, key)


def set_(key: bytes, value: bytes, flags: int = 0, mode: int = 0, amount: int = 0) -> bytes:
    """Set."""
    return frame(23, struct.pack("<BBq", flags, mode, amount), var(key) + var(value))


def incr_by(template: int, key: bytes, delta: int) -> bytes:
    """IncrBy (31) or DecrBy (32)."""
    return frame(template, struct.pack("<q", delta), var(key))


def expire(template: int, key: bytes, amount: int, flags: int = 0) -> bytes:
    """Expire (37), PExpire (38), ExpireAt (39) or PExpireAt (40)."""
    return frame(template, struct.pack("<qB", amount, flags), var(key))


def hset(key: bytes, pairs: dict[bytes, bytes]) -> bytes:
    """HSet."""
    entries = [var(field) + var(value) for field, value in pairs.items()]
    return frame(46, b"", group(0, entries) + var(key))


def zadd(key: bytes, members: dict[bytes, float], flags: int = 0) -> bytes:
    """ZAdd."""
    entries = [struct.pack("<d", score) + var(member) for member, score in members.items()]
    return frame(17, bytes([flags]), group(8, entries) + var(key))


def publish(channel: bytes, payload: bytes) -> bytes:
    """Publish."""
    return of(100, channel, payload)


def subscribe(*channels: bytes) -> bytes:
    """Subscribe."""
    return of_group(96, list(channels))


def unsubscribe(*channels: bytes) -> bytes:
    """Unsubscribe."""
    return of_group(97, list(channels))


# Each case has keys of its own, none of which are there when it begins.
CASES: dict[str, list[Step]] = {
    "ping": [(ping(), PONG)],
    "echo": [(of(65, b"\x00\r\n\xff"), Bulk(b"\x00\r\n\xff")), (of(65, b""), Bulk(b""))],
    "set-get": [
        (get(b"sg:k"), Nil()),
        (set_(b"sg:k", b"v"), OK),
        (get(b"sg:k"), Bulk(b"v")),
        (set_(b"sg:k", b"w", NX), Nil()),
        (set_(b"sg:k", b"w", XX | GET), Bulk(b"v")),
        (set_(b"sg:none", b"w", XX), Nil()),
        (set_(b"sg:k", b"x", 0, EX, 100), OK),
        (of(41, b"sg:k"), Int(100)),
        (set_(b"sg:k", b"y", KEEPTTL), OK),
        (of(41, b"sg:k"), Int(100)),
        (set_(b"sg:k", b"z", 0, PX, 100_000), OK),
        (of(41, b"sg:k"), Int(100)),
        (set_(b"sg:k", b"z", 0, EXAT, FAR_S), OK),
        (set_(b"sg:k", b"z", 0, PXAT, FAR_S * 1000), OK),
        (set_(b"sg:k", b"v", NX | XX), SYNTAX),
        (set_(b"sg:k", b"v", KEEPTTL, EX, 1), SYNTAX),
        (set_(b"sg:k", b"v", 0x10), SYNTAX),
        (set_(b"sg:k", b"v", 0, 5, 1), SYNTAX),
        (set_(b"sg:k", b"v", 0, EX, 0), Error(b"ERR", b"invalid expire time in 'set' command")),
        (get(b"sg:k"), Bulk(b"z")),
    ],
    "numbers": [
        (of(29, b"n:k"), Int(1)),
        (of(30, b"n:k"), Int(0)),
        (incr_by(31, b"n:k", 1 << 62), Int(1 << 62)),
        (incr_by(32, b"n:k", -(1 << 61)), Int((1 << 62) + (1 << 61))),
        (incr_by(31, b"n:k", 1 << 62), Error(b"ERR", b"increment or decrement would overflow")),
        (set_(b"n:k", b"x"), OK),
        (of(29, b"n:k"), NOT_INTEGER),
        (hset(b"n:h", {b"f": b"v"}), Int(1)),
        (of(29, b"n:h"), WRONG_TYPE),
        (get(b"n:h"), WRONG_TYPE),
    ],
    "keys": [
        (set_(b"k:a", b"1"), OK),
        (hset(b"k:b", {b"f": b"v"}), Int(1)),
        (zadd(b"k:c", {b"m": 1.0}), Int(1)),
        (of(36, b"k:a"), Status(b"string")),
        (of(36, b"k:b"), Status(b"hash")),
        (of(36, b"k:c"), Status(b"zset")),
        (of(36, b"k:none"), Status(b"none")),
        (of_group(35, [b"k:a", b"k:a", b"k:none"]), Int(2)),
        (of_group(34, [b"k:a", b"k:b", b"k:none"]), Int(2)),
        (of_group(35, [b"k:a", b"k:b", b"k:c"]), Int(1)),
        (of_group(34, []), Error(b"ERR", b"wrong number of arguments for 'del' command")),
    ],
    "expiry": [
        (of(41, b"e:k"), Int(-2)),
        (of(42, b"e:k"), Int(-2)),
        (expire(37, b"e:k", 10), Int(0)),
        (set_(b"e:k", b"v"), OK),
        (of(41, b"e:k"), Int(-1)),
        (expire(37, b"e:k", 100), Int(1)),
        (of(41, b"e:k"), Int(100)),
        (expire(37, b"e:k", 200, NX), Int(0)),
        (expire(37, b"e:k", 200, XX), Int(1)),
        (expire(37, b"e:k", 100, GT), Int(0)),
        (expire(37, b"e:k", 100, LT), Int(1)),
        (expire(38, b"e:k", 100_000), Int(1)),
        (of(41, b"e:k"), Int(100)),
        (expire(39, b"e:k", FAR_S), Int(1)),
        (expire(40, b"e:k", FAR_S * 1000), Int(1)),
        (expire(37, b"e:k", 1, 0x10), SYNTAX),
        (
            expire(37, b"e:k", 1, NX | XX),
            Error(b"ERR", b"NX and XX, GT or LT options at the same time are not compatible"),
        ),
        (of(43, b"e:k"), Int(1)),
        (of(43, b"e:k"), Int(0)),
        (of(42, b"e:k"), Int(-1)),
        (expire(37, b"e:k", -1), Int(1)),
        (get(b"e:k"), Nil()),
    ],
    "hash": [
        (hset(b"h:k", {b"f": b"v", b"g": b""}), Int(2)),
        (hset(b"h:k", {b"f": b"w"}), Int(0)),
        (of(48, b"h:k", b"f"), Bulk(b"w")),
        (of(48, b"h:k", b"g"), Bulk(b"")),
        (of(48, b"h:k", b"none"), Nil()),
        (of(48, b"h:none", b"f"), Nil()),
        (of(54, b"h:k"), Int(2)),
        (of_group(50, [b"g", b"none"], b"h:k"), Int(1)),
        (of(51, b"h:k"), Array((b"f", b"w"))),
        (of(51, b"h:none"), Array(())),
        (hset(b"h:k", {}), Error(b"ERR", b"wrong number of arguments for 'hset' command")),
        (set_(b"h:s", b"v"), OK),
        (hset(b"h:s", {b"f": b"v"}), WRONG_TYPE),
        (of(51, b"h:s"), WRONG_TYPE),
    ],
    "sorted-set": [
        (zadd(b"z:k", {b"a": 1.5, b"b": float("-inf"), b"c": 0.1}), Int(3)),
        (of(19, b"z:k", b"a"), Double(1.5)),
        (of(19, b"z:k", b"b"), Double(float("-inf"))),
        (of(19, b"z:k", b"c"), Double(0.1)),
        (of(19, b"z:k", b"none"), Nil()),
        (of(18, b"z:k"), Int(3)),
        (zadd(b"z:k", {b"a": 2.0, b"d": 5e-324}, CH), Int(2)),
        (of(19, b"z:k", b"d"), Double(5e-324)),
        (zadd(b"z:k", {b"a": 0.5}, INCR), Double(2.5)),
        (zadd(b"z:k", {b"a": 1.0}, INCR | NX), Nil()),
        (zadd(b"z:k", {b"a": 1.0}, GT | XX), Int(0)),
        (zadd(b"z:k", {b"a": float("nan")}), Error(b"ERR", b"value is not a valid float")),
        (zadd(b"z:k", {}), SYNTAX),
        (zadd(b"z:k", {b"a": 1.0}, 0x40), SYNTAX),
        (zadd(b"z:k", {b"a": 1.0}, NX | XX), SYNTAX),
        (zadd(b"z:k", {b"a": 1.0}, GT | LT), SYNTAX),
        (zadd(b"z:k", {b"a": 1.0, b"b": 1.0}, INCR), SYNTAX),
    ],
    "to-oneself": [
        (subscribe(b"own"), Push(2, 1, b"", b"own", b"")),
        (publish(b"own", b"x"), Push(0, 0, b"", b"own", b"x")),
        (ping(), Int(1)),  # the reply of Publish comes behind the push
        (unsubscribe(b"own"), PONG),
        (ping(), Push(4, 0, b"", b"own", b"")),
        (unsubscribe(), PONG),
        (ping(), Push(4, 0, b"", b"", b"")),
        (publish(b"own", b"x"), PONG),
        (ping(), Int(0)),
        (ping(), PONG),
        (of(65, b"end"), PONG),
    ],
    "later-versions": [
        (frame(16, version=3), PONG),
        (frame(16, b"\x01\x02\x03"), PONG),
        (frame(16, b"", b"trailing"), PONG),
        (frame(22, b"\xff" * 9, var(b"l:none")), Nil()),
        (frame(34, b"", group(3, [b"abc" + var(b"l:none")])), Int(0)),
    ],
    "unknown": [
        (frame(0), Error(b"ERR", b"unknown template id 0")),
        (frame(1), Error(b"ERR", b"unknown template id 1")),
        (frame(12), Error(b"ERR", b"unknown template id 12")),
        (frame(128), Error(b"ERR", b"unknown template id 128")),
        (frame(65535), Error(b"ERR", b"unknown template id 65535")),
        (ping(), PONG),
    ],
}

# Every template that is a request: none of them is left out above.
TEMPLATES = {
    *(16, 17, 18, 19, 22, 23, 29, 30, 31, 32, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43),
    *(46, 48, 50, 51, 54, 65, 78, 96, 97, 100),
}


def _cut(data: bytes, nb_bytes: int) -> bytes:
    """A frame that ends early and says so."""
    body = data[4:-nb_bytes]
    return struct.pack("<I", len(body)) + body


# What cannot be read on, and what it is told before the close.
BAD: dict[str, tuple[bytes, bytes]] = {
    "length-0": (struct.pack("<I", 0), b"frame too short for a header"),
    "length-7": (struct.pack("<I", 7) + bytes(7), b"frame too short for a header"),
    "length-16M": (struct.pack("<I", (16 << 20) - 3), b"frame too long"),
    "length-4G": (struct.pack("<I", 0xFFFFFFFF), b"frame too long"),
    "schema": (frame(16, schema=6), b"unknown schema"),
    "version": (frame(16, version=1), b"schema version too old"),
    "version-0": (frame(16, version=0), b"schema version too old"),
    "block-past-end": (frame(16, block_len=1), b"bad block length"),
    "block-short": (frame(31, bytes(7), var(b"k")), b"bad block length"),
    "block-none": (frame(23, b"", var(b"k") + var(b"v")), b"bad block length"),
    "no-group": (frame(34), b"bad group"),
    "half-dimension": (frame(34, b"", b"\0\0\1"), b"bad group"),
    "entry-short": (frame(17, b"\0", group(7, [bytes(7)]) + var(b"k")), b"bad group"),
    "entries-past-end": (frame(17, b"\0", struct.pack("<HH", 8, 2) + bytes(8)), b"data past"),
    "entry-past-end": (frame(17, b"\0", struct.pack("<HH", 8, 1) + bytes(7)), b"bad group"),
    "no-data": (frame(22), b"data past"),
    "data-cut": (_cut(get(b"key"), 1), b"data past"),
    "second-data-cut": (_cut(set_(b"k", b"value"), 5), b"data past"),
    "data-of-4G": (frame(22, b"", b"\xff\xff\xff\xff"), b"data past"),
    "group-data-cut": (_cut(of_group(34, [b"a", b"b"]), 2), b"data past"),
}
