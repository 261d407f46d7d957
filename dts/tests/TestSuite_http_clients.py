# SPDX-License-Identifier: BSD-3-Clause
"""Clients of HTTP that keep connections busy: undici, autocannon, wrk, h2load and ab."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dts.framework.balance import (
    JSON_ANSWER,
    JSON_REQUEST,
    JSON_TYPE,
    ZAP_ANSWER,
    ZAP_REQUEST,
    ZAP_TYPE,
)
from dts.framework.lab import ROOT, SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, Leatd, LeatdConf, af_port
from dts.framework.node import NodeScripts, Outcome
from dts.framework.run import serve_unseen

URL = f"http://{SRV_ADDR}:{HTTP_PORT}"
CHECK_LUA = ROOT / "dts" / "wrk" / "check.lua"
NB_REQUESTS = 5000
NB_CLOSED = 1000  # requests on a connection of their own
NB_CONNECTIONS = 20
BODY_LEN = 3000
TOOL_MAX_S = 60
# Of its amount, autocannon does not count what is under way on its 50 connections at the end.
NB_AUTOCANNON = NB_REQUESTS - 50 * 9

# What undici's cases tell of themselves; it closes behind a HEAD and comes again.
UNDICI = {
    "pipelined": 2000,
    "echoes": 2000,
    "chunked": 20,
    "large": 3,
    "expect": [1, 200],
    "statuses": [[200, 200, 404, 405, 405, 200, 404, 200], 2],
    "keys": [{"201": 200}, {"204": 200}, {"200": 200}, {"204": 200}, {"404": 200}],
    "rpc": 2,
    "fetched": ["ok", "text/plain", "ok"],
    "core": True,
}


@pytest.fixture(scope="module", autouse=True)
def served(lab: Lab) -> Iterator[Leatd]:
    """The daemon; a capture would cost more than the load."""
    with serve_unseen(lab, LeatdConf(port=af_port("net_af_packet")), "http-clients") as one:
        yield one


@pytest.fixture(scope="module")
def undici(node_scripts: NodeScripts) -> dict[str, Outcome]:
    """What came of undici's cases."""
    forms = [(JSON_TYPE, JSON_REQUEST, JSON_ANSWER), (ZAP_TYPE, ZAP_REQUEST, ZAP_ANSWER)]
    names = ("type", "request", "answer")
    calls = [dict(zip(names, (kind, a.hex(), b.hex()), strict=True)) for kind, a, b in forms]
    return node_scripts.run("undici.mjs", URL, json.dumps(calls))


@pytest.fixture
def body(tmp_path: Path) -> Path:
    """A file with a body."""
    path = tmp_path / "body"
    path.write_bytes(bytes(i * 31 % 251 for i in range(BODY_LEN)))
    return path


def said_by(lab: Lab, *argv: str) -> str:
    """Run a tool to its end.

    Args:
        lab: The lab.
        argv: The command.

    Returns:
        What it said.
    """
    done = lab.run(*argv, timeout_s=TOOL_MAX_S)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    return said


@pytest.mark.parametrize("case", UNDICI)
def test_undici(undici: dict[str, Outcome], case: str) -> None:
    """Pools with pipelines of ten, bodies of every kind both ways, fetch, and Node's own client.

    Steps:
        Run the case, which compares every body.

    Verify:
        No error, and all that it counts.
    """
    assert undici[case].error == ""
    assert undici[case].value == UNDICI[case]
    assert sorted(undici) == sorted(UNDICI)


def test_autocannon(node_scripts: NodeScripts) -> None:
    """Fifty connections with ten requests under way on each.

    Steps:
        5,000 GET, 5,000 POST and 5,000 calls of /rpc; autocannon compares the bodies.

    Verify:
        No error, no timeout, no other status, no other body.
    """
    call = (JSON_TYPE, JSON_REQUEST.decode(), JSON_ANSWER.decode())
    outcomes = node_scripts.run("autocannon.mjs", URL, *call)
    assert sorted(outcomes) == ["get", "post", "rpc"]
    for outcome in outcomes.values():
        assert outcome.error == ""
        assert isinstance(outcome.value, dict)
        assert outcome.value.pop("right") >= NB_AUTOCANNON
        assert set(outcome.value.values()) == {0}, outcome.value


@pytest.mark.parametrize("nb_pipelined", [1, 10])
@pytest.mark.parametrize(
    ("path", "body_len"), [("/health", None), ("/echo", 100), ("/echo", BODY_LEN)]
)
def test_wrk_looks_at_every_answer(
    lab: Lab, path: str, body_len: int | None, nb_pipelined: int
) -> None:
    """wrk for a second with a script that compares status and body.

    Steps:
        wrk -c 20 with one request at a time, and with ten.

    Verify:
        Answers, all of them right, and no error of a connection.
    """
    args = [str(nb_pipelined)] + ([] if body_len is None else [str(body_len)])
    load = ["-t", "1", "-c", str(NB_CONNECTIONS), "-d", "1", "-s", str(CHECK_LUA)]
    said = said_by(lab, "wrk", *load, URL + path, "--", *args)
    counts = re.search(r"^right (\d+), wrong (\d+), errors (\d+)$", said, re.MULTILINE)
    assert counts is not None, said
    assert int(counts[1]) > NB_CONNECTIONS * nb_pipelined, said
    assert (counts[2], counts[3]) == ("0", "0"), said
    assert "Non-2xx" not in said, said
    assert "Socket errors" not in said, said


@pytest.mark.parametrize("nb_pipelined", [1, 10])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_h2load_in_http_1(lab: Lab, body: Path, method: str, nb_pipelined: int) -> None:
    """h2load speaks HTTP/1.1 when it is told to.

    Steps:
        h2load --h1, one request at a time and ten, without and with a body.

    Verify:
        All succeeded with 2xx, and as many bytes came as there are in the bodies.
    """
    load = ["-n", str(NB_REQUESTS), "-c", str(NB_CONNECTIONS), "-m", str(nb_pipelined)]
    path, length = ("/health", 2) if method == "GET" else ("/echo", BODY_LEN)
    extra = [] if method == "GET" else ["-d", str(body)]
    said = said_by(lab, "h2load", "--h1", *load, *extra, URL + path)
    n = NB_REQUESTS
    assert f"{n} done, {n} succeeded, 0 failed, 0 errored, 0 timeout" in said, said
    assert f"status codes: {n} 2xx, 0 3xx, 0 4xx, 0 5xx" in said, said
    assert f"({n * length}) data" in said, said


AB: dict[str, tuple[list[str], str, int]] = {
    "get": ([], "/health", 2),
    "head": (["-i"], "/health", 0),
    "post": (["-p", "BODY", "-T", "application/octet-stream"], "/echo", BODY_LEN),
}


@pytest.mark.parametrize("keep_alive", [True, False], ids=["keep-alive", "close"])
@pytest.mark.parametrize("what", AB)
def test_ab(lab: Lab, body: Path, what: str, keep_alive: bool) -> None:
    """ab speaks HTTP/1.0, where a connection is kept only for those who ask.

    Steps:
        ab with and without -k.

    Verify:
        All completed, none failed, every body as long as it must be; kept or not as asked.
    """
    options, path, length = AB[what]
    options = [str(body) if option == "BODY" else option for option in options]
    count = NB_REQUESTS if keep_alive else NB_CLOSED
    load = ["-n", str(count), "-c", str(NB_CONNECTIONS), *(["-k"] if keep_alive else [])]
    said = said_by(lab, "ab", "-q", *load, *options, URL + path)
    fields = dict(re.findall(r"^([A-Z][A-Za-z0-9 -]+):\s+(\d+)", said, re.MULTILINE))
    assert fields["Complete requests"] == str(count), said
    assert fields["Failed requests"] == "0", said
    assert fields["HTML transferred"] == str(count * length), said
    assert fields.get("Keep-Alive requests") == (str(count) if keep_alive else None), said
    assert "Non-2xx" not in said, said
    assert "Write errors" not in said, said
