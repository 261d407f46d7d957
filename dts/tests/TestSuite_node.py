# SPDX-License-Identifier: BSD-3-Clause
"""Node's clients of Redis: they see of the daemon what they see of Redis."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import RESP_PORT, Leatd, LeatdConf, af_port
from dts.framework.node import NodeScripts, Outcome
from dts.framework.redis_server import REDIS_ADDR, REDIS_PORT, redis_server
from dts.framework.run import serve

# The script with its first arguments, and its cases.
_BOTH = ["values", "errors", "pipeline", "subscribe", "large", "reconnect", "transaction", "name"]
CLIENTS: dict[str, tuple[list[str], list[str]]] = {
    "ioredis": (["ioredis.mjs"], [*_BOTH, "auto_pipeline", "quit"]),
    "redis-4": (["node_redis.mjs", "redis", "2"], _BOTH),
    "redis-5": (["node_redis.mjs", "redis5", "2"], _BOTH),
    "redis-5-resp3": (["node_redis.mjs", "redis5", "3"], _BOTH),
}
CASES = [
    pytest.param(client, case, id=f"{client}-{case}")
    for client, (_, cases) in CLIENTS.items()
    for case in cases
    if case != "transaction"
]

Outcomes = dict[str, Outcome]


@pytest.fixture(scope="module", autouse=True)
def served(lab: Lab) -> Iterator[Leatd]:
    """The daemon. While Node computes, its kernel acknowledges late, and the tail is sent again."""
    conf = LeatdConf(port=af_port("net_af_packet"))
    with serve(lab, conf, "node", clean_link=False) as one:
        yield one


class Runs:
    """Each client's cases, run when the first of them is asked for."""

    def __init__(self, scripts: NodeScripts) -> None:
        """Prepare; nothing is run yet.

        Args:
            scripts: What to run.
        """
        self._scripts = scripts
        self._done: dict[str, tuple[Outcomes, Outcomes]] = {}

    def of(self, client: str) -> tuple[Outcomes, Outcomes]:
        """Give the outcomes of a client.

        Args:
            client: Its name.

        Returns:
            Those with the daemon, and those with Redis.
        """
        if client not in self._done:
            script, *args = CLIENTS[client][0]
            self._done[client] = (
                self._scripts.run(script, *args, SRV_ADDR, RESP_PORT),
                self._scripts.run(script, *args, REDIS_ADDR, REDIS_PORT),
            )
        return self._done[client]


@pytest.fixture(scope="module")
def runs(
    lab: Lab, node_scripts: NodeScripts, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Runs]:
    """The clients, with Redis beside the daemon."""
    with redis_server(lab, tmp_path_factory.mktemp("redis")):
        yield Runs(node_scripts)


@pytest.mark.parametrize(("client", "case"), CASES)
def test_client_sees_what_it_sees_of_redis(runs: Runs, client: str, case: str) -> None:
    """Values, errors, order and coming again are those of Redis.

    Steps:
        Run the case with the daemon and with Redis.

    Verify:
        No error in either, and the same values.
    """
    ours, theirs = (outcomes[case] for outcomes in runs.of(client))
    assert theirs.error == ""
    assert ours.error == ""
    assert ours.value == theirs.value


@pytest.mark.parametrize("client", CLIENTS)
def test_transaction_is_refused_in_words(runs: Runs, client: str) -> None:
    """There are no transactions, and a program hears of it.

    Steps:
        MULTI, SET, GET, EXEC as the client sends them.

    Verify:
        An unknown command; Redis has it.
    """
    ours, theirs = (outcomes["transaction"] for outcomes in runs.of(client))
    assert ours.error == theirs.error == ""
    assert isinstance(theirs.value, list)
    assert isinstance(ours.value, str)
    assert ours.value.startswith("ERR unknown command '")


@pytest.mark.parametrize("client", CLIENTS)
def test_every_case_ran(runs: Runs, client: str) -> None:
    """A case that a script has is one that is looked at.

    Steps:
        Compare the names.

    Verify:
        They are the same.
    """
    for outcomes in runs.of(client):
        assert sorted(outcomes) == sorted(CLIENTS[client][1])
