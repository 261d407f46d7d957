#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# install-deps.sh [build|quickstart|test]: install the Debian 12 packages that are missing.
#
# No package of these lists starts a service: the Redis server that the tests compare with is a
# second name of a program of redis-tools, and the capture is dumpcap's. For the tests it also fetches
# the clients that only npm has, and the program of nginx; without them their tests are skipped.

set -euo pipefail

cd "$(dirname "$0")/.."

# libdpdk-dev brings the run-time libraries of every driver, net_af_xdp and its libxdp among them.
build=(gcc g++ meson ninja-build pkgconf python3 libdpdk-dev libinih-dev libjsmn-dev)
quickstart=(redis-tools curl iproute2 ethtool iputils-ping procps)
# dpdk-dev has testpmd, which bridges memif and virtio-user to a veth. hiredis, http-parser, simdjson
# and rapidjson are what the figures of the codecs stand beside.
test=(dpdk-dev libgtest-dev clang clang-format-14 libclang-rt-14-dev llvm-14 valgrind shellcheck
	mypy libhiredis-dev libhttp-parser-dev libsimdjson-dev rapidjson-dev python3-sphinx
	python3-pytest python3-scapy python3-redis tshark wrk apache2-utils nghttp2-client strace)
# Another source's nodejs may have npm within it, and then conflicts with the package of that name.
[[ -x /usr/bin/node && -x /usr/bin/npm ]] || test+=(nodejs npm)

case "${1:-build}" in
build) wanted=("${build[@]}") ;;
quickstart) wanted=("${build[@]}" "${quickstart[@]}") ;;
test) wanted=("${build[@]}" "${quickstart[@]}" "${test[@]}") ;;
*)
	echo "usage: install-deps.sh [build|quickstart|test]" >&2
	exit 2
	;;
esac

missing=()
for package in "${wanted[@]}"; do
	status="$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)"
	[[ "$status" == installed ]] || missing+=("$package")
done
if [[ "${#missing[@]}" -gt 0 ]]; then
	echo "installing ${missing[*]}"
	if [[ "$(id -u)" -ne 0 ]]; then
		echo "install-deps.sh: only root can install packages" >&2
		exit 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	# Another apt run, such as the daily upgrade of a new machine, holds the lock for a while.
	apt=(apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
	# The lists may be there and old, so a failed first attempt is no error yet.
	if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
		"${apt[@]}" update >/dev/null
		"${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null
	fi
fi
[[ "${1:-}" == test ]] || exit 0
for fetch in node-modules nginx-program; do
	"./scripts/$fetch.sh" >/dev/null || echo "install-deps.sh: tests that need it are skipped" >&2
done
