# SPDX-License-Identifier: BSD-3-Clause
"""Many packet scripts at once: one raw socket a lab, one thread, one loop."""

from __future__ import annotations

import ipaddress
import itertools
import os
import select
import socket
import struct
import time
from collections import deque
from dataclasses import dataclass

from dts.framework import messages
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.player import Ends, Play, Player, Received, ScriptFailure, reset_frame
from dts.framework.script import Script
from dts.framework.wire import ETH_ARP, PROTO_ICMP6, Packet, parse_frame

SRV_ADDR6 = "fd77::1"
PREFIX_LEN = 16
PREFIX6_LEN = 64
NB_TRIES_MAX = 4
_NET = "10.77.1.0"
_NET6 = "fd77::1:0"
_PORT = 40000
_NB_AT_ONCE = 160
_STAGGER_S = 0.01  # two scripts begin this far apart: a burst of handshakes would be slow
_SCRIPT_MAX_S = 60.0
_LINGER_S = 0.5  # longer than any delayed ACK
_NICENESS = -10
_BURST = 64
_RECV_LEN = 1 << 16
_ETH_P_ALL = 3
_PACKET_OUTGOING = 4
_RST, _ACK = 4, 16
_SO_TIMESTAMPNS = 35
_SO_RCVBUFFORCE = 33
_RCVBUF_LEN = 1 << 23

# Linux remembers what an address has done, so none is used again.
_numbers = itertools.count(1)


@dataclass
class Result:
    """What came of a script.

    Attributes:
        failure: What the server did wrong; empty if nothing.
        log: What was sent and came.
        nb_tries: Runs that it took: one that was too slow is played again.
        took_s: Seconds that the last run took.
    """

    failure: str = ""
    log: str = ""
    nb_tries: int = 0
    took_s: float = 0


@dataclass
class _Task:
    script: Script
    player: Player
    play: Play
    wake_at: float
    began_at: float


class Stage:
    """Plays scripts against the server of one lab.

    Attributes:
        results: The result of each script by its name.
    """

    def __init__(self, lab: Lab, srv_mac: str, ports: dict[str, int]) -> None:
        """Join the link.

        Args:
            lab: The lab, with the server running.
            srv_mac: The server's MAC address.
            ports: The server's port for each kind of listener.
        """
        self.results: dict[str, Result] = {}
        self._srv_mac = bytes.fromhex(srv_mac.replace(":", ""))
        self._ports = ports
        self._sock = lab.open_socket(socket.AF_PACKET, socket.SOCK_RAW)
        self._sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self._sock.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RCVBUF_LEN)
        self._sock.bind((lab.cli_iface, _ETH_P_ALL))
        self._sock.setblocking(False)
        self._waiting: deque[Script] = deque()
        self._tasks: dict[bytes, _Task] = {}
        self._left: dict[bytes, Ends] = {}
        self._start_at = 0.0

    def close(self) -> None:
        """Leave the link."""
        self._sock.close()

    def fileno(self) -> int:
        """The socket, for select()."""
        return self._sock.fileno()

    def add(self, scripts: list[Script]) -> None:
        """Put scripts on the list; those that want to be alone come last.

        Args:
            scripts: The scripts.
        """
        self._waiting.extend(sorted(scripts, key=lambda one: one.get("alone") == "yes"))

    def is_done(self) -> bool:
        """Tell whether all scripts have been played."""
        return not self._waiting and not self._tasks

    def run_due(self) -> float:
        """Run what is due.

        Returns:
            When something is due next.
        """
        now = time.time()
        self.receive()  # so that nobody misses what came before now, however late we are
        for task in list(self._tasks.values()):
            if now > task.began_at + _SCRIPT_MAX_S:
                self._end(task, ScriptFailure("the script takes too long"))
            elif task.wake_at <= now:
                self._resume(task, None)
        if self._may_start() and now >= self._start_at:
            self._start(self._waiting.popleft())
            self._start_at = now + _STAGGER_S
        due = [task.wake_at for task in self._tasks.values()]
        if self._may_start():
            due.append(self._start_at)
        return min(due, default=now)

    def _may_start(self) -> bool:
        if not self._waiting or len(self._tasks) >= _NB_AT_ONCE:
            return False
        alone = self._waiting[0].get("alone") == "yes"
        alone |= any(task.script.get("alone") == "yes" for task in self._tasks.values())
        return not alone or not self._tasks

    def _start(self, script: Script) -> None:
        # Each run has an address of its own: peers are remembered by address here and there.
        number = next(_numbers)
        is_ipv6 = script.get("family") == "ipv6"
        net = ipaddress.ip_address(_NET6 if is_ipv6 else _NET) + number
        server = ipaddress.ip_address(SRV_ADDR6 if is_ipv6 else SRV_ADDR)
        mac = b"\x02\x00\x77" + number.to_bytes(3, "big")
        port = self._ports[script.get("listener")]
        ends = Ends(mac, net.packed, _PORT, self._srv_mac, server.packed, port)
        player = Player(script, ends, self._sock.send)
        now = time.time()
        task = _Task(script, player, player.play(), now, now)
        self._tasks[net.packed] = task
        self._resume(task, None)

    def _resume(self, task: _Task, got: Received | None) -> None:
        try:
            task.wake_at = task.play.send(got)
        except StopIteration:
            self._end(task, None)
        except ScriptFailure as failure:
            self._end(task, failure)

    def _end(self, task: _Task, failure: ScriptFailure | None) -> None:
        ends = task.player.ends
        del self._tasks[ends.addr]
        self._left[ends.addr] = ends
        task.play.close()
        result = self.results.setdefault(task.script.name, Result())
        result.nb_tries += 1
        result.took_s = time.time() - task.began_at
        result.failure = str(failure or "")
        result.log = "\n".join(task.player.log)
        if failure is not None and result.nb_tries < NB_TRIES_MAX:
            if failure.is_late or task.player.is_disturbed:
                self._waiting.append(task.script)

    def receive(self) -> None:
        """Take what has come and hand it to the scripts that it is for."""
        for _ in range(_BURST):
            try:
                data, extra, _, where = self._sock.recvmsg(_RECV_LEN, 64)
            except BlockingIOError:
                return
            if where[2] == _PACKET_OUTGOING:
                continue
            packet = parse_frame(data)
            if packet is None:
                continue
            task = self._tasks.get(_addressee(packet))
            if task is not None:
                self._resume(task, Received(_stamp(extra), packet))
            elif (ends := self._left.get(_addressee(packet))) is not None:
                self._send_off(ends, packet)

    def _send_off(self, ends: Ends, packet: Packet) -> None:
        """Where a script has ended nobody is at home: what still comes is reset."""
        answer = messages.answer_neighbour(ends, packet)
        if answer is None and packet.tcp is not None and packet.tcp.flags & (_RST | _ACK) == _ACK:
            answer = reset_frame(ends, packet.tcp.dport, packet.tcp.ack)
        if answer:
            self._sock.send(answer)


def _stamp(extra: list[tuple[int, int, bytes]]) -> float:
    for level, kind, data in extra:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS:
            seconds, nanoseconds = struct.unpack("ll", data[:16])
            return float(seconds) + float(nanoseconds) / 1e9
    return time.time()


def _addressee(packet: Packet) -> bytes:
    """The address of ours that a packet is for; ND asks for it by multicast."""
    if packet.eth_type != ETH_ARP and packet.proto == PROTO_ICMP6 and packet.body:
        if packet.body[0] == messages.ND_SOLICIT:
            return packet.body[8:24]
    return packet.dst


def play_all(stages: list[Stage]) -> None:
    """Play until each stage is done, and until what was left open is closed.

    Args:
        stages: The stages, with their scripts.
    """
    linger_until = 0.0
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, _NICENESS)  # who measures must not be the one who is late
    while (is_busy := not all(stage.is_done() for stage in stages)) or time.time() < linger_until:
        if is_busy:
            linger_until = time.time() + _LINGER_S
        due = min([linger_until, *(one.run_due() for one in stages if not one.is_done())])
        wait_s = max(0.0, due - time.time())
        for stage in select.select(stages, [], [], wait_s)[0]:
            stage.receive()
    os.setpriority(os.PRIO_PROCESS, 0, niceness)
