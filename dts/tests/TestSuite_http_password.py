# SPDX-License-Identifier: BSD-3-Clause
"""HTTP under requirepass."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest

from dts.framework.http import HttpClient, ask
from dts.framework.lab import Lab
from dts.framework.leatd import HTTP_PORT, Leatd, LeatdConf, af_port
from dts.framework.run import serve


@pytest.fixture(scope="module")
def leatd(lab: Lab) -> Iterator[Leatd]:
    """The daemon with a password."""
    conf = LeatdConf(port=af_port("net_af_packet"), extra=["--requirepass", "secret"])
    with serve(lab, conf, "http_password") as one:
        yield one


def test_the_password_comes_with_each_request(lab: Lab, leatd: Leatd) -> None:
    """No login: the next request may be somebody else's.

    Steps:
        Ask with and without the password, in both forms, in one connection.

    Verify:
        401 that says how, 200 with it, and the health in any case.
    """
    assert leatd.pid > 0
    client = HttpClient(lab.connect(HTTP_PORT))
    assert ask(client, "GET", "/health").body == b"ok"
    for path in ("/headers", "/v1/kv/a", "/nothing"):
        reply = ask(client, "GET", path)
        assert reply.status == 401
        assert reply.headers["www-authenticate"].startswith(("Basic ", "Bearer "))
    basic = b64encode(b"default:secret").decode()
    for value in (f"Basic {basic}", "Bearer secret"):
        reply = ask(client, "PUT", "/v1/kv/a", b"1", more=f"Authorization: {value}\r\n")
        assert reply.status in (201, 204)
    assert ask(client, "GET", "/v1/kv/a").status == 401
    assert ask(client, "GET", "/v1/kv/a", more="Authorization: Bearer no\r\n").status == 401
    client.close()
