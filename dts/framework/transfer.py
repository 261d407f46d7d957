# SPDX-License-Identifier: BSD-3-Clause
"""Much text each way on one connection, and how long it takes."""

from __future__ import annotations

import random
import socket
import threading
import time

from dts.framework.resp import RespClient, Status, encode

_GETS_AT_ONCE = 4  # a server that holds whole replies need not hold all of them


def value(idx: int, length: int) -> bytes:
    """Make up a value.

    Args:
        idx: Which one.
        length: Its bytes.

    Returns:
        The same bytes each time, others for another index.
    """
    return random.Random(idx).randbytes(length)


def send_values(sock: socket.socket, nb: int, length: int) -> float:
    """Send values with SET, without waiting for the replies.

    Args:
        sock: A connection to a Redis server.
        nb: How many.
        length: Bytes of each.

    Returns:
        Seconds from the first byte to the last reply.
    """
    commands = [encode("SET", f"transfer:{i}", value(i, length)) for i in range(nb)]
    errors: list[OSError] = []

    def send() -> None:
        try:
            for command in commands:
                sock.sendall(command)
        except OSError as error:  # the reader sees the end too, and tells of it
            errors.append(error)

    client = RespClient(sock)
    sender = threading.Thread(target=send)
    begin = time.monotonic()
    sender.start()
    try:
        for _ in range(nb):
            reply = client.read()
            assert reply == Status("OK"), reply
    finally:
        sender.join()
    assert not errors, errors
    return time.monotonic() - begin


def fetch_values(sock: socket.socket, nb: int, length: int) -> float:
    """Read back what send_values() sent, and compare it.

    Args:
        sock: A connection to the same server.
        nb: How many.
        length: Bytes of each.

    Returns:
        Seconds from the first request to the last byte.
    """
    client = RespClient(sock)
    got = []
    begin = time.monotonic()
    for i in range(min(nb, _GETS_AT_ONCE)):
        client.send("GET", f"transfer:{i}")
    for i in range(nb):
        got.append(client.read())
        if i + _GETS_AT_ONCE < nb:
            client.send("GET", f"transfer:{i + _GETS_AT_ONCE}")
    took_s = time.monotonic() - begin
    wrong = [i for i in range(nb) if got[i] != value(i, length)]
    assert not wrong, f"values {wrong} came back wrong"
    return took_s
