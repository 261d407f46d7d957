# SPDX-License-Identifier: BSD-3-Clause
"""curl on the side of the peers, and what it saw."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from dts.framework.lab import Lab

MAX_S = 20
_FORM = "%{http_code} %{http_version} %{num_connects} %{size_upload}\n"


@dataclass(frozen=True)
class Answer:
    """What curl saw of one transfer.

    Attributes:
        status: The status code.
        version: That of the answer.
        nb_connects: Connections that were made for it: 0 when one was there already.
        nb_sent: Bytes of the body that were sent.
        heads: All heads that came, that of 100 (Continue) among them, without their last line.
        body: The body.
    """

    status: int
    version: str
    nb_connects: int
    nb_sent: int
    heads: list[str]
    body: bytes

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the last head, names in lower case."""
        pairs = (line.partition(":") for line in self.heads[-1].split("\r\n")[1:])
        return {name.lower(): value.strip() for name, _, value in pairs}


def curl(lab: Lab, *args: str, stdin: bytes = b"") -> list[Answer]:
    """Run curl to its end.

    Args:
        lab: The lab.
        args: Options, then addresses; "--next" begins a transfer with options of its own.
        stdin: What it reads.

    Returns:
        What it saw of each transfer.
    """
    with tempfile.TemporaryDirectory() as directory:
        argv = ["curl"]
        outs: list[Path] = []
        heads: list[Path] = []
        for part in _parts(args):
            first = next(i for i, arg in enumerate(part) if _is_url(part, i))
            options, urls = part[:first], part[first:]
            head = Path(directory) / f"head-{len(outs)}"
            argv += ["--next"] if outs else []
            argv += ["-sS", "--max-time", str(MAX_S), "-w", _FORM, "-D", str(head)]
            argv += options
            for url in urls:
                outs.append(Path(directory) / f"body-{len(outs)}")
                heads.append(head)
                argv += ["-o", str(outs[-1]), url]
        done = lab.run(*argv, stdin=stdin, timeout_s=MAX_S + 10)
        assert done.returncode == 0, done.stderr.decode()
        lines = done.stdout.decode().splitlines()
        assert len(lines) == len(outs), lines
        return [
            _answer(line, head, out) for line, head, out in zip(lines, heads, outs, strict=True)
        ]


def _is_url(args: list[str], idx: int) -> bool:
    return args[idx].startswith("http://") and args[idx - 1 : idx] != ["--request-target"]


def _parts(args: tuple[str, ...]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for arg in args:
        if arg == "--next":
            parts.append([])
        else:
            parts[-1].append(arg)
    return parts


def _answer(line: str, head: Path, out: Path) -> Answer:
    status, version, nb_connects, nb_sent = line.split()
    head_bytes = head.read_bytes()
    heads = head_bytes.decode().split("\r\n\r\n")[:-1]
    body = out.read_bytes() if out.exists() else b""
    if body and head_bytes.endswith(body) and body.startswith(b"HTTP/"):
        body = b""  # of HEAD curl writes the head as if it were one
    return Answer(int(status), version, int(nb_connects), int(nb_sent), heads, body)
