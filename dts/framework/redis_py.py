# SPDX-License-Identifier: BSD-3-Clause
"""redis-py on connections that live on the side of the peers."""

from __future__ import annotations

import socket
from typing import Any

import redis

from dts.framework.lab import Lab

TIMEOUT_S = 5


def redis_py(lab: Lab, addr: str, port: int, **options: Any) -> Any:
    """Make a client; it connects when it first has something to say.

    Args:
        lab: The lab.
        addr: The address of the server.
        port: Its port.
        options: As for redis.Connection.

    Returns:
        The client.
    """

    class Connection(redis.Connection):  # type: ignore[misc]
        """A connection from the namespace of the peers."""

        def _connect(self) -> socket.socket:
            return lab.connect(port, addr, TIMEOUT_S)

    pool = redis.ConnectionPool(connection_class=Connection, **options)
    return redis.Redis(connection_pool=pool)
