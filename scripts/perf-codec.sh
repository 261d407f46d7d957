#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# perf-codec.sh NAME [BUILD]: the rows of test/perf/perf_NAME, one JSON object each: time and
# allocations as the program measures them, and instructions of an operation, counted by callgrind.
# BUILD is a build directory, better of the release type; without it one is made in build-perf. The
# profiles stay beside the program, for callgrind_annotate.

set -euo pipefail

cd "$(dirname "$0")/.."
name=$1
build=${2:-build-perf}
if [ ! -f "$build/build.ninja" ]; then
	meson setup "$build" -Dbuildtype=release -Dtests=enabled >/dev/null
fi
program=test/perf/perf_$name
ninja -C "$build" "$program" >/dev/null

for row in $("$build/$program" --list); do
	profile=$build/test/perf/callgrind.$row
	json=$("$build/$program" "$row")
	counted=$(valgrind --tool=callgrind --collect-atstart=no --callgrind-out-file="$profile" \
		--log-file="$profile.log" "$build/$program" "$row")
	total=$(awk '$1 == "summary:" || $1 == "totals:" { print $2; exit }' "$profile")
	nb=${counted##*\"nb_ops\": }
	nb=${nb%\}}
	awk -v json="${json%\}}" -v total="$total" -v nb="$nb" \
		'BEGIN { printf "%s, \"instructions\": %.1f}\n", json, total / nb }'
done
