# SPDX-License-Identifier: BSD-3-Clause
"""requirepass and the limits of RESP over the wire, beside Redis under the same ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dts.framework.curl import curl
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT, RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.node import NodeScripts
from dts.framework.redis_server import REDIS_ADDR, REDIS_PORT, redis_server
from dts.framework.resp import RespClient, encode
from dts.framework.resp_table import OK, wrong_args
from dts.framework.run import SNAP_LEN_LOAD, serve
from dts.framework.sbe import Error as SbeError
from dts.framework.sbe import SbeClient
from dts.framework.sbe_table import get, of, ping, set_, subscribe
from dts.framework.transcript import Arg, stream, transcript, until_closed

PASSWORD = "open sesame"
BULK_MAX = 1 << 20  # bytes of an argument, the least that both can be told
QUERY_MAX = 2 << 20  # bytes of a request
ARGC_MAX = 65_536
SBE_PORT = 17002
GUEST_ARGC_MAX = 10
GUEST_BULK_MAX = 16384
AUTH: list[Arg] = ["AUTH", PASSWORD]

CONVERSATIONS: dict[str, list[list[Arg]]] = {
    "guest": [
        ["PING"],
        ["GET", "k"],
        ["SET", "k", "v"],
        ["SUBSCRIBE", "a"],
        ["CLIENT", "ID"],
        ["COMMAND", "COUNT"],
        ["GET"],
        ["NOSUCH"],
        ["HELLO"],
        ["HELLO", 2],
        ["HELLO", 3],
        ["HELLO", 9],
        ["RESET"],
    ],
    "auth": [["AUTH", "wrong"], ["PING"], AUTH, ["PING"], ["AUTH", "wrong"], ["PING"]],
    "auth-user": [
        ["AUTH", "default", "wrong"],
        ["AUTH", "nobody", PASSWORD],
        ["PING"],
        ["AUTH", "default", PASSWORD],
        ["PING"],
    ],
    "auth-length": [["AUTH", ""], ["AUTH", PASSWORD[:-1]], ["AUTH", PASSWORD + "!"], ["PING"]],
    "auth-arguments": [["AUTH"], ["AUTH", 1, 2, 3], AUTH, ["AUTH", "default", PASSWORD, "x"]],
    "hello-auth": [["HELLO", 3, "AUTH", "default", PASSWORD], ["GET", "none"]],
    "hello-wrong": [["HELLO", 3, "AUTH", "default", "wrong"], ["PING"], ["HELLO", 2]],
    "hello-setname": [
        ["HELLO", 3, "SETNAME", "me", "AUTH", "default", PASSWORD],
        ["CLIENT", "GETNAME"],
    ],
    "hello-bad-setname": [
        ["HELLO", 3, "AUTH", "default", PASSWORD, "SETNAME", "a b"],
        ["GET", "none"],
    ],
    "reset": [AUTH, ["PING"], ["RESET"], ["PING"], AUTH, ["PING"]],
    "guest-arguments": [["ECHO", *"abcdefghi"], ["PING"]],
    "guest-argument": [["ECHO", "x" * GUEST_BULK_MAX], ["PING"]],
    "argument": [AUTH, ["SET", "k", "x" * BULK_MAX], ["GET", "k"]],
}

# What is one over; a server closes behind it, and has read all of it.
STREAMS: dict[str, bytes] = {
    "guest-arguments": stream(["PING"]) + b"*%d\r\n" % (GUEST_ARGC_MAX + 1),
    "guest-argument": stream(["PING"]) + b"*2\r\n$4\r\nECHO\r\n$%d\r\n" % (GUEST_BULK_MAX + 1),
    "guest-argument-named": b"*1\r\n$%d\r\n" % (GUEST_BULK_MAX + 1),
    "argument": stream(AUTH) + b"*2\r\n$4\r\nECHO\r\n$%d\r\n" % (BULK_MAX + 1),
    "argument-of-set": stream(AUTH, ["SET", "k", "v"])
    + b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n" % (BULK_MAX + 1),
}


@pytest.fixture(scope="module", autouse=True)
def guarded(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Leatd]:
    """The daemon with a password and short limits, and Redis with the same."""
    limits = {"proto-max-bulk-len": BULK_MAX, "client-query-buffer-limit": QUERY_MAX}
    options = ["--requirepass", PASSWORD]
    for name, value in limits.items():
        options += [f"--{name}", str(value)]
    listener = f"--listen=sbe,dpdk,{SRV_ADDR},{SBE_PORT}"
    conf = LeatdConf(port=af_port("net_af_packet"), extra=[*options, listener])
    redis = redis_server(lab, tmp_path_factory.mktemp("redis"), *options)
    # Of requests of mebibytes the headers are enough to judge. A client that computes has its
    # kernel acknowledge late, and the tail is sent again.
    with serve(lab, conf, "limits", SNAP_LEN_LOAD, clean_link=False) as leatd, redis:
        yield leatd


def known(lab: Lab, port: int = RESP_PORT, addr: str = SRV_ADDR) -> RespClient:
    """Open a connection that has given the password.

    Args:
        lab: The lab.
        port: Whose.
        addr: Whose.

    Returns:
        The connection.
    """
    client = RespClient(lab.connect(port, addr))
    assert client.command(*AUTH) == OK
    return client


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversation_gives_the_bytes_of_redis(lab: Lab, name: str) -> None:
    """Passwords right and wrong, in AUTH and in HELLO, and what is just within a limit.

    Steps:
        Send the commands in one go to the daemon and to Redis.

    Verify:
        The same bytes from both.
    """
    data = stream(*CONVERSATIONS[name], ["QUIT"])
    theirs = transcript(lab.connect(REDIS_PORT, REDIS_ADDR), data)
    assert transcript(lab.connect(RESP_PORT), data) == theirs


@pytest.mark.parametrize("name", STREAMS)
def test_one_over_ends_as_with_redis(lab: Lab, name: str) -> None:
    """One over a limit is told in the same words, and closed.

    Steps:
        Send what announces it to the daemon and to Redis.

    Verify:
        The same bytes from both until the end, and an error last.
    """
    theirs = transcript(lab.connect(REDIS_PORT, REDIS_ADDR), STREAMS[name])
    assert theirs.splitlines()[-1].startswith(b"-ERR Protocol error: ")
    assert transcript(lab.connect(RESP_PORT), STREAMS[name]) == theirs


def _request_of(length: int) -> bytes:
    """A request of so many bytes, none of its arguments over BULK_MAX."""
    head = b"*3\r\n$4\r\nECHO\r\n$1048576\r\n%s\r\n" % (b"x" * BULK_MAX)
    rest = length - len(head) - len(b"$1000000\r\n\r\n")
    return head + b"$%07d\r\n%s\r\n" % (rest, b"x" * rest)


def test_request_at_the_query_buffer_limit_is_read(lab: Lab) -> None:
    """A request of exactly so many bytes is one like any other.

    Steps:
        Send an ECHO with an argument too many, as long as the limit.

    Verify:
        It is read to its end, and the connection goes on.
    """
    client = known(lab)
    data = _request_of(QUERY_MAX)
    assert len(data) == QUERY_MAX
    client.sock.sendall(data)
    assert client.read() == wrong_args("echo")
    assert client.command("ECHO", "on") == b"on"
    client.close()


def test_request_over_the_query_buffer_limit_ends_without_a_word(lab: Lab) -> None:
    """Redis closes a client whose query buffer is over the limit and says nothing.

    Steps:
        Send a request one byte over the limit to the daemon; and to Redis, which counts what it
        has not taken out of its buffer, an argument over the limit.

    Verify:
        Both close without a byte.
    """
    ours = known(lab).sock
    ours.sendall(_request_of(QUERY_MAX + 1))
    assert until_closed(ours) == b""
    theirs = known(lab, REDIS_PORT, REDIS_ADDR)
    assert theirs.command("CONFIG", "SET", "proto-max-bulk-len", 8 * QUERY_MAX) == OK
    data = encode("ECHO", b"x" * (2 * QUERY_MAX))
    try:
        theirs.sock.sendall(data[: QUERY_MAX + 100])
        assert until_closed(theirs.sock) == b""
    finally:
        client = known(lab, REDIS_PORT, REDIS_ADDR)
        assert client.command("CONFIG", "SET", "proto-max-bulk-len", BULK_MAX) == OK
        client.close()


def test_guest_is_held_shorter_until_he_gives_the_password(lab: Lab) -> None:
    """What is over a guest's limits is within those of a client who is known.

    Steps:
        Give the password, then send what a guest must not.

    Verify:
        Answers as ever.
    """
    client = known(lab)
    assert client.command("ECHO", *range(GUEST_ARGC_MAX)) == wrong_args("echo")
    value = b"x" * (GUEST_BULK_MAX + 1)
    assert client.command("ECHO", value) == value
    client.close()


@pytest.mark.parametrize(
    "args",
    [["ioredis.mjs"], ["node_redis.mjs", "redis", 2], ["node_redis.mjs", "redis5", 3]],
    ids=["ioredis", "redis-4", "redis-5-resp3"],
)
def test_node_gives_the_password(node_scripts: NodeScripts, args: list[str | int]) -> None:
    """Node's clients with the right password, a wrong one and none.

    Steps:
        Run the case with the daemon and with Redis.

    Verify:
        The same values and errors.
    """
    script, *rest = map(str, args)
    theirs = node_scripts.run(script, *rest, REDIS_ADDR, REDIS_PORT, PASSWORD)
    ours = node_scripts.run(script, *rest, SRV_ADDR, RESP_PORT, PASSWORD)
    assert {one.error for one in [*ours.values(), *theirs.values()]} == {""}
    assert ours == theirs


@pytest.mark.parametrize("resp", ["-2", "-3"])
@pytest.mark.parametrize("password", [PASSWORD, "wrong", None])
def test_redis_cli_gives_the_password(lab: Lab, resp: str, password: str | None) -> None:
    """redis-cli says AUTH or HELLO by itself.

    Steps:
        GET a key with the daemon and with Redis.

    Verify:
        It prints the same.
    """
    options = [] if password is None else ["-a", password, "--no-auth-warning"]
    said = []
    for addr, port in ((SRV_ADDR, RESP_PORT), (REDIS_ADDR, REDIS_PORT)):
        argv = ["redis-cli", resp, "-h", addr, "-p", str(port), *options, "GET", "none"]
        done = lab.run(*argv)
        said.append((done.returncode, done.stdout, done.stderr))
    assert said[0] == said[1]
    assert (b"NOAUTH" in said[0][1]) == (password != PASSWORD)


def test_guest_of_sbe_stays_one(lab: Lab) -> None:
    """SBE has no message with a password, so that nothing is answered but with an error.

    Steps:
        Send requests of several templates.

    Verify:
        An error of the code NOAUTH to each.
    """
    client = SbeClient(lab.connect(SBE_PORT))
    for data in (ping(), get(b"k"), set_(b"k", b"v"), subscribe(b"a"), of(78)):
        assert client.ask(data) == SbeError(b"NOAUTH", b"Authentication required.")
    client.close()


@pytest.mark.parametrize(
    ("args", "status"),
    [
        ([], 401),
        (["-u", f"default:{PASSWORD}"], 200),
        (["-u", f":{PASSWORD}"], 200),
        (["-u", f"nobody:{PASSWORD}"], 401),
        (["-u", "default:wrong"], 401),
        (["-u", f"default:{PASSWORD}!"], 401),
        (["-u", "default:"], 401),
        (["--oauth2-bearer", PASSWORD], 200),
        (["--oauth2-bearer", "wrong"], 401),
        (["-H", f"Authorization: {PASSWORD}"], 401),
        (["-H", "Authorization: Basic ?"], 401),
        (["-H", "Authorization:Digest x"], 401),
    ],
)
def test_curl_gives_the_password(lab: Lab, args: list[str], status: int) -> None:
    """HTTP has no login: each request brings the password, as Basic or as Bearer.

    Steps:
        POST /echo with it, with another one and with none; GET /health without.

    Verify:
        The body or 401, which says how to ask; /health asks for none.
    """
    url = f"http://{SRV_ADDR}:{HTTP_PORT}"
    [answer] = curl(lab, *args, "-d", "text", f"{url}/echo")
    assert answer.status == status
    assert (answer.body == b"text") == (status == 200)
    assert ("www-authenticate" in answer.fields) == (status == 401)
    [health] = curl(lab, f"{url}/health")
    assert (health.status, health.body) == (200, b"ok")


def test_arguments_at_the_limit_and_one_over(lab: Lab) -> None:
    """A request has at most 65,536 arguments, all of which a turn has room for.

    Steps:
        EXISTS of a key so many times that it is just within, and one more.

    Verify:
        The count; Redis' words and the close.
    """
    client = known(lab)
    assert client.command("SET", "there", 1) == OK
    assert client.command("EXISTS", *["there"] * (ARGC_MAX - 1)) == ARGC_MAX - 1
    client.sock.sendall(b"*%d\r\n" % (ARGC_MAX + 1))
    assert until_closed(client.sock) == b"-ERR Protocol error: invalid multibulk length\r\n"
