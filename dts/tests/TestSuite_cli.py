# SPDX-License-Identifier: BSD-3-Clause
"""The command line: one clear sentence and the right exit status, and a good end of each run."""

from __future__ import annotations

import re
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dts.framework.lab import ROOT, SRV_ADDR, Lab
from dts.framework.leatd import (
    HTTP_PORT,
    RESP_PORT,
    Leatd,
    LeatdConf,
    af_port,
    binary,
    port_option,
    run_to_end,
)
from dts.framework.leftovers import leftovers
from dts.framework.resp import RespClient, Status, encode
from dts.framework.run import out_dir, serve

FAILED = 1
USAGE = 2
BAD_MAX_S = 1.0
DRAIN_MAX_S = 6.0  # the limit is 5 s unless told otherwise
BIG_LEN = 1 << 20
NOBODY = "65534"
GOOD_PORT = af_port("net_af_packet")
GOOD_FILE = f"""
[port p0]
dev = net_af_packet0
args = iface=leat0
addr = {SRV_ADDR}/24

[listen cache]
protocol = resp
transport = dpdk
address = {SRV_ADDR}
port = {RESP_PORT}

[memory]
no-huge = yes
"""

pytestmark = pytest.mark.usefixtures("lab")


@pytest.fixture
def running(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Leatd]:
    """A daemon of this test alone; the test may end it as it likes."""
    name = "cli-" + re.sub(r"[^a-z_]+", "-", request.node.name.removeprefix("test_"))
    leatd = Leatd(lab, LeatdConf(port=GOOD_PORT), out_dir() / f"{name}.leatd")
    leatd.start()
    yield leatd
    leatd.kill()


def complain(lab: Lab, argv: list[str], status: int) -> str:
    """Run the daemon with something wrong.

    Args:
        lab: Where to run.
        argv: The program and its arguments.
        status: The exit status that is right.

    Returns:
        The one sentence that it said, in lower case.
    """
    got, said, took_s = run_to_end(lab, argv)
    lines = said.splitlines()
    assert got == status, said
    assert len(lines) == 1, said
    assert len(lines[0].split()) >= 3, said
    assert took_s < BAD_MAX_S
    return lines[0].lower()


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["--nonsense"], "nonsense"),
        (["--workers"], "--workers"),
        (["--workers", "none"], "workers"),
        (["--idle", "sometimes"], "sometimes"),
        (["stray"], "stray"),
        (["--port", port_option("net_af_packet0", "10.77.0.300/24", "iface=leat0")], "10.77.0.300"),
        (["--port", port_option("net_af_packet0", "10.77.0.1/33", "iface=leat0")], "10.77.0.1/33"),
        (["--port", "p0,device=net_af_packet0"], "device"),
        (["--port", GOOD_PORT, "--listen", "resp,dpdk,10.77.0.1"], "listen"),
        (["--port", GOOD_PORT, "--listen", "resp,dpdk,10.77.0.1,70000"], "70000"),
        (["--port", GOOD_PORT, "--listen", "gopher,dpdk,10.77.0.1,70"], "gopher"),
        (["--port", GOOD_PORT, "--listen", "resp,pigeon,10.77.0.1,70"], "pigeon"),
        (["--port", GOOD_PORT, "--listen", "resp,dpdk,10.78.0.1,6379"], "10.78.0.1"),
        (["--config", "/nonexistent/leatd.conf"], "/nonexistent/leatd.conf"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_usage(lab: Lab, argv: list[str], names: str) -> None:
    """What is wrong on the command line is told before anything is started.

    Steps:
        Start with the arguments.

    Verify:
        Exit status 2, one sentence that names what is wrong, under a second.
    """
    assert names in complain(lab, [str(binary()), *argv], USAGE)


@pytest.mark.parametrize(
    ("port", "names"),
    [
        (port_option("net_af_packet0", vdev_args="iface=nosuch0"), "nosuch0"),
        (port_option("net_af_xdp0", vdev_args="iface=nosuch0"), "nosuch0"),
        (port_option("net_nosuch0"), "net_nosuch0"),
        (port_option("0000:ff:1f.7"), "0000:ff:1f.7"),
    ],
    ids=["af_packet", "af_xdp", "vdev", "pci"],
)
def test_device_that_does_not_exist(lab: Lab, port: str, names: str) -> None:
    """A device that is not there.

    Steps:
        Start on an interface, a driver or a PCI address that does not exist.

    Verify:
        A failed start, one sentence that names what is missing, under a second.
    """
    status, said, took_s = run_to_end(lab, LeatdConf(port=port).argv())
    assert status in (FAILED, USAGE), said
    assert len(said.splitlines()) == 1, said
    assert names in said
    assert took_s < BAD_MAX_S


def test_port_in_use_by_another_leatd(lab: Lab, running: Leatd) -> None:
    """Two daemons on one device would both answer.

    Steps:
        Start a second daemon on the device of the first.

    Verify:
        A failed start, one sentence, under a second, and the first still answers.
    """
    assert "use" in complain(lab, LeatdConf(port=GOOD_PORT).argv(), FAILED)
    client = RespClient(lab.connect(RESP_PORT))
    assert client.command("PING") == Status("PONG")
    client.close()
    assert running.stop() == 0


def test_no_hugepages(lab: Lab) -> None:
    """Hugepages are asked for and there are not enough.

    Steps:
        Start without --no-huge, asking for more than the machine has free.

    Verify:
        A failed start, one sentence about hugepages, under a second.
    """
    free = re.search(r"HugePages_Free: +(\d+)", Path("/proc/meminfo").read_text())
    memory_mb = 512 + 2 * int(free.group(1) if free else 0)
    conf = LeatdConf(port=GOOD_PORT, huge=True, extra=["--memory", str(memory_mb)])
    assert "hugepage" in complain(lab, conf.argv(), FAILED)


def test_not_root(lab: Lab) -> None:
    """Somebody without privileges starts the daemon.

    Steps:
        Start as nobody.

    Verify:
        A failed start, one sentence about root or a capability, under a second.
    """
    with tempfile.TemporaryDirectory(prefix="leat-dts-") as directory:
        Path(directory).chmod(0o755)  # the tree itself may be closed to others
        program = shutil.copy(binary(), directory)
        argv = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", program]
        said = complain(lab, argv + LeatdConf(port=GOOD_PORT).argv()[1:], FAILED)
    assert re.search(r"root|privilege|capabilit|permi", said), said


def test_version_and_help(lab: Lab) -> None:
    """What any program can tell of itself.

    Steps:
        --version, --help.

    Verify:
        Exit status 0; the version of the tree; every option of the issue.
    """
    status, said, _ = run_to_end(lab, [str(binary()), "--version"])
    assert status == 0
    assert (ROOT / "VERSION").read_text().strip() in said
    status, said, _ = run_to_end(lab, [str(binary()), "--help"])
    assert status == 0
    for option in ("--check", "--listen", "--port", "--workers", "--idle", "--memory", "--no-huge"):
        assert option in said


def test_check_of_a_good_file(lab: Lab, tmp_path: Path) -> None:
    """--check says yes and starts nothing.

    Steps:
        Check a file with a port, a listener and an option.

    Verify:
        Exit status 0, under a second.
    """
    path = tmp_path / "leatd.conf"
    path.write_text(GOOD_FILE)
    status, said, took_s = run_to_end(lab, [str(binary()), "--config", str(path), "--check"])
    assert status == 0, said
    assert took_s < BAD_MAX_S


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("no-huge = yes", "no-hug = yes"),
        ("no-huge = yes", "no-huge = perhaps"),
        ("port = 6379", "port = 70000"),
        ("addr = 10.77.0.1/24", "addr = 10.77.0.1"),
        ("[memory]", "[memry]"),
    ],
)
def test_check_of_a_bad_file_says_where(lab: Lab, tmp_path: Path, good: str, bad: str) -> None:
    """--check tells the line.

    Steps:
        Check the good file with one line spoilt.

    Verify:
        Exit status 2, one sentence with the file and the number of the line.
    """
    path = tmp_path / "leatd.conf"
    path.write_text(GOOD_FILE.replace(good, bad))
    line = GOOD_FILE[: GOOD_FILE.index(good)].count("\n") + 1
    argv = [str(binary()), "--config", str(path), "--check"]
    assert f"leatd.conf:{line}" in complain(lab, argv, USAGE)


def test_configuration_from_a_file(lab: Lab, tmp_path: Path) -> None:
    """The file alone is enough to serve.

    Steps:
        Start with --config only; send PING.

    Verify:
        PONG, and a clean run.
    """
    path = tmp_path / "leatd.conf"
    path.write_text(GOOD_FILE)

    class FileConf(LeatdConf):
        def argv(self) -> list[str]:
            return [str(binary()), "--config", str(path)]

    with serve(lab, FileConf(port=""), "cli-file"):
        client = RespClient(lab.connect(RESP_PORT))
        assert client.command("PING") == Status("PONG")
        client.close()


def test_start_up_tells_what_was_chosen(running: Leatd) -> None:
    """What the daemon uses is no secret.

    Steps:
        Read what it said until "ready".

    Verify:
        Port, driver, address, memory and both listeners.
    """
    said = running.text()
    for word in ("p0", "net_af_packet", f"{SRV_ADDR}/24", "offload", "queue", "memory", "resp"):
        assert word in said, f"{word} is missing in:\n{said}"
    assert str(RESP_PORT) in said
    assert str(HTTP_PORT) in said
    assert running.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_drain_finishes_replies(lab: Lab, running: Leatd, number: signal.Signals) -> None:
    """A daemon that is told to end finishes what it has begun.

    Steps:
        Ask for a mebibyte, read a little, tell the daemon to end, read on. An idle connection
        is open too.

    Verify:
        The whole value, the end of both streams, exit status 0 within the limit, nothing left.
    """
    client, idle = (RespClient(lab.connect(RESP_PORT)) for _ in range(2))
    value = bytes(range(256)) * (BIG_LEN // 256)
    assert client.command("SET", "big", value) == Status("OK")
    client.send("GET", "big")
    time.sleep(0.05)
    begin = time.monotonic()
    running.signal(number)
    time.sleep(0.2)
    assert client.read() == value
    assert client.at_eof()
    assert idle.at_eof()
    client.close()
    idle.close()
    assert running.wait(DRAIN_MAX_S) == 0, running.text()
    assert time.monotonic() - begin < DRAIN_MAX_S
    assert leftovers(lab, running.pid) == []


def test_drain_answers_what_has_arrived(lab: Lab, running: Leatd) -> None:
    """Commands that were received are answered, none by halves.

    Steps:
        Pipeline 100 commands, tell the daemon to end as soon as the first reply is there.

    Verify:
        100 replies, then the end of the stream; new connections are refused.
    """
    client = RespClient(lab.connect(RESP_PORT))
    client.sock.sendall(b"".join(encode("ECHO", i) for i in range(100)))
    assert client.read() == b"0"
    running.signal(signal.SIGTERM)
    for i in range(1, 100):
        assert client.read() == b"%d" % i
    assert client.at_eof()
    client.close()
    assert running.wait(DRAIN_MAX_S) == 0, running.text()


def test_drain_has_a_limit(lab: Lab) -> None:
    """A peer that does not read must not hold the daemon for ever.

    Steps:
        Ask for 16 MiB, read nothing, tell the daemon to end; its limit is one second.

    Verify:
        It ends in time, and says that a connection was cut off.
    """
    conf = LeatdConf(port=GOOD_PORT, extra=["--drain-timeout", "1"])
    leatd = Leatd(lab, conf, out_dir() / "cli-limit.leatd")
    leatd.start()
    try:
        client = RespClient(lab.connect(RESP_PORT))
        assert client.command("SET", "big", b"x" * BIG_LEN) == Status("OK")
        for _ in range(16):
            client.send("GET", "big")
        time.sleep(0.1)
        leatd.signal(signal.SIGTERM)
        assert leatd.wait(3) == FAILED, leatd.text()
        assert "1 open connection" in leatd.text().splitlines()[-1]
        client.close()
    finally:
        leatd.kill()
    assert leftovers(lab, leatd.pid) == []


@pytest.mark.parametrize("driver", ["net_af_packet", "net_af_xdp"])
def test_start_after_a_kill(lab: Lab, driver: str) -> None:
    """Nothing that a killed daemon has left is in the way of the next one.

    Steps:
        Start, serve, kill -9; start again, serve, stop.

    Verify:
        The second one serves and ends well, and removes what the first one has left.
    """
    killed = Leatd(lab, LeatdConf(port=af_port(driver)), out_dir() / f"cli-kill-{driver}.leatd")
    killed.start()
    client = RespClient(lab.connect(RESP_PORT))
    assert client.command("PING") == Status("PONG")
    killed.kill()
    client.close()
    with serve(lab, LeatdConf(port=af_port(driver)), f"cli-again-{driver}"):
        client = RespClient(lab.connect(RESP_PORT))
        assert client.command("PING") == Status("PONG")
        client.close()
    assert leftovers(lab, killed.pid) == []
