#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Record what redis-server 7.0 answers, for the unit tests of lib/protocol.

Starts two redis-servers on Unix sockets, the second with a password; sends each
conversation of conversations.txt over a connection of its own, and writes the bytes
of requests and replies as a table that redis_golden_test.cc includes.
"""

from __future__ import annotations

import argparse
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE.parent / "unit" / "protocol" / "redis_golden.inc"
START_S = 5.0
REPLY_S = 5.0
SILENCE_S = 0.2
PASSWORD = "secret"


class Connection:
    """One connection to the server, read reply by reply."""

    def __init__(self, path: Path) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(REPLY_S)
        self.sock.connect(str(path))
        self.pending = b""

    def close(self) -> None:
        self.sock.close()

    def fill(self) -> None:
        data = self.sock.recv(65536)
        if not data:
            raise EOFError
        self.pending += data

    def take(self, length: int) -> bytes:
        while len(self.pending) < length:
            self.fill()
        taken, self.pending = self.pending[:length], self.pending[length:]
        return taken

    def take_line(self) -> bytes:
        while b"\r\n" not in self.pending:
            self.fill()
        return self.take(self.pending.index(b"\r\n") + 2)

    def take_reply(self) -> bytes:
        """The bytes of one whole reply."""
        line = self.take_line()
        kind, count = line[:1], line[1:-2]
        if kind in (b"$", b"=") and count != b"-1":
            return line + self.take(int(count) + 2)
        if kind in (b"*", b"~", b">", b"%") and count != b"-1":
            nb_values = int(count) * (2 if kind == b"%" else 1)
            return line + b"".join(self.take_reply() for _ in range(nb_values))
        return line

    def take_until_silence(self) -> bytes:
        """All that comes until nothing comes any more, or the end."""
        self.sock.settimeout(SILENCE_S)
        try:
            while True:
                self.fill()
        except (EOFError, TimeoutError, ConnectionResetError):
            pass
        return self.take(len(self.pending))


def unescape(word: str) -> bytes:
    """A word of the file, with escapes as in C."""
    return word.encode("latin-1").decode("unicode_escape").encode("latin-1")


def request_bytes(line: str) -> bytes:
    """A line of words as an array of bulk strings."""
    words = [unescape(word) for word in shlex.split(line, posix=True)]
    bulks = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
    return b"*%d\r\n%s" % (len(words), bulks)


def c_bytes(data: bytes) -> str:
    """Bytes as the arguments of a std::string constructor."""
    text = ""
    for byte in data:
        char = chr(byte)
        if char in "\r\n":
            text += {"\r": "\\r", "\n": "\\n"}[char]
        elif char in '"\\?':
            text += "\\" + char
        elif " " <= char <= "~":
            text += char
        else:
            text += f"\\{byte:03o}"
    return f'std::string("{text}", {len(data)})'


def record(plain: Path, with_password: Path) -> list[str]:
    """Hold all conversations; returns the lines of the table."""
    rows: list[str] = []
    title = ""
    conn: Connection | None = None
    for raw_line in (HERE / "conversations.txt").read_text(encoding="utf-8").splitlines():
        line = raw_line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            title = line.strip("[]")
            if conn is not None:
                conn.close()
            conn = Connection(with_password if title.startswith("password") else plain)
            conn.sock.sendall(request_bytes("FLUSHALL"))
            conn.take_reply()
            continue
        if conn is None:
            sys.exit("a request before the first [title]")
        if line.startswith("raw "):
            request = unescape(line[len("raw ") :])
            conn.sock.sendall(request)
            reply = conn.take_until_silence()
        else:
            request = request_bytes(line)
            conn.sock.sendall(request)
            reply = conn.take_reply()
            if "SUBSCRIBE" in line or "PUBLISH" in line:
                reply += conn.take_until_silence()
                conn.sock.settimeout(REPLY_S)
        rows.append(f'\t{{ "{title}", {c_bytes(request)},\n\t\t{c_bytes(reply)} }},')
    return rows


def wait_for(server: subprocess.Popen[bytes], path: Path) -> None:
    """Wait until the server accepts connections."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        try:
            Connection(path).close()
            return
        except (ConnectionRefusedError, FileNotFoundError):
            time.sleep(0.05)
    sys.exit("redis-server did not start")


def servers_wanted(plain: Path, with_password: Path) -> list[tuple[Path, list[str]]]:
    """The socket and the options of each server."""
    return [(plain, []), (with_password, ["--requirepass", PASSWORD])]


def main() -> None:
    """Start the servers, record, stop them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    args = parser.parse_args()
    servers: list[subprocess.Popen[bytes]] = []
    with tempfile.TemporaryDirectory() as scratch:
        plain, with_password = Path(scratch) / "plain", Path(scratch) / "password"
        try:
            for path, options in servers_wanted(plain, with_password):
                command = ["redis-server", "--port", "0", "--unixsocket", str(path)]
                command += ["--save", "", "--databases", "1", "--dir", scratch, *options]
                servers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
                wait_for(servers[-1], path)
            rows = record(plain, with_password)
        finally:
            for server in servers:
                server.terminate()
                server.wait()
    text = "// Made by test/golden/record_redis.py with redis-server 7.0.\n" + "\n".join(rows) + "\n"
    if args.check:
        if TABLE.read_text(encoding="utf-8") != text:
            sys.exit(f"{TABLE} differs from what redis-server answers")
        return
    TABLE.write_text(text, encoding="utf-8")
    print(f"{len(rows)} requests")


if __name__ == "__main__":
    main()
