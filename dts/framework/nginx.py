# SPDX-License-Identifier: BSD-3-Clause
"""nginx in front of the daemon, on the side of the peers."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dts.framework.fetch import fetched
from dts.framework.lab import SRV_ADDR, Lab
from dts.framework.leatd import HTTP_PORT

ADDR = "127.0.0.1"
WHOLE_PORT = 18081  # bodies are read whole before they are passed on
STREAM_PORT = 18082  # as they come
_START_MAX_S = 10.0

# One connection to the daemon is kept for all clients: what is left on it is the next one's.
_CONF = """
daemon off;
worker_processes 1;
pid {path}/pid;
error_log {path}/error;
events {{ worker_connections 256; }}
http {{
	log_format up '$upstream_status';
	access_log {path}/access up;
	client_body_temp_path {path}/body;
	proxy_temp_path {path}/proxy;
	fastcgi_temp_path {path}/fastcgi;
	uwsgi_temp_path {path}/uwsgi;
	scgi_temp_path {path}/scgi;
	underscores_in_headers on;
	ignore_invalid_headers off;
	large_client_header_buffers 8 32k;
	proxy_http_version 1.1;
	proxy_set_header Connection "";
	proxy_set_header Host $http_host;
	upstream leat {{ server {server}; keepalive 1; }}
	server {{ listen {addr}:{whole}; location / {{ proxy_pass http://leat; }} }}
	server {{
		listen {addr}:{stream};
		proxy_request_buffering off;
		proxy_buffering off;
		location / {{ proxy_pass http://leat; }}
	}}
}}
"""


class Nginx:
    """One that runs."""

    def __init__(self, path: Path) -> None:
        """Look at what it writes down.

        Args:
            path: Its directory.
        """
        self._access = path / "access"

    def nb_answers(self) -> int:
        """Count what the daemon has answered to it, as far as it knows."""
        words = self._access.read_text().replace(",", " ").split()
        return sum(word.isdigit() for word in words)


@contextmanager
def nginx(lab: Lab, path: Path) -> Iterator[Nginx]:
    """Run it for the length of a with block; the test is skipped where apt cannot fetch it.

    Args:
        lab: Where to run; the daemon serves HTTP.
        path: An empty directory.

    Yields:
        It, ready.
    """
    program = fetched("nginx-program.sh")
    conf = path / "conf"
    server = f"{SRV_ADDR}:{HTTP_PORT}"
    conf.write_text(
        _CONF.format(path=path, server=server, addr=ADDR, whole=WHOLE_PORT, stream=STREAM_PORT)
    )
    path.chmod(0o755)  # its worker is nobody
    process = subprocess.Popen(
        lab.cli_command(str(program), "-c", str(conf)), stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + _START_MAX_S
        while True:
            try:
                lab.connect(STREAM_PORT, ADDR).close()
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline, (path / "error").read_text()
                time.sleep(0.05)
        yield Nginx(path)
    finally:
        process.terminate()
        process.wait()
