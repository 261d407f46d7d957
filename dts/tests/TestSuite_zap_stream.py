# SPDX-License-Identifier: BSD-3-Clause
"""HTTP over ZAP: answers that are longer than a frame may be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, LeatdConf, af_port
from dts.framework.resp import RespClient
from dts.framework.resp_table import OK
from dts.framework.run import serve_unseen
from dts.framework.zap import BINARY, FRAME_MAX, JSON, ZapClient, block

PORTS = {BINARY: 9999, JSON: 9998}
TYPE = ("Content-Type", "application/octet-stream")
ANSWER_MAX_S = 30.0
DATA_LEN = 1 << 20  # of one frame, of those that need several


@pytest.fixture(scope="module", autouse=True)
def served(lab: Lab) -> Iterator[None]:
    """A daemon with room for values of 64 MiB. Nobody looks at hundreds of megabytes."""
    extra = [
        f"--listen=zap,dpdk,{SRV_ADDR},{PORTS[BINARY]}",
        f"--listen=zap,dpdk,{SRV_ADDR},{PORTS[JSON]},zap-headers=json",
        *("--memory=1024", "--store-memory=256", "--carry-memory=160", "--request-max=64M"),
    ]
    with serve_unseen(lab, LeatdConf(port=af_port("net_af_packet"), extra=extra), "zap-stream"):
        yield


@pytest.mark.parametrize("generation", [BINARY, JSON])
def test_an_answer_too_long_for_a_frame_is_streamed(lab: Lab, generation: str) -> None:
    """A value that fits in a request of RESP and not in a frame with its fields.

    Steps:
        * Have the daemon hold the longest value that one frame can carry, and get it over ZAP.
        * The same with one byte more, as GET and as HEAD.

    Verify:
        * The first comes in one frame, the second in a head, frames of data and an end.
        * Each byte is right, and the connection goes on.
    """
    resp = RespClient(lab.connect(RESP_PORT, timeout_s=ANSWER_MAX_S))
    client = ZapClient(lab.connect(PORTS[generation], timeout_s=ANSWER_MAX_S), generation)
    front_len = 64 + len("OK") + len("HTTP/1.1") + len(block([TYPE], generation))
    longest = FRAME_MAX - front_len
    value = bytes(range(251)) * (FRAME_MAX // 251 + 1)
    for length, nb_frames in ((longest, 0), (longest + 1, -(-longest // DATA_LEN))):
        assert resp.command("SET", b"long", value[:length]) == OK
        reply = client.ask("GET", "/v1/kv/long")
        assert (reply.status, reply.fields, reply.nb_frames) == (200, [TYPE], nb_frames)
        assert reply.body == value[:length]
    reply = client.ask("HEAD", "/v1/kv/long")
    assert (reply.status, reply.fields, reply.nb_frames, reply.body) == (200, [TYPE], 0, b"")
    assert client.ask("GET", "/health").body == b"ok"
    client.close()
    resp.close()
