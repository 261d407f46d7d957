# SPDX-License-Identifier: BSD-3-Clause
"""What a person tries first: ping, redis-cli and curl."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.run import serve

CLOSED_PORT = 9
URL = f"http://{SRV_ADDR}:{HTTP_PORT}"
REFUSED_MAX_S = 0.2
ECHO_LENS = [0, 1, 1459, 1460, 1461, 2921, 100 << 10, 1 << 20]


@pytest.fixture(scope="module", params=["net_af_packet", "net_af_xdp"], autouse=True)
def served(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Leatd]:
    """The daemon on each driver that binds to a veth."""
    name = f"smoke-{request.param}"
    with serve(lab, LeatdConf(port=af_port(request.param)), name) as one:
        yield one


def redis_cli(lab: Lab, *args: str, stdin: bytes = b"") -> bytes:
    """Run redis-cli.

    Args:
        lab: The lab.
        args: The command.
        stdin: What it reads.

    Returns:
        What it printed, without the last newline.
    """
    done = lab.run("redis-cli", "-h", SRV_ADDR, "-p", str(RESP_PORT), *args, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip(b"\n")


def curl(lab: Lab, *args: str, stdin: bytes = b"") -> bytes:
    """Run curl.

    Args:
        lab: The lab.
        args: Options and addresses.
        stdin: What it reads.

    Returns:
        What it printed.
    """
    done = lab.run("curl", "-sS", "--max-time", "10", *args, stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("data_len", [0, 1, 7, 18, 19, 56, 57, 999, 1399, 1400, 1471, 1472])
def test_ping_is_answered(lab: Lab, data_len: int) -> None:
    """Echo requests of every kind of length, odd ones and the largest that fits.

    Steps:
        Send three echo requests.

    Verify:
        Three replies with the same data.
    """
    done = lab.run("ping", "-c", "3", "-i", "0.05", "-W", "1", "-s", str(data_len), SRV_ADDR)
    assert b" 3 received" in done.stdout, done.stdout
    assert b"wrong data" not in done.stdout, done.stdout


def test_redis_cli_ping(lab: Lab) -> None:
    """The first command that anybody types.

    Steps:
        redis-cli PING.

    Verify:
        PONG.
    """
    assert redis_cli(lab, "PING") == b"PONG"


def test_redis_cli_set_and_get(lab: Lab) -> None:
    """A value comes back, byte for byte.

    Steps:
        SET a value with spaces and a newline, GET it, GET a key that is not there.

    Verify:
        OK, the value, nothing.
    """
    assert redis_cli(lab, "SET", "smoke:key", "a value\nof two lines") == b"OK"
    assert redis_cli(lab, "GET", "smoke:key") == b"a value\nof two lines"
    assert redis_cli(lab, "GET", "smoke:none") == b""


def test_redis_cli_reads_commands_from_a_pipe(lab: Lab) -> None:
    """redis-cli --pipe sends as fast as it can and waits for an ECHO at the end.

    Steps:
        Send 1,000 SET through --pipe.

    Verify:
        1,000 replies, no error, and the last value is there.
    """
    lines = b"".join(b"SET smoke:pipe:%d %d\r\n" % (i, i) for i in range(1000))
    assert b"errors: 0, replies: 1000" in redis_cli(lab, "--pipe", stdin=lines)
    assert redis_cli(lab, "GET", "smoke:pipe:999") == b"999"


def test_curl_health(lab: Lab) -> None:
    """The health page.

    Steps:
        GET /health.

    Verify:
        200 and "ok".
    """
    reply = curl(lab, "-w", " %{http_code} %{http_version}", f"{URL}/health")
    assert reply.split() == [b"ok", b"200", b"1.1"]


def test_curl_head(lab: Lab) -> None:
    """HEAD has the headers of GET and no body.

    Steps:
        HEAD /health.

    Verify:
        200, a length, and curl does not wait for a body.
    """
    head = curl(lab, "-I", f"{URL}/health").lower()
    assert head.startswith(b"http/1.1 200")
    assert b"content-length: " in head


@pytest.mark.parametrize("body_len", ECHO_LENS)
def test_curl_echo(lab: Lab, body_len: int) -> None:
    """POST /echo gives the body back, from nothing to a mebibyte, about every border of a segment.

    Steps:
        POST a random body.

    Verify:
        The same body.
    """
    body = os.urandom(body_len)
    header = ["-H", "Content-Type: application/octet-stream", "-H", "Expect:"]
    assert curl(lab, *header, "--data-binary", "@-", f"{URL}/echo", stdin=body) == body


def test_curl_keeps_the_connection(lab: Lab) -> None:
    """Requests of one curl share one connection.

    Steps:
        GET /health three times with one curl.

    Verify:
        One connection was made.
    """
    urls = [f"{URL}/health"] * 3
    reply = curl(lab, "-w", " %{num_connects}\n", *urls)
    assert reply.split() == [b"ok", b"1", b"ok", b"0", b"ok", b"0"]


def test_closed_port_is_refused_at_once(lab: Lab) -> None:
    """A closed port answers with RST.

    Steps:
        Connect to a port where nobody listens.

    Verify:
        Refused, at once.
    """
    begin = time.monotonic()
    with pytest.raises(ConnectionRefusedError):
        lab.connect(CLOSED_PORT)
    assert time.monotonic() - begin < REFUSED_MAX_S
