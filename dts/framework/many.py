# SPDX-License-Identifier: BSD-3-Clause
"""Very many connections: one process of several, as none may hold all the files.

Run as a program in the namespace of the peers: python3 -m dts.framework.many SOURCE NB PORT. It
opens NB connections to the daemon from the address SOURCE, and then does what each line of its
input says: "ping" sends PING on all and reads the replies, "close" closes them, "reset" resets
them. After each it prints what it has done.
"""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator

from dts.framework.lab import ROOT, SRV_ADDR, Lab

_UNDER_WAY_MAX = 200  # handshakes at a time of one process
_BREATH_S = 0.01  # nobody sends a reset again that found a ring full
_SILENCE_MAX_S = 20.0
_IP_BIND_ADDRESS_NO_PORT = 24  # of linux/in.h; the module has no name for it
_PING = b"*1\r\n$4\r\nPING\r\n"
_PONG = b"+PONG\r\n"


class Crowd:
    """Connections from several processes, each with an address of its own.

    Attributes:
        nb: How many there are.
    """

    def __init__(self, lab: Lab, nb_processes: int, nb_each: int, port: int) -> None:
        """Start the processes.

        Args:
            lab: Where; crowd() has given it the addresses.
            nb_processes: How many processes.
            nb_each: Connections of each.
            port: Of the daemon.
        """
        self.nb = nb_processes * nb_each
        self._nb_each = nb_each
        self._processes = []
        for idx in range(nb_processes):
            argv = ["/usr/bin/python3", "-B", "-m", "dts.framework.many"]
            argv += [_source(idx), str(nb_each), str(port)]
            self._processes.append(
                subprocess.Popen(
                    lab.cli_command(*argv),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    cwd=ROOT,
                )
            )

    def wait(self, word: str) -> None:
        """Wait until all have done what they were told.

        Args:
            word: What they say then.
        """
        for process in self._processes:
            self._wait_for(process, word)

    def tell(self, word: str) -> None:
        """Tell one after the other, and wait until it is done.

        Args:
            word: "ping", "close" or "reset".
        """
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write(f"{word}\n")
            process.stdin.flush()
            self._wait_for(process, word)

    def _wait_for(self, process: subprocess.Popen[str], word: str) -> None:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said == f"{word} {self._nb_each}\n", f"{word}: {said!r}"

    def kill(self) -> None:
        """End what still runs."""
        for process in self._processes:
            process.kill()
            process.communicate()


@contextlib.contextmanager
def crowd(lab: Lab, nb_processes: int, nb_each: int, port: int) -> Iterator[Crowd]:
    """Open connections and keep them open for the length of a with block.

    Args:
        lab: Where to run; the daemon is served.
        nb_processes: How many processes, each with an address of its own.
        nb_each: Connections of each.
        port: Of the daemon.

    Yields:
        The crowd; all are open.
    """
    addrs = [f"{_source(idx)}/24" for idx in range(nb_processes)]
    for addr in addrs:
        _ip(lab, "address", "add", addr, "dev", lab.cli_iface)
    one = Crowd(lab, nb_processes, nb_each, port)
    try:
        one.wait("open")
        yield one
    finally:
        one.kill()
        for addr in addrs:
            _ip(lab, "address", "del", addr, "dev", lab.cli_iface)


def _source(idx: int) -> str:
    return f"10.77.0.{100 + idx}"


def _ip(lab: Lab, *args: str) -> None:
    done = lab.run("ip", *args)
    assert done.returncode == 0, done.stderr


def _open(source: str, nb: int, port: int) -> list[socket.socket]:
    """Open connections, some handshakes at a time."""
    opened: list[socket.socket] = []
    under_way = 0
    nb_begun = 0
    with selectors.EpollSelector() as selector:
        while len(opened) < nb:
            while nb_begun < nb and under_way < _UNDER_WAY_MAX:
                sock = socket.socket()
                sock.setblocking(False)
                # The port is chosen when the other end is known, so that all ports can be had.
                sock.setsockopt(socket.IPPROTO_IP, _IP_BIND_ADDRESS_NO_PORT, 1)
                sock.bind((source, 0))
                nb_begun += 1
                under_way += 1
                error = sock.connect_ex((SRV_ADDR, port))
                if error not in (0, errno.EINPROGRESS):
                    raise OSError(error, "connect")
                selector.register(sock, selectors.EVENT_WRITE)
            events = selector.select(_SILENCE_MAX_S)
            if not events:
                raise TimeoutError(f"{len(opened)} of {nb} are open and no other gets in")
            for key, _ in events:
                sock = key.fileobj  # type: ignore[assignment]
                selector.unregister(sock)
                under_way -= 1
                error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if error != 0:
                    raise OSError(error, f"connection {len(opened)}")
                opened.append(sock)
    return opened


def _ping(socks: list[socket.socket]) -> None:
    for begin in range(0, len(socks), _UNDER_WAY_MAX):
        some = socks[begin : begin + _UNDER_WAY_MAX]
        for sock in some:
            sock.settimeout(_SILENCE_MAX_S)
            sock.sendall(_PING)
        for sock in some:
            assert sock.recv(64) == _PONG


def _close(socks: list[socket.socket], reset: bool) -> None:
    for idx, sock in enumerate(socks):
        if reset:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if idx % _UNDER_WAY_MAX == 0:
            time.sleep(_BREATH_S)
        sock.close()


def main() -> None:
    """Be one process of a crowd."""
    source, nb, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    begin = time.monotonic()
    socks = _open(source, nb, port)
    print(f"open {len(socks)}", flush=True)
    print(f"{source}: open after {time.monotonic() - begin:.1f} s", file=sys.stderr)
    for line in sys.stdin:
        word = line.strip()
        if word == "ping":
            _ping(socks)
        else:
            _close(socks, reset=word == "reset")
        print(f"{word} {len(socks)}", flush=True)


if __name__ == "__main__":
    main()
