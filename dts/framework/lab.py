# SPDX-License-Identifier: BSD-3-Clause
"""The lab: two network namespaces of our own, made by scripts/lab.sh."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB_SH = ROOT / "scripts" / "lab.sh"
SRV_ADDR = "10.77.0.1"
CLI_ADDR = "10.77.0.2"
SRV_ADDR6 = "fd77::1"
CLI_ADDR6 = "fd77::2"
SRV_IFACE = "leat0"
CLI_IFACE = "peer0"
_CLONE_NEWNET = 0x40000000


class Lab:
    """One lab; instances with different names live side by side.

    Attributes:
        instance: The name of this lab.
        srv: The namespace of the daemon.
        cli: The namespace of its peers.
        cli_iface: The interface of the peers.
    """

    def __init__(self, instance: str) -> None:
        """Name a lab; nothing is made yet.

        Args:
            instance: Up to 16 lower-case letters and digits.
        """
        self.instance = instance
        self.srv = f"leat-{instance}-srv"
        self.cli = f"leat-{instance}-cli"
        self.cli_iface = CLI_IFACE

    def up(self) -> None:
        """Make the lab afresh, whatever a killed run has left of it."""
        self.down()
        subprocess.run([LAB_SH, "up", self.instance], check=True)

    def down(self) -> None:
        """Remove the lab and nothing else."""
        subprocess.run([LAB_SH, "down", self.instance], check=True)

    def srv_command(self, *argv: str) -> list[str]:
        """Say how to run a command beside the daemon.

        Args:
            argv: The command.

        Returns:
            The whole command line; it replaces itself by the command, so the pid is the command's.
        """
        return ["ip", "netns", "exec", self.srv, *argv]

    def cli_command(self, *argv: str) -> list[str]:
        """Say how to run a command on the side of the peers.

        Args:
            argv: The command.

        Returns:
            The whole command line.
        """
        return ["ip", "netns", "exec", self.cli, *argv]

    def capture_at(self) -> tuple[list[str], str]:
        """Say where a capture sees all that the daemon sends and receives.

        Returns:
            What to put before a command to run it there, and the interface.
        """
        return self.cli_command(), self.cli_iface

    def run(
        self, *argv: str, stdin: bytes = b"", timeout_s: float = 30
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a client to its end on the side of the peers.

        Args:
            argv: The command.
            stdin: What it reads.
            timeout_s: It is killed, and the test fails, after this time.

        Returns:
            Its exit status and output.
        """
        return subprocess.run(
            self.cli_command(*argv),
            input=stdin,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )

    def open_socket(
        self, family: int = socket.AF_INET, kind: int = socket.SOCK_STREAM
    ) -> socket.socket:
        """Make a socket that lives on the side of the peers.

        Args:
            family: As for socket.socket().
            kind: As for socket.socket().

        Returns:
            The socket; its namespace stays with it when the caller's thread is back in its own.
        """
        return socket_in(self.cli, family, kind)

    def connect(self, port: int, addr: str = SRV_ADDR, timeout_s: float = 5) -> socket.socket:
        """Open a TCP connection from the side of the peers.

        Args:
            port: The port to connect to.
            addr: The address to connect to, of either family.
            timeout_s: For the handshake and for each later call.

        Returns:
            The connected socket, without Nagle's delay.
        """
        sock = self.open_socket(socket.AF_INET6 if ":" in addr else socket.AF_INET)
        try:
            sock.settimeout(timeout_s)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.connect((addr, port))
        except OSError:
            sock.close()
            raise
        return sock


def socket_in(namespace: str, family: int, kind: int) -> socket.socket:
    """Make a socket in a network namespace.

    Args:
        namespace: A name that ip netns knows.
        family: As for socket.socket().
        kind: As for socket.socket().

    Returns:
        The socket.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        if libc.setns(there, _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
        try:
            return socket.socket(family, kind)
        finally:
            if libc.setns(home, _CLONE_NEWNET) != 0:
                os.abort()  # a thread lost in another namespace would fail the rest of the run
    finally:
        os.close(home)
        os.close(there)
