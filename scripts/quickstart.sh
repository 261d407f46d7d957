#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# quickstart.sh [--keep | --stop]: build leat and see it answer redis-cli and curl over a DPDK port.
#
# All happens in two network namespaces and is removed at the end; with --keep it stays until
# "quickstart.sh --stop".

set -euo pipefail

cd "$(dirname "$0")/.."
if [[ "$(id -u)" -ne 0 ]]; then
	echo "quickstart.sh makes network namespaces and reserves memory: run it with sudo" >&2
	exit 1
fi
# Debian's own tools, whatever else the caller's PATH has first.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
[[ "${1:-}" == --stop ]] || ./scripts/install-deps.sh quickstart
exec /usr/bin/python3 -B scripts/quickstart.py "$@"
