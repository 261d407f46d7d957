#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# nginx-program.sh: print the path of nginx' program, and fetch it first if need be.
#
# Its Debian package starts a service, at once and at each boot. So where it is not installed only the
# program is unpacked, in $LEAT_CACHE, or in /var/cache/leat. Where the package cannot be fetched the
# exit status is 1, and the last line of the error output says so.

set -euo pipefail

cache="${LEAT_CACHE:-/var/cache/leat}"
for program in /usr/sbin/nginx "$cache/nginx"; do
	if [[ -x "$program" ]]; then
		echo "$program"
		exit 0
	fi
done
mkdir -p "$cache"
part="$(mktemp -d "$cache/part-XXXXXX")"
trap 'rm -rf "$part"' EXIT
chmod 755 "$part" # for apt's own user
if ! (cd "$part" && apt-get -q download nginx) >"$part/log" 2>&1; then
	tail -n 5 "$part/log" >&2
	echo "nginx-program.sh: apt cannot fetch the package nginx" >&2
	exit 1
fi
dpkg-deb --extract "$part"/nginx_*.deb "$part"
mv -T "$part/usr/sbin/nginx" "$cache/nginx"
echo "$cache/nginx"
