# SPDX-License-Identifier: BSD-3-Clause
"""Packet scripts as text: doc/guides/packet_scripts.rst describes the notation."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

from dts.framework.wire import Opt

EXPECT_SLACK_S = 0.25  # how late an answer without a range may be; a machine that tests is loaded
ANY = b"*"  # in the place of a number
_KEYS = {
    "listener": ("resp", "http", "keepalive"),
    "family": ("ipv4", "ipv6"),
    "config": ("default", "cookies", "impatient", "newreno"),
    "acks": ("riding", "exact"),
    "neighbour": ("automatic", "by hand"),
    "alone": ("yes", "no"),
}
_ODDITIES = (
    *("bad checksum", "bad ip", "doff", "length", "to", "tail", "ttl", "ipopt", "ext", "frag", "cut"),
    *("port", "sport", "mac", "frame", "quoted port", "quote", "for", "no option"),
    *("unsolicited", "unicast", "broadcast", "same port", "iss"),
)

_NUMBER = r"\*|-?\d+"
_SEGMENT = re.compile(
    r"(?P<flags>[FSRPUEW.-]+)"
    rf" (?P<seq>{_NUMBER}):(?P<end>{_NUMBER})\((?P<len>\*|\d+)\)"
    rf"(?: ack (?P<ack>{_NUMBER}))?"
    r"(?: win (?P<win>\d+)(?:~(?P<win_max>\d*))?)?"
    r"(?: urg (?P<urg>\d+))?"
    r"(?: <(?P<opts>[^>]*)>)?"
    r"(?P<text> \"(?:[^\"\\]|\\.)*\")?"
    r"(?: \{(?P<attrs>[^}]*)\})?"
    r"(?: x (?P<nb>\d+)(?:~(?P<nb_max>\d+))?(?: every (?P<every>[\d.]+))?"
    r"(?: step (?P<step>\d+))?)?"
)
_MESSAGE = re.compile(
    rf"(?:\[(?P<seq>{_NUMBER}):(?P<end>{_NUMBER})\((?P<len>\d+)\)\] )?"
    r"(?P<proto>icmp6?|arp|nd) (?P<name>[a-z_]+(?: (?:net|host|protocol|port|frag_needed|admin"
    r"|next_header)\b)?)(?P<fields>(?: [a-z]+ \d+)*)"
    r"(?: \{(?P<attrs>[^}]*)\})?"
    r"(?: x (?P<nb>\d+)(?:~(?P<nb_max>\d+))?(?: every (?P<every>[\d.]+))?)?"
)
_EVENT = re.compile(
    r"(?P<plus>\+?)(?P<lo>\d*\.?\d+)(?:~\+?(?P<hi>\d*\.?\d+))? +(?P<kind><|>\?|>) +(?P<what>.+)"
)
_STREAM_PART = re.compile(
    r"(?P<text>\"(?:[^\"\\]|\\.)*\")(?: \* (?P<times>\d+))?|(?P<word>[a-z]+) (?P<number>\d+)"
)


class ScriptError(Exception):
    """A script that cannot be read."""


@dataclass(frozen=True)
class Segment:
    """A segment to send, or one to expect; None is "any" there.

    Attributes:
        flags: As in the script.
        seq: First sequence number, relative to the sender's initial one.
        length: Bytes of text.
        ack: Relative to the other side's initial sequence number.
        win: Least and largest window, as on the wire.
        urg: Urgent pointer.
        opts: Options; None for any.
        text: Bytes that are sent in place of those of the stream.
    """

    flags: str
    seq: int | None
    length: int | None
    ack: int | None
    win: tuple[int, int] | None
    urg: int
    opts: list[Opt] | None
    text: bytes | None


@dataclass(frozen=True)
class Message:
    """A message of ICMP, ICMPv6, ARP or ND.

    Attributes:
        proto: Which of them.
        name: What kind of message.
        fields: Numbers and words that follow the name.
        quoted: Sequence number and length of the segment that it quotes.
    """

    proto: str
    name: str
    fields: dict[str, str]
    quoted: tuple[int, int] | None


@dataclass(frozen=True, eq=False)
class Event:
    """One line of a script.

    Attributes:
        line: Its number.
        source: The line itself.
        kind: "send", "expect", "option" (may come), "nothing" or "connection".
        lo: Earliest time after the event before it, in seconds.
        hi: Latest time.
        what: What is sent or expected; None for nothing and for a connection.
        attrs: What is odd about the frame.
        nb: Least and largest count.
        every: Seconds between two of them.
        step: From one sequence number to the next.
    """

    line: int
    source: str
    kind: str
    lo: float = 0
    hi: float = 0
    what: Segment | Message | None = None
    attrs: dict[str, str] = field(default_factory=dict)
    nb: tuple[int, int] = (1, 1)
    every: float = 0
    step: int = 0


@dataclass
class Stream:
    """The text of one direction.

    Attributes:
        data: The bytes.
        known: For each byte 1, or 0 where any byte is right.
    """

    data: bytearray = field(default_factory=bytearray)
    known: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes, known: bool = True) -> None:
        """Append text.

        Args:
            data: The bytes.
            known: Whether they have to be these.
        """
        self.data += data
        self.known += bytes([known]) * len(data)

    def differs(self, off: int, data: bytes) -> bool:
        """Compare text with a place of the stream.

        Args:
            off: Where it begins.
            data: The text.

        Returns:
            Whether it is another text than the stream's, or passes its end.
        """
        if off < 0 or off + len(data) > len(self.data):
            return True
        mine = zip(self.data[off:], self.known[off:], data, strict=False)
        return any(known and one != other for one, known, other in mine)


@dataclass
class Script:
    """One script.

    Attributes:
        path: Its file.
        shows: The comment that begins it.
        head: Its header.
        sends: The text of our side, from sequence number 1 on.
        replies: The text that the server has to send; empty for any.
        events: Its lines in order.
    """

    path: Path
    shows: str = ""
    head: dict[str, str] = field(default_factory=dict)
    sends: Stream = field(default_factory=Stream)
    replies: Stream = field(default_factory=Stream)
    events: list[Event] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Topic and name, "reset/exact" for example."""
        return f"{self.path.parent.name}/{self.path.stem}"

    def get(self, key: str) -> str:
        """Read a key of the header.

        Args:
            key: The key.

        Returns:
            Its value, or the default.
        """
        return self.head.get(key, _KEYS[key][-1] if key == "alone" else _KEYS[key][0])


def bulk_key(length: int) -> str:
    """Name the key that the suite stores for replies of a round length.

    Args:
        length: Bytes of the reply to GET, header and end of line included.

    Returns:
        The key.
    """
    return f"b{length}"


def bulk_value(length: int) -> bytes:
    """Give the value of bulk_key().

    Args:
        length: Bytes of the reply.

    Returns:
        The value: no two places of it look the same.
    """
    for digits in range(1, 10):
        size = length - digits - 5
        if size >= 0 and len(str(size)) == digits:
            text = b"".join(b"%06d " % number for number in range(size // 7 + 1))
            return text[:size]
    raise ValueError(f"no reply has {length} bytes")


def _set_command(length: int) -> bytes:
    """SET w VALUE, of a round length as a whole."""
    head = b"*3\r\n$3\r\nSET\r\n$1\r\nw\r\n"
    for digits in range(1, 10):
        size = length - len(head) - digits - 5
        if size >= 0 and len(str(size)) == digits:
            return head + b"$%d\r\n%s\r\n" % (size, b"v" * size)
    raise ScriptError(f"no SET has {length} bytes")


def _literal(text: str) -> bytes:
    value = ast.literal_eval(f"b{text.strip()}")
    assert isinstance(value, bytes)
    return value


def _add_to_stream(stream: Stream, text: str) -> None:
    while text:
        part = _STREAM_PART.match(text)
        if part is None:
            raise ScriptError(f"not a text: {text}")
        if part["text"] is not None:
            stream.add(_literal(part["text"]) * int(part["times"] or 1))
        else:
            number = int(part["number"])
            if part["word"] == "set":
                stream.add(_set_command(number))
            elif part["word"] == "get":
                stream.add(f"GET {bulk_key(number)}\r\n".encode())
            elif part["word"] == "bulk":
                value = bulk_value(number)
                stream.add(b"$%d\r\n%s\r\n" % (len(value), value))
            elif part["word"] == "bytes":
                stream.add(bytes(number), known=False)
            else:
                raise ScriptError(f"not a text: {part['word']}")
        text = text[part.end() :].removeprefix(" + ")


def _number(text: str | None) -> int | None:
    return None if text is None or text == "*" else int(text)


def _opt(text: str) -> Opt:
    name, *words = text.split()
    if name in ("nop", "eol", "sackOK") and not words:
        return name, None
    if name in ("mss", "wscale") and len(words) == 1:
        return name, ANY if words[0] == "*" else int(words[0])
    if name == "raw":
        return name, bytes.fromhex("".join(words))
    if name == "sack" and words:
        blocks = [tuple(map(int, word.split(":"))) for word in words]
        return name, tuple((left, right) for left, right in blocks)
    if name == "TS" and words[0::2] == ["val", "ecr"]:
        # Numbers are as written; text with a star is worked out while the script runs.
        return name, (words[1] + " " + words[3]).encode()
    raise ScriptError(f"not an option: {text}")


def _opts(text: str | None) -> list[Opt] | None:
    if text is None or text == "...":
        return None
    return [_opt(one) for one in text.split(",")] if text else []


def _attrs(text: str | None) -> dict[str, str]:
    found = {}
    for one in (part.strip() for part in (text or "").split(",")):
        name = next((name for name in _ODDITIES if f"{one} ".startswith(f"{name} ")), None)
        if one and name is None:
            raise ScriptError(f"unknown oddity {one}")
        if name is not None:
            found[name] = one[len(name) :].strip()
    return found


def _segment(found: re.Match[str]) -> Segment:
    seq, end, length = _number(found["seq"]), _number(found["end"]), _number(found["len"])
    if seq is not None and end is not None and end != seq + (length or 0):
        raise ScriptError(f"{found['seq']}:{found['end']}({found['len']}) does not add up")
    win = None
    if found["win"] is not None:
        high = found["win"] if found["win_max"] is None else found["win_max"] or "65535"
        win = (int(found["win"]), int(high))
    text = None if found["text"] is None else _literal(found["text"])
    if text is not None and len(text) != length:
        raise ScriptError(f"the text has {len(text)} bytes")
    urg = int(found["urg"] or 0)
    opts = _opts(found["opts"])
    return Segment(found["flags"], seq, length, _number(found["ack"]), win, urg, opts, text)


def _message(found: re.Match[str]) -> Message:
    words = found["fields"].split()
    quoted = None
    if found["seq"] is not None:
        seq, length = int(found["seq"]), int(found["len"])
        if int(found["end"]) != seq + length:
            raise ScriptError("the quoted segment does not add up")
        quoted = (seq, length)
    fields = dict(zip(words[::2], words[1::2], strict=True))
    return Message(found["proto"], found["name"], fields, quoted)


def _event(number: int, text: str) -> Event:
    if text.startswith("new connection"):
        words = text.removeprefix("new connection").strip()
        return Event(number, text, "connection", attrs=_attrs(words))
    found = _EVENT.fullmatch(text)
    if found is None:
        raise ScriptError("neither an event nor a header")
    kind = {"<": "send", ">": "expect", ">?": "option"}[found["kind"]]
    lo = float(found["lo"])
    hi = lo + EXPECT_SLACK_S if found["hi"] is None else float(found["hi"])
    if found["what"] == "nothing" and kind == "expect":
        return Event(number, text, "nothing", lo, lo)
    body = _SEGMENT.fullmatch(found["what"])
    what: Segment | Message
    if body is not None:
        what = _segment(body)
        if kind == "send" and (what.seq is None or what.length is None):
            raise ScriptError("what is sent has a number")
    else:
        body = _MESSAGE.fullmatch(found["what"])
        if body is None:
            raise ScriptError("neither a segment nor a message")
        what = _message(body)
    least = int(body["nb"] or 1)
    nb = (least, int(body["nb_max"] or least))
    every = float(body["every"] or 0)
    step = body.groupdict().get("step")
    if step is None and isinstance(what, Segment):
        step = what.length
    return Event(number, text, kind, lo, hi, what, _attrs(body["attrs"]), nb, every, int(step or 0))


def _take_header(script: Script, key: str, value: str) -> None:
    if key == "send":
        _add_to_stream(script.sends, value)
    elif key == "reply":
        _add_to_stream(script.replies, value)
    elif key == "iss":
        script.head[key] = str(int(value))
    elif key in ("linux", "needs"):
        script.head[key] = value
    elif key in _KEYS and value in _KEYS[key]:
        script.head[key] = value
    else:
        raise ScriptError(f"unknown header {key}: {value}")


def read_script(path: Path) -> Script:
    """Read a script.

    Args:
        path: Its file.

    Returns:
        The script.

    Raises:
        ScriptError: A line of it is wrong; the text names it.
    """
    script = Script(path)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.strip()
        try:
            header = re.fullmatch(r"([a-z]+): (.*)", text)
            if text.startswith("//"):
                if not script.events and not script.head:
                    script.shows = f"{script.shows} {text[2:].strip()}".strip()
            elif header is not None and not script.events:
                _take_header(script, header[1], header[2])
            elif text:
                script.events.append(_event(number, text))
        except (ScriptError, ValueError, IndexError) as error:
            raise ScriptError(f"{path}:{number}: {error}: {text}") from error
    if not script.shows or not script.events:
        raise ScriptError(f"{path}: a script begins with a comment and has an event")
    return script
