# SPDX-License-Identifier: BSD-3-Clause
"""requirepass beside RESP: how each protocol takes the password, and what those without may cost."""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Iterator

import pytest

from dts.framework.curl import curl
from dts.framework.http import HttpClient, ask
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.resp import RespClient
from dts.framework.resp_table import OK
from dts.framework.run import SNAP_LEN_LOAD, serve
from dts.framework.sbe import MAGIC, Error, SbeClient
from dts.framework.sbe_table import get, of, ping, set_
from dts.framework.zap import BINARY, JSON, Answer, CallClient, Fields, ZapClient, call, request

PASSWORD = "open sesame"
ZAP_PORTS = {BINARY: 9999, JSON: 9998}
CALL_PORT = 9653
AUTO_PORT, SBE_PORT = 17001, 17002
GUEST_MAX = 16_384  # bytes of a frame, and of a body
BALANCE, ECHO = 1, 2  # methods of calls
SBE_GET, SBE_ECHO = 22, 65
BASIC = b64encode(f"default:{PASSWORD}".encode()).decode()
RIGHT: Fields = [("Authorization", f"Bearer {PASSWORD}")]
WRONG: Fields = [("authorization", "Bearer wrong")]
REFUSED: list[Fields] = [[], WRONG, [("Authorization", "Basic bm8=")]]
NO_AUTH = Error(b"NOAUTH", b"Authentication required.")

NB_GUESTS = 6
HELD_LEN = 3_000_000  # bytes that each of them sends of a request
ANNOUNCED_LEN = 8_000_000  # of how many
VALUE_LEN = 5_000_000  # bytes of what a client stores meanwhile

# What a guest sends first of a request that he never finishes.
STARTS: dict[str, tuple[int, bytes]] = {
    "resp": (RESP_PORT, b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n" % ANNOUNCED_LEN),
    "http": (
        HTTP_PORT,
        b"PUT /v1/kv/k HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % ANNOUNCED_LEN,
    ),
    "http-chunked": (
        HTTP_PORT,
        b"PUT /v1/kv/k HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"%x\r\n" % ANNOUNCED_LEN,
    ),
    "http-public": (
        HTTP_PORT,
        b"GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % ANNOUNCED_LEN,
    ),
    "sbe": (SBE_PORT, struct.pack("<IHHHH", ANNOUNCED_LEN, 0, SBE_GET, 7, 2)),
    "auto": (AUTO_PORT, MAGIC + struct.pack("<IHHHH", ANNOUNCED_LEN, 0, SBE_GET, 7, 2)),
    "zap": (ZAP_PORTS[BINARY], request("PUT", "/v1/kv/k", bytes(ANNOUNCED_LEN))[:200]),
    "zap-json": (
        ZAP_PORTS[JSON],
        request("PUT", "/v1/kv/k", bytes(ANNOUNCED_LEN), WRONG, JSON)[:200],
    ),
    "zap-rpc": (CALL_PORT, call(ECHO, 1, 0, bytes(ANNOUNCED_LEN), b"wrong")[:200]),
}


@pytest.fixture(scope="module", autouse=True)
def guarded(lab: Lab) -> Iterator[Leatd]:
    """The daemon with a password and a listener of each protocol."""
    extra = [
        "--requirepass",
        PASSWORD,
        f"--listen=zap,dpdk,{SRV_ADDR},{ZAP_PORTS[BINARY]}",
        f"--listen=zap,dpdk,{SRV_ADDR},{ZAP_PORTS[JSON]},zap-headers=json",
        f"--listen=zap-rpc,dpdk,{SRV_ADDR},{CALL_PORT}",
        f"--listen=sbe,dpdk,{SRV_ADDR},{SBE_PORT}",
        f"--listen=auto,dpdk,{SRV_ADDR},{AUTO_PORT}",
    ]
    conf = LeatdConf(port=af_port("net_af_packet"), extra=extra)
    # Of requests of megabytes the headers are enough to judge. A client that computes has its
    # kernel acknowledge late, and the tail is sent again.
    with serve(lab, conf, "guests", SNAP_LEN_LOAD, clean_link=False) as leatd:
        yield leatd


def known(lab: Lab) -> RespClient:
    """Open a connection of RESP that has given the password.

    Args:
        lab: The lab.

    Returns:
        The connection.
    """
    client = RespClient(lab.connect(RESP_PORT))
    assert client.command("AUTH", PASSWORD) == OK
    return client


@pytest.mark.parametrize("name", STARTS)
def test_unfinished_requests_of_guests_take_no_memory_of_clients(lab: Lab, name: str) -> None:
    """Guests who send megabytes of requests that never end do not stop who has the password.

    Steps:
        Six connections send 3 MB each of a request of 8 MB, and stay. A client stores 5 MB.

    Verify:
        It is stored. A guest is closed behind his answer, and not reset while he sends.
    """
    port, start = STARTS[name]
    guests = [lab.connect(port) for _ in range(NB_GUESTS)]
    for guest in guests:
        guest.sendall(start + bytes(HELD_LEN - len(start)))
    value = b"v" * VALUE_LEN
    client = known(lab)
    assert client.command("SET", name, value) == OK
    assert client.command("GET", name) == value
    assert client.command("DEL", name) == 1
    client.close()
    for guest in guests:
        with guest:
            came = b""
            while data := guest.recv(1 << 16):
                came += data
            assert len(came) < 1000
            assert (came == b"") == (name == "zap-rpc"), came


@pytest.mark.parametrize("generation", ZAP_PORTS)
def test_http_over_zap_brings_the_password_with_each_request(lab: Lab, generation: str) -> None:
    """As over HTTP/1.1 there is no login.

    Steps:
        Ask with the password in both forms, with another, with two and with none, in one
        connection.

    Verify:
        The answer, 401 that says how, 400; the health in any case; the connection goes on.
    """
    client = ZapClient(lab.connect(ZAP_PORTS[generation]), generation)
    for path in ("/headers", "/v1/kv/a", "/nothing"):
        for fields in REFUSED:
            reply = client.ask("GET", path, fields=fields)
            assert (reply.status, reply.reason) == (401, "Unauthorized")
            how = [value for name, value in reply.fields if name == "WWW-Authenticate"]
            assert [value.split(" ")[0] for value in how] == ["Basic", "Bearer"]
        for fields in (RIGHT + WRONG, WRONG + RIGHT):
            assert client.ask("GET", path, fields=fields).status == 400
        assert client.ask("GET", "/health").body == b"ok"
    for fields in (RIGHT, [("AUTHORIZATION", f"basic {BASIC}")]):
        assert client.ask("PUT", "/v1/kv/a", b"1", fields).status in (201, 204)
        assert client.ask("PUT", "/v1/kv/a", b"2").status == 401
        assert client.ask("GET", "/v1/kv/a", fields=fields).body == b"1"
    assert client.ask("DELETE", "/v1/kv/a", fields=RIGHT).status == 204
    client.close()


@pytest.mark.parametrize("generation", ZAP_PORTS)
def test_a_long_frame_of_a_guest_is_judged_by_its_front(lab: Lab, generation: str) -> None:
    """What the fields in the first 16,384 bytes of a frame say is said before the rest comes.

    Steps:
        Send the front of a long frame and no more, without the password; a whole one with it;
        one for the health.

    Verify:
        401 and the end; the answer; 413 and the end. A frame at the limit is read to its end.
    """
    port = ZAP_PORTS[generation]
    body = b"x" * 1_000_000
    client = ZapClient(lab.connect(port), generation)
    client.send(client.request("POST", "/echo", body)[: GUEST_MAX + 4])
    assert client.read().status == 401
    assert client.at_eof()
    client.close()
    client = ZapClient(lab.connect(port), generation)
    for _ in range(3):
        assert client.ask("POST", "/echo", body, RIGHT).body == body
    around = len(client.request("POST", "/echo", b"x")) - 4 - 1
    assert client.ask("POST", "/echo", body[: GUEST_MAX - around]).status == 401
    assert client.ask("GET", "/health", body[:9999]).body == b"ok"
    assert client.ask("GET", "/health", body[:GUEST_MAX]).status == 413
    assert client.at_eof()
    client.close()


def test_a_call_brings_the_password_once(lab: Lab) -> None:
    """A capability that is the password makes a guest known for as long as his connection lasts.

    Steps:
        Call without a capability, with a wrong one, with the right one, and without again; from
        another connection without.

    Verify:
        401, 401, 200, 200; 401.
    """
    right, wrong = PASSWORD.encode(), PASSWORD[:-1].encode()
    client = CallClient(lab.connect(CALL_PORT))
    assert client.ask(ECHO, 1, 0, b"a") == Answer(401, 1)
    assert client.ask(ECHO, 2, 0, b"a", wrong) == Answer(401, 2)
    assert client.ask(ECHO, 3, 2, b"a") == Answer(401, 3)
    assert client.ask(ECHO, 4, 0, b"a", right) == Answer(200, 4, b"a")
    assert client.ask(ECHO, 5, 0, b"b") == Answer(200, 5, b"b")
    assert client.ask(ECHO, 6, 5) == Answer(200, 6, b"b")
    other = CallClient(lab.connect(CALL_PORT))
    assert other.ask(ECHO, 1, 0, b"a") == Answer(401, 1)
    other.close()
    client.close()


def test_calls_in_one_go_are_read_as_the_password_comes(lab: Lab) -> None:
    """A long call right behind the one that brings the password is one of a client who is known.

    Steps:
        Send a short call with the password and a long one behind it in one go; a long one first.

    Verify:
        Both answers; the end without a word.
    """
    body = b"x" * 100_000
    client = CallClient(lab.connect(CALL_PORT))
    client.send(call(ECHO, 1, 0, b"a", PASSWORD.encode()) + call(ECHO, 2, 0, body))
    assert client.read() == Answer(200, 1, b"a")
    assert client.read() == Answer(200, 2, body)
    client.close()
    client = CallClient(lab.connect(CALL_PORT))
    client.send(call(ECHO, 1, 0, body, PASSWORD.encode()))
    assert client.at_eof()
    client.close()


@pytest.mark.parametrize("port", [SBE_PORT, AUTO_PORT])
def test_a_guest_of_sbe_stays_one(lab: Lab, port: int) -> None:
    """SBE has no message with a password.

    Steps:
        Send requests, the longest that a guest may send, and the length of one that is longer.

    Verify:
        NOAUTH to each; an error of the protocol and the end.
    """
    longest = of(SBE_ECHO, bytes(GUEST_MAX - 12 - 4))
    assert len(longest) == GUEST_MAX
    client = SbeClient(lab.connect(port))
    client.send(MAGIC)
    for data in (ping(), get(b"k"), set_(b"k", b"v"), longest):
        assert client.ask(data) == NO_AUTH
    client.send(of(SBE_ECHO, bytes(GUEST_MAX - 12 - 3))[:4])
    assert client.read() == Error(b"ERR", b"Protocol error: unauthenticated frame length")
    assert client.at_eof()
    client.close()


def _twice(first: str, second: str) -> str:
    return f"Authorization: Bearer {first}\r\nauthorization: Bearer {second}\r\n"


def test_a_body_is_not_taken_in_without_the_password(lab: Lab) -> None:
    """RFC 9110 section 15.5.2 and RFC 9112 section 9.6: 401 when the head is there, then the end.

    Steps:
        Send a head that announces a body, then the body, and read.

    Verify:
        401 before any of the body is there; what comes behind ends in no reset.
    """
    head = "PUT /v1/kv/k HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n"
    for more in ("", "Expect: 100-continue\r\n", "Authorization: Bearer wrong\r\n"):
        client = HttpClient(lab.connect(HTTP_PORT))
        client.send(f"{head}{more}\r\n".encode())
        reply = client.read()
        assert (reply.status, reply.headers["connection"]) == (401, "close")
        assert reply.headers["www-authenticate"].startswith(("Basic ", "Bearer "))
        client.send(bytes(5_000_000))
        assert client.at_eof()
        client.close()


def test_bodies_of_guests_where_no_password_is_needed(lab: Lab) -> None:
    """The health answers whoever asks, a short body or none.

    Steps:
        GET with bodies up to the limit and one over, with a length and in chunks.

    Verify:
        200 and the connection goes on; 413 and it does not.
    """
    client = HttpClient(lab.connect(HTTP_PORT))
    chunked = "Transfer-Encoding: chunked\r\n"
    for length in (0, 1, GUEST_MAX):
        assert ask(client, "GET", "/health", bytes(length)).body == b"ok"
    client.send(f"GET /health HTTP/1.1\r\nHost: a\r\n{chunked}\r\n1\r\nx\r\n0\r\n\r\n".encode())
    assert client.read().body == b"ok"
    assert ask(client, "GET", "/health", bytes(GUEST_MAX + 1)).status == 413
    assert client.at_eof()
    client.close()


@pytest.mark.parametrize(
    "more", [_twice(PASSWORD, "no"), _twice("no", PASSWORD)], ids=["right-first", "wrong-first"]
)
def test_two_authorizations_are_refused(lab: Lab, more: str) -> None:
    """Which one a proxy in front believed is not known.

    Steps:
        Send a request with two, of which one is right.

    Verify:
        400 and the end.
    """
    client = HttpClient(lab.connect(HTTP_PORT))
    assert ask(client, "GET", "/headers", more=more).status == 400
    assert client.at_eof()
    client.close()


def test_pipelined_requests_bring_the_password_each(lab: Lab) -> None:
    """What one request brings says nothing of the next one.

    Steps:
        Send many requests in one go, every other one with the password.

    Verify:
        200 and 401 in turn.
    """
    get_ = "GET /headers HTTP/1.1\r\nHost: a\r\n"
    client = HttpClient(lab.connect(HTTP_PORT))
    client.send(f"{get_}Authorization: Basic {BASIC}\r\n\r\n{get_}\r\n".encode() * 500)
    for _ in range(500):
        assert (client.read().status, client.read().status) == (200, 401)
    client.close()


def test_curl_uploads_with_and_without_the_password(lab: Lab) -> None:
    """curl asks before it sends a long body, and sends none that nobody wants.

    Steps:
        Upload 5 MB with the password and without.

    Verify:
        100 and 201; 401 and not a byte sent.
    """
    upload = ["-H", "Expect: 100-continue", "-T", "-"]
    url = f"http://{SRV_ADDR}:{HTTP_PORT}/v1/kv/uploaded"
    value = bytes(VALUE_LEN)
    [answer] = curl(lab, "-u", f"default:{PASSWORD}", *upload, url, stdin=value)
    assert answer.status == 201
    assert answer.heads[0].startswith("HTTP/1.1 100 ")
    [answer] = curl(lab, *upload, url, stdin=value)
    assert (answer.status, answer.nb_sent, len(answer.heads)) == (401, 0, 1)
    client = known(lab)
    assert client.command("DEL", "uploaded") == 1
    client.close()
