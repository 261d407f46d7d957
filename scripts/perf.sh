#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# perf.sh [-b BUILD] [NAME...]: what an operation of ours costs, beside a library that does the same,
# in one run: a JSON object for each row, and a table of all behind them. Time and allocations are
# measured by the program test/perf/perf_NAME, instructions are counted by callgrind. Without names:
# every program that could be built. BUILD is a build directory, better of the release type; without
# it one is made in build-perf. The profiles stay beside the programs, for callgrind_annotate.

set -euo pipefail

cd "$(dirname "$0")/.."
build="build-perf"
while getopts b: option; do
	case $option in
	b) build=$OPTARG ;;
	*)
		echo "usage: perf.sh [-b BUILD] [NAME...]" >&2
		exit 2
		;;
	esac
done
shift $((OPTIND - 1))
if [ ! -f "$build/build.ninja" ]; then
	meson setup "$build" -Dbuildtype=release -Dtests=enabled >/dev/null
fi
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
	mapfile -t names < <(ninja -C "$build" -t targets all |
		sed -n 's,^test/perf/perf_\([a-z]*\): .*,\1,p')
fi

# The rows of one program, each with its instructions.
rows_of() {
	local program=$build/test/perf/perf_$1 row words json profile total nb

	ninja -C "$build" "test/perf/perf_$1" >/dev/null
	"$program" --list | while read -r row; do
		read -ra words <<<"$row"
		profile=$build/test/perf/callgrind.$1.${row// /.}
		json=$("$program" "${words[@]}" </dev/null)
		nb=$(valgrind --tool=callgrind --collect-atstart=no \
			--callgrind-out-file="$profile" --log-file="$profile.log" \
			"$program" "${words[@]}" </dev/null | sed 's/.*"nb_ops": \([0-9]*\)}/\1/')
		total=$(awk '$1 == "summary:" || $1 == "totals:" { print $2; exit }' "$profile")
		awk -v json="${json%\}}" -v total="$total" -v nb="$nb" \
			'BEGIN { printf "%s, \"instructions\": %.1f}\n", json, total / nb }'
	done
}

for name in "${names[@]}"; do
	rows_of "$name"
done | tee "$build/perf.json"
python3 scripts/perf_table.py <"$build/perf.json"
