# SPDX-License-Identifier: BSD-3-Clause
"""The record of POST /rpc in both encodings, written from its description."""

from __future__ import annotations

import struct

JSON_TYPE = "application/json"
ZAP_TYPE = "application/zap"

METHOD = b"eth_getBalance"
ACCOUNT = bytes.fromhex("deadbeef00112233445566778899aabbccddeeff")
HASH = "0123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0"

# Of the reference implementation.
ZAP_REQUEST = bytes.fromhex(
    "5a41500001000000100000005200000001000000000000004f0d0100000000001000"
    "00000e00000016000000140000006574685f67657442616c616e6365deadbeef0011"
    "2233445566778899aabbccddeeff"
)
ZAP_ANSWER = bytes.fromhex(
    "5a4150000100000010000000500000000100000000000000"
    "8b0d65a7b3b6e00d2a000000000000000800000020000000" + HASH
)
JSON_REQUEST = (
    b'{"method":"eth_getBalance","account":"0xdeadbeef00112233445566778899aabbccddeeff",'
    b'"block":68943,"id":1}'
)
JSON_ANSWER = (
    b'{"id":1,"balance":1000000000000069003,"nonce":42,"blockHash":"0x%s"}' % HASH.encode()
)


def zap_request(number: int, block: int, method: bytes, account: bytes) -> bytes:
    """Write a request in ZAP.

    Args:
        number: Its id.
        block: The block.
        method: The method.
        account: The account.

    Returns:
        The message.
    """
    size = 48 + len(method) + len(account)
    header = struct.pack("<4sHHII", b"ZAP\0", 1, 0, 16, size)
    slots = struct.pack("<IIII", 16, len(method), 8 + len(method), len(account))
    return header + struct.pack("<QQ", number, block) + slots + method + account


def balance_of(block: int, method: bytes, account: bytes) -> int:
    """Compute what is to be answered.

    Args:
        block: The block.
        method: The method.
        account: The account, not empty.

    Returns:
        The balance.
    """
    return 10**18 ^ block ^ len(method) ^ len(account) ^ account[0]
