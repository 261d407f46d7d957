# SPDX-License-Identifier: BSD-3-Clause
"""tshark's expert analysis as the judge of what the daemon sent."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dts.framework.lab import SRV_ADDR, SRV_ADDR6

STALL_MIN_S = 0.005
NB_STALLS_MAX = 1

# What must never be seen of the daemon, whatever the link does.
_WIRE_FAULTS = ("_ws.malformed",)
# Values of tshark's "status" fields: 0 is bad; 2 is not checked, as in a capture cut short.
_CKSUM_FIELDS = ("ip.checksum.status", "tcp.checksum.status", "icmp.checksum.status",
    "icmpv6.checksum.status")
_CKSUM_BAD = "0"
# What must not be seen on a link that loses nothing.
_RESENT = (
    "tcp.analysis.retransmission",
    "tcp.analysis.fast_retransmission",
    "tcp.analysis.spurious_retransmission",
)
_LINK_FAULTS = ("tcp.analysis.lost_segment", "tcp.analysis.out_of_order")
# What must not be seen where the capture saw all that the daemon received: text is acknowledged
# that has not come. Where damaged segments are taken for sound ones tshark sees it too often.
_ACK_FAULT = "tcp.analysis.ack_lost_segment"
_OPTIONS = (
    "ip.check_checksum:TRUE",
    "tcp.check_checksum:TRUE",
    "tcp.analyze_sequence_numbers:TRUE",
)
# Where text comes twice and out of order, tshark calls what it puts together from it malformed.
_LOSSY_OPTIONS = ("tcp.desegment_tcp_streams:FALSE",)
_FIELDS = ("frame.number", "frame.time_epoch", "ip.src", "arp.src.proto_ipv4", "ipv6.src")
_TCP_FIELDS = ("tcp.stream", "tcp.seq_raw", "tcp.ack_raw", "tcp.len", "tcp.flags")
_FIN, _SYN, _ACK = 1, 2, 16
_WORD, _HALF = 1 << 32, 1 << 31


@dataclass
class Verdict:
    """What the oracle says of one capture.

    Attributes:
        nb_packets: Packets that the daemon sent.
        faults: One line for each fault.
        notes: What was seen and is no fault, such as a stall of the machine.
    """

    nb_packets: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Say it in a few lines.

        Returns:
            The lines, at most twenty faults.
        """
        lines = [f"{self.nb_packets} packets from {SRV_ADDR}, {len(self.faults)} faults"]
        return "\n".join(lines + self.faults[:20] + self.notes)


class _Received:
    """What peers have sent of their streams, by sound segments alone."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._ends: dict[str, int] = {}

    def take(self, row: dict[str, str]) -> None:
        """Take a packet of a peer.

        Args:
            row: Its fields.
        """
        is_quoted = row["icmp.checksum.status"] or row["icmpv6.checksum.status"]
        if is_quoted or not row["tcp.len"] or not row["tcp.flags"]:
            return
        stream, flags = row["tcp.stream"], int(row["tcp.flags"], 16)
        end = int(row["tcp.seq_raw"]) + int(row["tcp.len"])
        end = (end + bool(flags & _SYN) + bool(flags & _FIN)) % _WORD
        last = self._ends.get(stream)
        if last is None or flags & (_SYN | _ACK) == _SYN or (end - last) % _WORD < _HALF:
            self._ends[stream] = end

    def covers(self, row: dict[str, str]) -> bool:
        """Tell whether what a segment of the daemon acknowledges has come.

        Args:
            row: Its fields.

        Returns:
            False when it had not.
        """
        end = self._ends.get(row["tcp.stream"])
        return end is not None and (end - int(row["tcp.ack_raw"])) % _WORD < _HALF


def judge(
    path: Path,
    nb_dropped: int = 0,
    whole: bool = True,
    clean_link: bool = True,
    sequences: bool = True,
) -> Verdict:
    """Let tshark look at each packet of a capture that has been stopped.

    Args:
        path: The capture.
        nb_dropped: Packets that the capture lost; then sequence numbers cannot be judged.
        whole: Packets were kept whole, so that one cut short is malformed.
        clean_link: The link loses nothing, so neither a retransmission nor a lost segment is right.
            A capture of another link is made on the daemon's side, where it sees what it received.
        sequences: Judge sequence numbers; without it the peers' own make no sense.

    Returns:
        The verdict.
    """
    verdict = Verdict()
    sequences = sequences and nb_dropped == 0
    if nb_dropped > 0:
        verdict.notes.append(f"the capture lost {nb_dropped} packets: sequences not judged")
    last_time, nb_stalls, received = 0.0, 0, _Received()
    for row in _rows(path, clean_link):
        number, now = row["frame.number"], float(row["frame.time_epoch"])
        silence_s = now - last_time
        last_time = now
        bad_sums = [name for name in _CKSUM_FIELDS if row[name] == _CKSUM_BAD]
        if not _is_ours(row):
            if not bad_sums:
                received.take(row)
            continue
        verdict.nb_packets += 1
        found = [name for name in _WIRE_FAULTS if row[name] and whole] + bad_sums
        if sequences and row[_ACK_FAULT] and not received.covers(row):
            found.append(_ACK_FAULT)
        if clean_link and sequences:
            found += [name for name in _LINK_FAULTS if row[name]]
            resent = [name for name in _RESENT if row[name]]
            if resent and silence_s >= STALL_MIN_S and nb_stalls < NB_STALLS_MAX:
                nb_stalls += 1
                verdict.notes.append(
                    f"frame {number}: resent after {silence_s * 1000:.0f} ms without any packet,"
                    " a stall of the machine"
                )
            else:
                found += resent
        verdict.faults += [f"frame {number}: {name}" for name in found]
    return verdict


def _is_ours(row: dict[str, str]) -> bool:
    """Tell whether the daemon sent a packet.

    Args:
        row: Its fields.

    Returns:
        True for one from an address of the daemon.
    """
    return SRV_ADDR in (row["ip.src"], row["arp.src.proto_ipv4"]) or row["ipv6.src"] == SRV_ADDR6


def _rows(path: Path, clean_link: bool) -> Iterator[dict[str, str]]:
    """Dissect a capture.

    Args:
        path: The capture.
        clean_link: Put the text of TCP together.

    Yields:
        The first value of each of our fields, packet by packet.
    """
    faults = (*_WIRE_FAULTS, *_CKSUM_FIELDS, *_RESENT, *_LINK_FAULTS, _ACK_FAULT)
    names = (*_FIELDS, *_TCP_FIELDS, *faults)
    argv = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E", "occurrence=f"]
    for option in _OPTIONS if clean_link else (*_OPTIONS, *_LOSSY_OPTIONS):
        argv += ["-o", option]
    for name in names:
        argv += ["-e", name]
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as tshark:
        assert tshark.stdout is not None and tshark.stderr is not None
        for line in tshark.stdout:
            yield dict(zip(names, line.rstrip("\n").split("\t"), strict=True))
        errors = tshark.stderr.read()
    if tshark.returncode != 0:
        raise RuntimeError(f"tshark failed: {errors}")
