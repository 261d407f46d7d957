# SPDX-License-Identifier: BSD-3-Clause
"""What a request asks of the kernel and of the C library: nothing.

Over shared memory and without sleep, since the drivers that go through the kernel make calls of
their own, AF_PACKET a sendto() for each burst, and who sleeps calls clock_nanosleep() and poll().
"""

from __future__ import annotations

import contextlib
import re
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dts.framework.balance import JSON_ANSWER, JSON_REQUEST, JSON_TYPE
from dts.framework.bridge import bridge
from dts.framework.http import HttpClient, ask
from dts.framework.lab import ROOT, SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, binary, port_option
from dts.framework.records import wait_for
from dts.framework.resp import RespClient, Status
from dts.framework.run import out_dir, serve_unseen
from dts.framework.sbe import Bulk, SbeClient
from dts.framework.sbe_table import get
from dts.framework.zap import CallClient, ZapClient

SBE_PORT, ZAP_PORT, CALL_PORT = 7001, 7003, 7000
LISTENERS = {"sbe": SBE_PORT, "zap": ZAP_PORT, "zap-rpc": CALL_PORT}
NB_REQUESTS = 200
LONG = b"l" * 20_000  # lent, and several segments
START_S = 10.0


class Allocs:
    """What the daemon has allocated since it was started."""

    def __init__(self, path: Path) -> None:
        """Build what counts.

        Args:
            path: A directory for it.
        """
        self._count = path / "allocs"
        self._count.write_bytes(bytes(8))
        library = path / "allocs.so"
        source = ROOT / "dts" / "preload" / "allocs.c"
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True, timeout=START_S
        )
        self.env = [f"LD_PRELOAD={library}", f"LEAT_ALLOCS={self._count}"]

    def nb(self) -> int:
        """Read the count."""
        (nb,) = struct.unpack("<Q", self._count.read_bytes())
        return int(nb)


@pytest.fixture(scope="module")
def allocs(tmp_path_factory: pytest.TempPathFactory) -> Allocs:
    """The counter; AddressSanitizer has an allocator of its own."""
    if b"__asan_init" in binary().read_bytes():
        pytest.skip("a build with AddressSanitizer")
    return Allocs(tmp_path_factory.mktemp("allocs"))


@pytest.fixture(scope="module")
def leatd(lab: Lab, allocs: Allocs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Leatd]:
    """The daemon with a listener of each protocol, behind a memif, that never sleeps."""
    path = tmp_path_factory.mktemp("memif") / "socket"
    listeners = [
        option
        for protocol, port in LISTENERS.items()
        for option in ("--listen", f"{protocol},dpdk,{SRV_ADDR},{port}")
    ]
    port = port_option("net_memif0", vdev_args=f"role=client,id=0,socket={path}")
    conf = LeatdConf(port=port, extra=[*listeners, "--idle", "poll"], env=allocs.env)
    peer = f"net_memif0,role=server,id=0,socket={path}"
    with (
        bridge(lab, peer, out_dir() / "quiet.testpmd"),
        serve_unseen(lab, conf, "quiet") as one,
    ):
        wait_for(lambda: lab.run("ping", "-c", "1", "-W", "1", SRV_ADDR).returncode == 0, START_S)
        yield one


def _resp(lab: Lab, nb: int) -> None:
    client = RespClient(lab.connect(RESP_PORT))
    for _ in range(nb):
        assert client.command("SET", "key", "value") == Status("OK")
        assert client.command("GET", "key") == b"value"
        assert client.command("SET", "long", LONG) == Status("OK")
        assert client.command("GET", "long") == LONG
        assert client.command("DEL", "none") == 0
    client.close()


def _http(lab: Lab, nb: int) -> None:
    client = HttpClient(lab.connect(HTTP_PORT))
    json_type = f"Content-Type: {JSON_TYPE}\r\n"
    for _ in range(nb):
        assert ask(client, "GET", "/health").body == b"ok"
        assert ask(client, "POST", "/echo", LONG).body == LONG
        assert ask(client, "POST", "/rpc", JSON_REQUEST, json_type).body == JSON_ANSWER
        assert ask(client, "GET", "/nowhere").status == 404
    client.close()


def _sbe(lab: Lab, nb: int) -> None:
    client = SbeClient(lab.connect(SBE_PORT))
    for _ in range(nb):
        assert client.ask(get(b"key")) == Bulk(b"value")
    client.close()


def _zap(lab: Lab, nb: int) -> None:
    client = ZapClient(lab.connect(ZAP_PORT))
    for _ in range(nb):
        assert client.ask("GET", "/health").body == b"ok"
        fields = [("Content-Type", JSON_TYPE)]
        assert client.ask("POST", "/rpc", JSON_REQUEST, fields).body == JSON_ANSWER
    client.close()


def _calls(lab: Lab, nb: int) -> None:
    client = CallClient(lab.connect(CALL_PORT))
    for promise in range(1, 2 * nb, 2):
        assert client.ask(2, promise, payload=b"parameter").body == b"parameter"
        assert client.ask(2, promise + 1, target=promise).body == b"parameter"
    client.close()


def _load(lab: Lab, nb: int) -> None:
    for one in (_resp, _http, _sbe, _zap, _calls):
        one(lab, nb)


def _worker(leatd: Leatd) -> int:
    """Find the thread that polls."""
    for task in Path(f"/proc/{leatd.pid}/task").iterdir():
        if (task / "comm").read_text().startswith("rte-worker"):
            return int(task.name)
    raise RuntimeError("no thread of that name")


@contextlib.contextmanager
def _traced(tid: int, log: Path) -> Iterator[Callable[[], list[str]]]:
    """Write down the system calls of a thread; what is yielded ends it and gives them."""
    argv = ["strace", "-p", str(tid), "-o", str(log)]
    strace = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)

    def end() -> list[str]:
        strace.send_signal(signal.SIGINT)
        strace.communicate(timeout=START_S)
        return [line for line in log.read_text().splitlines() if re.match(r"\w+\(", line)]

    try:
        assert strace.stderr is not None
        assert "attached" in strace.stderr.readline()
        yield end
    finally:
        strace.kill()
        strace.wait()


def test_requests_make_no_system_call(lab: Lab, leatd: Leatd, tmp_path: Path) -> None:
    """From the frame that comes to the frame that goes, and for connections that come and go.

    Steps:
        Trace the worker while clients of each protocol ask, after some have asked before.

    Verify:
        It has called nothing.
    """
    _load(lab, 5)
    with _traced(_worker(leatd), tmp_path / "strace") as end:
        _load(lab, NB_REQUESTS)
        calls = end()
    assert not calls, calls[:20]


def test_requests_allocate_nothing(lab: Lab, leatd: Leatd, allocs: Allocs) -> None:
    """All memory is taken at start.

    Steps:
        Count what the daemon allocates while clients of each protocol ask.

    Verify:
        It was counted at start, and nothing since.
    """
    assert leatd.is_running()
    _load(lab, 5)
    time.sleep(0.1)
    before = allocs.nb()
    _load(lab, NB_REQUESTS)
    assert before > 0
    assert allocs.nb() == before
