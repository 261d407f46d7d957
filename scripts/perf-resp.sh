#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# perf-resp.sh [BUILD]: what it costs to parse 32 pipelined GETs and their replies, ours beside
# hiredis, one JSON object for each: instructions of a burst, counted by callgrind, its time and
# its allocations. BUILD is a build directory, better of the release type; without it one is made
# in build-perf.

set -euo pipefail

cd "$(dirname "$0")/.."
build=${1:-build-perf}
if [ ! -f "$build/build.ninja" ]; then
	meson setup "$build" -Dbuildtype=release -Dtests=enabled >/dev/null
fi
ninja -C "$build" test/perf/perf_resp >/dev/null

program=$build/test/perf/perf_resp
for what in requests replies; do
	for library in leat hiredis-walk hiredis; do
		profile=$build/test/perf/callgrind.$library.$what
		json=$(valgrind --tool=callgrind --collect-atstart=no \
			--callgrind-out-file="$profile" --log-file="$profile.log" \
			"$program" "$library" "$what")
		total=$(awk '$1 == "summary:" || $1 == "totals:" { print $2; exit }' "$profile")
		nb=${json##*\"nb_operations\": }
		nb=${nb%\}}
		timed=$("$program" "$library" "$what")
		awk -v json="${timed%\}}" -v total="$total" -v nb="$nb" \
			'BEGIN { printf "%s, \"instructions\": %.1f}\n", json, total / nb }'
	done
done
