# SPDX-License-Identifier: BSD-3-Clause
"""The player of packet scripts itself: it must see each fault of a server, and none where none is."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from dts.framework.lab import ROOT
from dts.framework.player import Ends, Player, Received, ScriptFailure
from dts.framework.script import ScriptError, read_script
from dts.framework.wire import (
    PROTO_TCP,
    Ip,
    Opt,
    Tcp,
    ethernet,
    flags_bits,
    parse_frame,
)

SCRIPTS = ROOT / "dts" / "scripts"
ENDS = Ends(
    b"\2\0\0\0\0\1", b"\x0a\x4d\1\1", 40000, b"\2\0\0\0\0\2", b"\x0a\x4d\0\1", 6379
)
ISS, IRS = 1000000, 0xFFFFFFF0  # the server's numbers wrap
MSS: Opt = ("mss", 1460)
HEAD = """// A conversation with a server that is none.
send: "PING\\r\\n"
reply: "+PONG\\r\\n"
{head}
0    < S 0:0(0) win 1000 <mss 1460{opts}>
+0   > S. 0:0(0) ack 1 <...>
{body}
"""


@dataclass
class Answer:
    """A segment of the server.

    Attributes:
        flags: As in a script.
        seq: Relative.
        ack: Relative.
        at: When it came by its stamp, in seconds after the beginning; 0 for now.
        fault: What is wrong with the frame.
    """

    flags: str
    seq: int
    ack: int
    text: bytes = b""
    win: int = 5000
    opts: list[Opt] = field(default_factory=list)
    at: float = 0
    fault: str = ""

    def frame(self) -> bytes:
        """Write it."""
        seq, ack = (IRS + self.seq) % (1 << 32), ISS + self.ack
        flags, text = flags_bits(self.flags), self.text
        tcp = Tcp(6379, 40000, seq, ack, flags, self.win, self.opts, text)
        tcp.cksum_xor = 1 if self.fault == "checksum" else 0
        ip = Ip(ENDS.srv_addr, ENDS.addr, PROTO_TCP, 63 if self.fault == "ttl" else 64)
        mac = ENDS.mac if self.fault == "mac" else ENDS.srv_mac
        return ethernet(mac, ENDS.mac, ip.emit(tcp.emit(ip.src, ip.dst)))


SYN_ACK = Answer("S.", 0, 1, opts=[MSS])
PONG = Answer("P.", 1, 7, b"+PONG\r\n")
ASK = "+0 < P. 1:7(6) ack 1\n"


def _ts(answer: Answer, val: int) -> Answer:
    return replace(answer, opts=[*answer.opts, ("TS", (val, 100))])


def _play(path: Path, body: str, answers: list[Answer], opts: str = "", head: str = "") -> str:
    """Play a script against answers; returns what the player found, or nothing."""
    path.write_text(HEAD.format(body=body, opts=opts, head=head))
    player = Player(read_script(path), ENDS, lambda frame: len(frame))
    left = [SYN_ACK, *answers] if not opts else [_ts(SYN_ACK, 5000), *answers]
    begin = time.time()
    try:
        play = player.play()
        until = next(play)
        while True:
            if left:
                answer = left.pop(0)
                packet = parse_frame(answer.frame())
                assert packet is not None
                at = begin + answer.at if answer.at > 0 else time.time()
                until = play.send(Received(at, packet))
            else:
                time.sleep(max(0.0, until - time.time()))
                until = play.send(None)
    except ScriptFailure as failure:
        return str(failure)
    except StopIteration:
        return ""


PLAIN = "+0 > P. 1:8(7) ack 7"
FOUND: dict[str, tuple[str, list[Answer], str]] = {
    "flags": (PLAIN, [replace(PONG, flags="PU.")], "urgent"),
    "push": (PLAIN, [replace(PONG, flags=".")], "other flags"),
    "number": (PLAIN, [replace(PONG, seq=2, text=b"PONG\r\n")], "another length"),
    "later": ("+0 > P. 2:8(6) ack 7", [replace(PONG, seq=1, text=b"+PONG\r")], "sequence number"),
    "ack": (PLAIN, [replace(PONG, ack=6)], "another acknowledgment"),
    "window": (PLAIN.replace("ack 7", "ack 7 win 1"), [PONG], "another window"),
    "edge": (PLAIN, [replace(PONG, win=4000)], "went back"),
    "options": (PLAIN + " <sack 1:2>", [PONG], "no option sack"),
    "more options": (PLAIN, [replace(PONG, opts=[("sack", ((1, 2),))])], "not negotiated"),
    "late MSS": (PLAIN, [replace(PONG, opts=[MSS])], "mss without SYN"),
    "text": (PLAIN, [replace(PONG, text=b"+PUNG\r\n")], "not that of the reply"),
    "checksum": (PLAIN, [replace(PONG, fault="checksum")], "bad checksum"),
    "ttl": (PLAIN, [replace(PONG, fault="ttl")], "TTL 63"),
    "mac": (PLAIN, [replace(PONG, fault="mac")], "another MAC"),
    "missing": ("+0~.02 > P. 1:8(7) ack 7", [], "nothing came in time"),
    "late": ("+0~.2 > P. 1:8(7) ack 7", [replace(PONG, at=0.3)], "too late"),
    "early": ("+.1 > P. 1:8(7) ack 7", [PONG], "too early"),
    "silence": ("+.5 > nothing", [replace(PONG, at=0.1)], "should be silence"),
    "unasked": ("+.02 < . 7:7(0) ack 8", [PONG], "nobody asked"),
    "other ACK": (PLAIN, [Answer(".", 1, 3)], "other flags"),
    "too few": ("+0~.02 > . 1:1(0) ack 7 x 2", [Answer(".", 1, 7)], "1 of 2 came"),
    "too many": ("+0~.02 > . 1:1(0) ack 7 x 1\n+.02 > nothing", [Answer(".", 1, 7)] * 2, "silence"),
}
RIGHT: dict[str, tuple[str, list[Answer]]] = {
    "plain": (PLAIN, [PONG]),
    "ACK ahead": (PLAIN, [Answer(".", 1, 7), PONG]),
    "FIN rides": (PLAIN + "\n+0 > F. 8:8(0) ack 7", [replace(PONG, flags="FP.")]),
    "optional absent": ("+0 >? . 1:1(0) ack 3\n" + PLAIN, [PONG]),
    "optional present": ("+0 >? . 1:1(0) ack 3\n" + PLAIN, [Answer(".", 1, 3), PONG]),
    "in pieces": (
        "+0 > . 1:4(3) ack 7\n+0 > P. 4:8(4) ack 7",
        [replace(PONG, text=b"+PO", flags="."), replace(PONG, seq=4, text=b"NG\r\n")],
    ),
    "range": ("+0~.05 > . 1:1(0) ack 7 x 1~5", [Answer(".", 1, 7)] * 3),
}


@pytest.mark.parametrize("name", FOUND)
def test_fault_is_found(tmp_path: Path, name: str) -> None:
    """Whatever a server does wrong fails the script, and the failure says what it was.

    Steps:
        Play a script against a server with one fault.

    Verify:
        The words of the failure.
    """
    expect, answers, words = FOUND[name]
    assert words in _play(tmp_path / "one.pkt", ASK + expect, answers)


@pytest.mark.parametrize("name", RIGHT)
def test_right_conduct_passes(tmp_path: Path, name: str) -> None:
    """What a stack is free to do fails nothing.

    Steps:
        Play a script against a server that is right.

    Verify:
        No failure.
    """
    expect, answers = RIGHT[name]
    assert _play(tmp_path / "one.pkt", ASK + expect, answers) == ""


def test_exact_acks_forbid_one_ahead(tmp_path: Path) -> None:
    """A script can ask that the ACK rides on the reply.

    Steps:
        Send a bare ACK before the reply.

    Verify:
        A failure where the script says "acks: exact".
    """
    found = _play(tmp_path / "one.pkt", ASK + PLAIN, [Answer(".", 1, 7), PONG], head="acks: exact")
    assert "other flags" in found


def test_timestamps_are_watched(tmp_path: Path) -> None:
    """A timestamp that goes back, or is left out, is a fault in every script.

    Steps:
        Agree on timestamps; send a reply with an older one, with none, with a newer one.

    Verify:
        Two failures, and none.
    """
    body, opts = ASK + PLAIN, ",TS val 100 ecr 0"
    path = tmp_path / "one.pkt"
    assert "timestamp went back" in _play(path, body, [_ts(PONG, 4999)], opts)
    assert "no timestamp" in _play(path, body, [PONG], opts)
    assert _play(path, body, [_ts(PONG, 5001)], opts) == ""


def test_mss_is_watched(tmp_path: Path) -> None:
    """Text beyond the client's MSS is a fault in every script.

    Steps:
        Send a reply with one byte more than the MSS.

    Verify:
        A failure.
    """
    long_text = replace(PONG, text=bytes(1461))
    assert "more than the MSS" in _play(tmp_path / "one.pkt", ASK + PLAIN, [long_text])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("+0 < P. 1:7(5) ack 1", "does not add up"),
        ("+0 < P. *:*(0) ack 1", "has a number"),
        ("+0 > P. 1:8(7) ack 7 {colour red}", "unknown oddity"),
        ("+0 > P. 1:8(7) ack 7 <colour 1>", "not an option"),
        ("+0 ! P. 1:8(7) ack 7", "neither an event nor a header"),
        ('+0 < P. 1:7(6) ack 1 "PING"', "4 bytes"),
        ("+0 < icmp unreachable frog", "neither a segment nor a message"),
    ],
)
def test_wrong_script_is_refused(tmp_path: Path, line: str, words: str) -> None:
    """A slip in a script is no silent pass.

    Steps:
        Read a script with a wrong line.

    Verify:
        An error with the line's number and what is wrong.
    """
    path = tmp_path / "one.pkt"
    path.write_text(f"// One.\n0 < S 0:0(0) win 1000\n{line}\n")
    with pytest.raises(ScriptError, match=f"one.pkt:3: .*{words}"):
        read_script(path)


def _shape(path: Path) -> str:
    """What is left of a script without what it says of itself, and without numbers."""
    lines = (line.partition("//")[0].split() for line in path.read_text().splitlines())
    return re.sub(r"[\d.]*\d", "N", "\n".join(" ".join(words) for words in lines if words))


def test_no_script_has_a_twin() -> None:
    """Each script in dts/scripts shows something of its own.

    Steps:
        Take the numbers out of each script.

    Verify:
        No two of them are the same then.
    """
    by_shape: dict[str, list[str]] = {}
    for path in sorted(SCRIPTS.rglob("*.pkt")):
        by_shape.setdefault(_shape(path), []).append(path.name)
    assert len(by_shape) >= 120
    assert not [names for names in by_shape.values() if len(names) > 1]
