#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# node-modules.sh: print the directory that has the packages of dts/node in its node_modules, and
# fill it first if need be. Versions and hashes are those of dts/node/package-lock.json; a lock that
# changes has a directory of its own.
#
# They lie in $LEAT_CACHE, or in /var/cache/leat, and never in the tree. Where npm has no network the
# exit status is 1, and the last line of the error output says so.

set -euo pipefail

cd "$(dirname "$0")/../dts/node"
cache="${LEAT_CACHE:-/var/cache/leat}"
hash="$(sha256sum package.json package-lock.json | sha256sum | cut -c1-16)"
modules="$cache/node-$hash"

if [[ ! -d "$modules" ]]; then
	mkdir -p "$cache"
	# Another run may be filling it too: whoever is whole first gives it its name.
	part="$(mktemp -d "$cache/part-XXXXXX")"
	trap 'rm -rf "$part"' EXIT
	cp package.json package-lock.json "$part"
	npm=(npm ci --prefix "$part" --cache "$cache/npm" --ignore-scripts --no-audit --no-fund)
	npm+=(--fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000)
	if ! "${npm[@]}" >"$part/log" 2>&1; then
		tail -n 5 "$part/log" >&2
		echo "node-modules.sh: npm cannot fetch the packages of dts/node" >&2
		exit 1
	fi
	chmod 755 "$part"
	mv -T "$part" "$modules" 2>/dev/null || [[ -d "$modules" ]]
fi
echo "$modules"
