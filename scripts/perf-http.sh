#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# perf-http.sh [BUILD]: what it costs to parse a request, beside http-parser on equal bytes, one
# JSON object for each row: nanoseconds and allocations as the program runs by itself, instructions
# counted by callgrind. BUILD is a build directory, better of the release type; without it one is
# made in build-perf. The profiles stay beside the program, for callgrind_annotate.

set -euo pipefail

cd "$(dirname "$0")/.."
build=${1:-build-perf}
if [ ! -f "$build/build.ninja" ]; then
	meson setup "$build" -Dbuildtype=release -Dtests=enabled >/dev/null
fi
ninja -C "$build" test/perf/perf_http >/dev/null

for request in browser health; do
	for fields in "" fields; do
		for parser in leat http-parser; do
			profile=$build/test/perf/callgrind.$parser.$request$fields
			row=("$build/test/perf/perf_http" "$parser" "$request" ${fields:+"$fields"})
			json=$("${row[@]}")
			valgrind --tool=callgrind --collect-atstart=no \
				--callgrind-out-file="$profile" --log-file="$profile.log" \
				"${row[@]}" >/dev/null
			total=$(awk '$1 == "summary:" || $1 == "totals:" { print $2; exit }' \
				"$profile")
			nb=${json##*\"nb_requests\": }
			nb=${nb%\}}
			awk -v json="${json%\}}" -v total="$total" -v nb="$nb" 'BEGIN {
				printf "%s, \"instructions\": %.1f}\n", json, total / nb }'
		done
	done
done
