# SPDX-License-Identifier: BSD-3-Clause
"""Load by the tools that everybody has, and not one error."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.resp import RespClient
from dts.framework.run import SNAP_LEN_LOAD, serve

NB_REQUESTS = 100_000
WRK_S = 10
TOOL_MAX_S = 120


@pytest.fixture(params=["net_af_packet", "net_af_xdp"], autouse=True)
def served(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Leatd]:
    """A daemon for each load, so that each has a capture of its own."""
    name = request.node.name.partition("[")[0].removeprefix("test_")
    conf = LeatdConf(port=af_port(request.param))
    with serve(lab, conf, f"load-{name}-{request.param}", SNAP_LEN_LOAD) as one:
        yield one


def test_redis_benchmark(lab: Lab) -> None:
    """Fifty connections with pipelines of sixteen.

    Steps:
        redis-benchmark -t ping,set,get -n 100000 -c 50 -P 16.

    Verify:
        A rate for each test and no error; the key that it sets is there.
    """
    argv = ["-h", SRV_ADDR, "-p", str(RESP_PORT), "-t", "ping,set,get", "--csv"]
    load = ["-n", str(NB_REQUESTS), "-c", "50", "-P", "16"]
    done = lab.run("redis-benchmark", *argv, *load, timeout_s=TOOL_MAX_S)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    rates = dict(re.findall(r'^"([A-Z_]+)","([0-9.]+)"', said, re.MULTILINE))
    print(rates)
    assert set(rates) == {"PING_INLINE", "PING_MBULK", "SET", "GET"}, said
    assert all(float(rate) > 0 for rate in rates.values()), said
    assert "rror" not in said, said
    client = RespClient(lab.connect(RESP_PORT))
    assert client.command("EXISTS", "key:__rand_int__") == 1
    client.close()


def test_wrk(lab: Lab) -> None:
    """Sixty-four connections that never pause.

    Steps:
        wrk -c 64 -d 10 on /health.

    Verify:
        Requests were answered, each with 2xx, without a socket error.
    """
    url = f"http://{SRV_ADDR}:{HTTP_PORT}/health"
    done = lab.run("wrk", "-t", "1", "-c", "64", "-d", str(WRK_S), url, timeout_s=TOOL_MAX_S)
    said = done.stdout.decode()
    print(said)
    assert done.returncode == 0, said
    count = re.search(r"(\d+) requests in", said)
    assert count is not None, said
    assert int(count.group(1)) > 0, said
    assert "Non-2xx" not in said, said
    assert "Socket errors" not in said, said


def test_storm_of_connections(lab: Lab) -> None:
    """Connections that come and go, one request each.

    Steps:
        redis-benchmark without keep-alive.

    Verify:
        No error.
    """
    argv = ["-h", SRV_ADDR, "-p", str(RESP_PORT), "-t", "ping", "--csv", "-k", "0"]
    done = lab.run("redis-benchmark", *argv, "-n", "5000", "-c", "20", timeout_s=TOOL_MAX_S)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    assert '"PING_MBULK"' in said, said
    assert "rror" not in said, said
