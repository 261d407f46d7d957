#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# perf-segment.sh [BUILD]: instructions for one segment that is received and answered, counted by
# callgrind, one JSON object for each way to compute checksums. BUILD is a build directory, better
# of the release type; without it one is made in build-perf. The profiles stay beside the program,
# for callgrind_annotate.

set -euo pipefail

cd "$(dirname "$0")/.."
build=${1:-build-perf}
if [ ! -f "$build/build.ninja" ]; then
	meson setup "$build" -Dbuildtype=release -Dtests=enabled >/dev/null
fi
ninja -C "$build" test/perf/perf_segment >/dev/null

for sums in software port; do
	profile=$build/test/perf/callgrind.$sums
	json=$(valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$profile" \
		--log-file="$profile.log" "$build/test/perf/perf_segment" "$sums")
	total=$(awk '$1 == "summary:" || $1 == "totals:" { print $2; exit }' "$profile")
	nb=${json##*\"nb_segments\": }
	nb=${nb%\}}
	awk -v json="${json%\}}" -v total="$total" -v nb="$nb" \
		'BEGIN { printf "%s, \"instructions_per_segment\": %.1f}\n", json, total / nb }'
done
