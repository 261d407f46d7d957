# SPDX-License-Identifier: BSD-3-Clause
"""A client of SBE that shows the bytes: frames are written and read field by field."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from dts.framework.stream import Stream

MAGIC = b"GOBLINS!"
SCHEMA_ID = 7
VERSION = 2
HEADER_LEN = 8
_LEN_LEN = 4


@dataclass(frozen=True)
class Nil:
    """No value."""


@dataclass(frozen=True)
class Status:
    """A status such as OK."""

    text: bytes


@dataclass(frozen=True)
class Error:
    """An error: its code, and what it says."""

    code: bytes
    message: bytes


@dataclass(frozen=True)
class Int:
    """An integer."""

    value: int


@dataclass(frozen=True)
class Double:
    """A score."""

    value: float


@dataclass(frozen=True)
class Bulk:
    """One value."""

    value: bytes


@dataclass(frozen=True)
class Array:
    """Several values."""

    items: tuple[bytes, ...]


@dataclass(frozen=True)
class Push:
    """A message, or what subscribing and unsubscribing confirm."""

    kind: int
    count: int
    pattern: bytes
    channel: bytes
    payload: bytes


Reply = Nil | Status | Error | Int | Double | Bulk | Array | Push


def var(data: bytes) -> bytes:
    """Write data of any length.

    Args:
        data: The data.

    Returns:
        Its length and the data.
    """
    return struct.pack("<I", len(data)) + data


def group(block_len: int, entries: list[bytes]) -> bytes:
    """Write a group.

    Args:
        block_len: Bytes of the fixed fields of each entry.
        entries: Each with its fixed fields and its data.

    Returns:
        The group.
    """
    return struct.pack("<HH", block_len, len(entries)) + b"".join(entries)


def frame(
    template: int,
    block: bytes = b"",
    rest: bytes = b"",
    block_len: int | None = None,
    schema: int = SCHEMA_ID,
    version: int = VERSION,
) -> bytes:
    """Write a frame.

    Args:
        template: Its id.
        block: Its fixed fields.
        rest: Groups and data behind them.
        block_len: What the header says of the block; None: the truth.
        schema: The id of the schema.
        version: Its version.

    Returns:
        The frame, its length in front.
    """
    length = len(block) if block_len is None else block_len
    body = struct.pack("<HHHH", length, template, schema, version) + block + rest
    return struct.pack("<I", len(body)) + body


class _Reader:
    """The body of a frame, taken from its front."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def take(self, form: str) -> tuple[int, ...]:
        """Take fixed fields."""
        size = struct.calcsize(form)
        values = struct.unpack(form, self._data[:size])
        self._data = self._data[size:]
        return values

    def var(self) -> bytes:
        """Take data."""
        (length,) = self.take("<I")
        if length > len(self._data):
            raise ValueError("data past the end of a frame")
        value, self._data = self._data[:length], self._data[length:]
        return value

    def end(self) -> None:
        """Nothing may be left."""
        if self._data:
            raise ValueError(f"{len(self._data)} bytes behind a message")


_BLOCK_LEN = {1: 0, 2: 0, 3: 0, 4: 8, 5: 8, 6: 0, 7: 0, 12: 5}


def parse(data: bytes) -> Reply:
    """Read a reply.

    Args:
        data: A frame without its length.

    Returns:
        The reply.

    Raises:
        ValueError: It is none, or not all of it.
    """
    block_len, template, schema, version = struct.unpack("<HHHH", data[:HEADER_LEN])
    if (schema, version) != (SCHEMA_ID, VERSION) or block_len != _BLOCK_LEN.get(template):
        raise ValueError(f"not a reply: {data[:HEADER_LEN].hex()}")
    body = _Reader(data[HEADER_LEN:])
    reply: Reply
    if template == 1:
        reply = Nil()
    elif template == 2:
        reply = Status(body.var())
    elif template == 3:
        reply = Error(body.var(), body.var())
    elif template == 4:
        reply = Int(*body.take("<q"))
    elif template == 5:
        reply = Double(*body.take("<d"))
    elif template == 6:
        reply = Bulk(body.var())
    elif template == 7:
        entry_len, nb_items = body.take("<HH")
        if entry_len != 0:
            raise ValueError("an item with fixed fields")
        reply = Array(tuple(body.var() for _ in range(nb_items)))
    else:
        kind, count = body.take("<BI")
        reply = Push(kind, count, body.var(), body.var(), body.var())
    body.end()
    return reply


class SbeClient(Stream):
    """Replies read from one connection."""

    def ask(self, data: bytes) -> Reply:
        """Send a frame and read its reply.

        Args:
            data: The frame.

        Returns:
            The reply.
        """
        self.send(data)
        return self.read()

    def read(self) -> Reply:
        """Read one reply.

        Returns:
            The reply.

        Raises:
            EOFError: The peer has closed.
        """
        return parse(self.read_frame()[_LEN_LEN:])

    def read_frame(self) -> bytes:
        """Read the bytes of one reply.

        Returns:
            The frame with its length.

        Raises:
            EOFError: The peer has closed.
        """
        while len(self._data) < _LEN_LEN:
            self._fill()
        return self.take(self._frame_len())

    def _frame_len(self) -> int:
        return _LEN_LEN + int.from_bytes(self._data[:_LEN_LEN], "little")
