# SPDX-License-Identifier: BSD-3-Clause
"""An HTTP/1.1 client that shows the bytes: each reply is read by its own length."""

from __future__ import annotations

from dataclasses import dataclass

from dts.framework.stream import Stream

_HEAD_LEN_MAX = 1 << 16


@dataclass(frozen=True)
class HttpReply:
    """One reply.

    Attributes:
        status: The status code.
        headers: Names in lower case.
        body: The body.
    """

    status: int
    headers: dict[str, str]
    body: bytes


class HttpClient(Stream):
    """Replies read from one connection."""

    def read(self, to_head: bool = False) -> HttpReply:
        """Read one reply.

        Args:
            to_head: The request was HEAD, so no body follows whatever the length says.

        Returns:
            The reply.

        Raises:
            EOFError: The peer has closed before the reply was whole.
            ValueError: The bytes are not a reply with a length.
        """
        while (end := self._data.find(b"\r\n\r\n")) < 0:
            if len(self._data) > _HEAD_LEN_MAX:
                raise ValueError("a head without end")
            self._fill()
        lines = self._data[:end].decode().split("\r\n")
        version, status, *_ = lines[0].split(" ", 2)
        if version != "HTTP/1.1":
            raise ValueError(f"not a status line: {lines[0]!r}")
        headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or name != name.strip():
                raise ValueError(f"not a header: {line!r}")
            headers[name.lower()] = value.strip()
        has_content = not to_head and status not in ("204", "304")
        length = int(headers["content-length"]) if has_content else 0
        body = self.take(end + 4 + length)[end + 4 :]
        return HttpReply(int(status), headers, body)


def ask(client: HttpClient, method: str, path: str, body: bytes = b"", more: str = "") -> HttpReply:
    """Send a request and read its reply.

    Args:
        client: The connection.
        method: The method.
        path: The target.
        body: Bytes to send with it.
        more: Field lines, each with its CR LF.

    Returns:
        The reply.
    """
    length = f"Content-Length: {len(body)}\r\n" if body or method == "PUT" else ""
    head = f"{method} {path} HTTP/1.1\r\nHost: a\r\n{length}{more}\r\n"
    client.send(head.encode() + body)
    return client.read(to_head=method == "HEAD")
