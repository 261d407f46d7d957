# SPDX-License-Identifier: BSD-3-Clause
"""Clients of HTTP over ZAP and of calls over ZAP that show the bytes, written from the format."""

from __future__ import annotations

import json
import socket
import struct
from dataclasses import dataclass

from dts.framework.stream import Stream

BINARY, JSON = "binary", "json"  # how header fields are written
REQUEST, RESPONSE, HEAD, DATA, END = 1, 2, 3, 4, 5  # types of frames
CALL, ANSWER, OPEN, MESSAGE, CLOSE = 1, 2, 3, 4, 5  # kinds of frames of calls
FRAME_MAX = 64 << 20
MAGIC = b"ZAP\0"
_HEADER_LEN = 16

Fields = list[tuple[str, str]]


def message(flags: int, fixed: bytes, slots: dict[int, bytes], version: int = 1) -> bytes:
    """Write a message in its canonical form.

    Args:
        flags: Its flags.
        fixed: The fixed section of its root, zeros where slots are.
        slots: Text and bytes by their place in the section, in the order of their tails.
        version: Its version.

    Returns:
        The message.
    """
    section = bytearray(fixed)
    tails = b""
    for at, data in slots.items():
        if data:
            struct.pack_into("<II", section, at, len(fixed) + len(tails) - at, len(data))
            tails += data
    size = _HEADER_LEN + len(section) + len(tails)
    return struct.pack("<4sHHII", MAGIC, version, flags, _HEADER_LEN, size) + section + tails


class Message:
    """A message that was received, which must be canonical up to its tails."""

    def __init__(self, data: bytes, version: int = 1) -> None:
        """Read the header.

        Args:
            data: All bytes of the message.
            version: The version that it must have.

        Raises:
            ValueError: It is none.
        """
        magic, got_version, self.flags, root, size = struct.unpack_from("<4sHHII", data)
        if (magic, got_version, root, size) != (MAGIC, version, _HEADER_LEN, len(data)):
            raise ValueError(f"not a canonical message: {data[:_HEADER_LEN].hex()}")
        self._data = data

    def number(self, at: int, form: str = "<I") -> int:
        """Read a number.

        Args:
            at: Its place in the root.
            form: As struct has it.

        Returns:
            The number.
        """
        (value,) = struct.unpack_from(form, self._data, _HEADER_LEN + at)
        return int(value)

    def slot(self, at: int) -> bytes:
        """Read text or bytes.

        Args:
            at: The place of the slot in the root.

        Returns:
            The bytes, none where the slot is null.

        Raises:
            ValueError: They are not in the message.
        """
        place = _HEADER_LEN + at
        rel, length = struct.unpack_from("<II", self._data, place)
        if rel == 0:
            return b""
        if place + rel + length > len(self._data):
            raise ValueError(f"a slot past the end: {self._data[:80].hex()}")
        return self._data[place + rel : place + rel + length]


def block(fields: Fields, generation: str) -> bytes:
    """Write header fields.

    Args:
        fields: The fields in their order.
        generation: How they are written.

    Returns:
        The block; no bytes where there are no fields.
    """
    if not fields:
        return b""
    if generation == JSON:
        names: dict[str, list[str]] = {}
        for name, value in sorted(fields, key=lambda field: field[0]):
            names.setdefault(name, []).append(value)
        return json.dumps(names, separators=(",", ":"), ensure_ascii=False).encode()
    texts = [text.encode() for field in fields for text in field]
    return struct.pack("<I", len(fields)) + b"".join(
        struct.pack("<I", len(text)) + text for text in texts
    )


def _read_block(data: bytes, generation: str) -> Fields:
    """Read header fields, all bytes of them."""
    if not data:
        return []
    if generation == JSON:
        names = json.loads(data)
        return [(name, value) for name, values in names.items() for value in values]
    (count,) = struct.unpack_from("<I", data)
    at = 4
    texts = []
    for _ in range(2 * count):
        (length,) = struct.unpack_from("<I", data, at)
        texts.append(data[at + 4 : at + 4 + length].decode())
        at += 4 + length
    if at != len(data):
        raise ValueError(f"bytes behind the fields: {data.hex()}")
    return list(zip(texts[::2], texts[1::2], strict=True))


def framed(data: bytes) -> bytes:
    """Put the length of a frame of HTTP in front of it.

    Args:
        data: The message.

    Returns:
        The frame.
    """
    return struct.pack(">I", len(data)) + data


def request(
    method: str,
    target: str,
    body: bytes = b"",
    fields: Fields | None = None,
    generation: str = BINARY,
    version: int = 1,
) -> bytes:
    """Write a request.

    Args:
        method: The method.
        target: The target.
        body: The body.
        fields: The header fields.
        generation: How they are written.
        version: Of the message.

    Returns:
        The frame, its length in front.
    """
    slots = {
        0: method.encode(),
        8: target.encode(),
        16: b"HTTP/1.1",
        24: block(fields or [], generation),
        32: body,
    }
    return framed(message(REQUEST << 8, bytes(48), slots, version))


@dataclass(frozen=True)
class ZapReply:
    """An answer, put together where it came in several frames.

    Attributes:
        status: The status code.
        reason: Its phrase.
        fields: The header fields in their order.
        body: The body.
        nb_frames: How many frames of the body there were; 0: it was one with the head.
    """

    status: int
    reason: str
    fields: Fields
    body: bytes
    nb_frames: int = 0


class ZapClient(Stream):
    """Answers of HTTP over ZAP, read from one connection."""

    def __init__(self, sock: socket.socket, generation: str = BINARY) -> None:
        """Read from a connection.

        Args:
            sock: The connection; close() closes it.
            generation: How header fields are written on it.
        """
        super().__init__(sock)
        self.generation = generation

    def request(
        self, method: str, target: str, body: bytes = b"", fields: Fields | None = None
    ) -> bytes:
        """Write a request of the connection's generation; as request()."""
        return request(method, target, body, fields, self.generation)

    def ask(
        self, method: str, target: str, body: bytes = b"", fields: Fields | None = None
    ) -> ZapReply:
        """Send a request and read its answer.

        Args:
            method: The method.
            target: The target.
            body: The body.
            fields: The header fields.

        Returns:
            The answer.
        """
        self.send(self.request(method, target, body, fields))
        return self.read()

    def read(self) -> ZapReply:
        """Read one answer, which must be in the one canonical form.

        Returns:
            The answer.

        Raises:
            EOFError: The peer has closed before the answer was whole.
            ValueError: The bytes are no answer, or in another form.
        """
        head = self._frame()
        if head.flags not in (RESPONSE << 8, HEAD << 8):
            raise ValueError(f"not an answer: flags {head.flags:#x}")
        is_streamed = head.flags == HEAD << 8
        status, proto = head.number(0, "<Q"), head.slot(16)
        if proto != b"HTTP/1.1":
            raise ValueError(f"the protocol is {proto!r}")
        if is_streamed and (head.slot(32) or head.slot(40)):
            raise ValueError("a head with a body or a trailer")
        reason, body = head.slot(8).decode(), head.slot(32)
        fields = _read_block(head.slot(24), self.generation)
        if not is_streamed:
            self._compare(head.flags, status, reason, fields, body)
            return ZapReply(status, reason, fields, body)
        parts = []
        while (part := self._frame()).flags == DATA << 8:
            parts.append(part.slot(0))
        if part.flags != END << 8 or part.slot(0):
            raise ValueError(f"not the end of a body: flags {part.flags:#x}")
        return ZapReply(status, reason, fields, b"".join(parts), len(parts))

    def _compare(self, flags: int, status: int, reason: str, fields: Fields, body: bytes) -> None:
        """Write the answer as we would: it must be what came."""
        slots = {
            8: reason.encode(),
            16: b"HTTP/1.1",
            24: block(fields, self.generation),
            32: body,
        }
        mine = message(flags, struct.pack("<Q", status) + bytes(40), slots)
        if mine != self._last:
            raise ValueError(f"not canonical: {self._last[:200].hex()}")

    def _frame(self) -> Message:
        """Read a frame."""
        (length,) = struct.unpack(">I", self.take(4))
        if not 0 < length <= FRAME_MAX:
            raise ValueError(f"a frame of {length} bytes")
        self._last = self.take(length)
        return Message(self._last)


def call_envelope(
    method: int, promise: int = 0, target: int = 0, payload: bytes = b"", cap: bytes = b""
) -> bytes:
    """Write the envelope of a call.

    Args:
        method: The ordinal.
        promise: The number of its answer, 0: none.
        target: The promise whose answer is its parameter, 0: none.
        payload: The parameter.
        cap: The capability.

    Returns:
        The message.
    """
    fixed = struct.pack("<III", method, promise, target) + bytes(16)
    return message(200 << 8, fixed, {12: cap, 20: payload}, version=2)


def call_frame(kind: int, body: bytes) -> bytes:
    """Write a frame of calls.

    Args:
        kind: What it is.
        body: What follows.

    Returns:
        The frame, its length in front.
    """
    return struct.pack("<IB", 1 + len(body), kind) + body


def call(
    method: int, promise: int = 0, target: int = 0, payload: bytes = b"", cap: bytes = b""
) -> bytes:
    """Write a call in its frame; as call_envelope()."""
    return call_frame(CALL, call_envelope(method, promise, target, payload, cap))


@dataclass(frozen=True)
class Answer:
    """The answer to a call.

    Attributes:
        status: The status.
        promise: The number that the caller gave it.
        body: The body.
    """

    status: int
    promise: int
    body: bytes = b""


class CallClient(Stream):
    """Answers to calls, read from one connection."""

    def ask(
        self, method: int, promise: int = 0, target: int = 0, payload: bytes = b"", cap: bytes = b""
    ) -> Answer:
        """Send a call and read the next answer; as call_envelope().

        Returns:
            The answer, which may be another call's.
        """
        self.send(call(method, promise, target, payload, cap))
        return self.read()

    def read(self) -> Answer:
        """Read one answer, which must be in the one canonical form.

        Returns:
            The answer.

        Raises:
            EOFError: The peer has closed before the answer was whole.
            ValueError: The bytes are no answer, or in another form.
        """
        length, kind = struct.unpack("<IB", self.take(5))
        if kind != ANSWER or length > FRAME_MAX:
            raise ValueError(f"not an answer: kind {kind}, {length} bytes")
        data = self.take(length - 1)
        got = Message(data, version=2)
        answer = Answer(got.number(0), got.number(4), got.slot(12))
        fixed = struct.pack("<II", answer.status, answer.promise) + bytes(12)
        if data != message(200 << 8, fixed, {12: answer.body}, version=2):
            raise ValueError(f"not canonical: {data[:200].hex()}")
        return answer
