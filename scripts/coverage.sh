#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# coverage.sh [-b BUILD] [-l] [CODEC...]: how many lines of each codec the committed inputs of
# test/fuzz reach, generated code and inline functions of headers among them; -l names the lines
# that they do not reach. The exit status is not zero when a codec is below the share that
# coverage_table.py asks for. BUILD is a build directory of coverage.sh; without it that is
# build-cover.

set -euo pipefail

cd "$(dirname "$0")/.."
# <codec>: the fuzz targets that are about it
declare -A targets=([http]="http" [json]="json" [resp]="resp resp_reply" [sbe]="sbe" [zap]="zap")
build="build-cover"
options=()
while getopts b:l option; do
	case $option in
	b) build=$OPTARG ;;
	l) options=(--lines) ;;
	*)
		echo "usage: coverage.sh [-b BUILD] [-l] [CODEC...]" >&2
		exit 2
		;;
	esac
done
shift $((OPTIND - 1))
codecs=("$@")
if [ ${#codecs[@]} -eq 0 ]; then
	mapfile -t codecs < <(printf '%s\n' "${!targets[@]}" | sort)
fi
if [ ! -f "$build/build.ninja" ]; then
	# What meson compiles and runs to know the compiler leaves a profile as well.
	CC=clang CXX=clang++ LLVM_PROFILE_FILE=/dev/null meson setup "$build" \
		-Dtests=enabled -Dbuildtype=debug \
		-Dc_args="-fprofile-instr-generate -fcoverage-mapping" \
		-Dc_link_args=-fprofile-instr-generate >/dev/null
fi

# Replay the inputs of one codec and look at all of its library, also at what no target links.
trace_of() {
	local codec=$1 target profiles=() programs=(-object "$build/lib/libleat_$1.a")

	ninja -C "$build" "lib/libleat_$codec.a" >/dev/null
	for target in ${targets[$codec]}; do
		ninja -C "$build" "test/fuzz/replay_$target" >/dev/null
		LLVM_PROFILE_FILE="$build/$target.profraw" \
			"$build/test/fuzz/replay_$target" "test/fuzz/corpus/$target" >/dev/null
		profiles+=("$build/$target.profraw")
		programs+=(-object "$build/test/fuzz/replay_$target")
	done
	llvm-profdata-14 merge -sparse "${profiles[@]}" -o "$build/$codec.profdata"
	llvm-cov-14 export -format=lcov -instr-profile "$build/$codec.profdata" "${programs[@]}"
}

for codec in "${codecs[@]}"; do
	trace_of "$codec" >"$build/$codec.lcov"
done
exec python3 scripts/coverage_table.py "${options[@]}" --build "$build" "${codecs[@]}"
