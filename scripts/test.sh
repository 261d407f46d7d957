#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# test.sh [STEP...]: all the tests, or some steps of them. The last line is the sum:
#
#   N passed, N failed, N skipped
#
# The exit status is not zero when anything failed, and when nothing ran. "test.sh --list" names
# the steps.

set -euo pipefail

cd "$(dirname "$0")/.."
# Debian's own tools, whatever else the caller's PATH has first.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
if ! ./scripts/install-deps.sh test; then
	echo "the packages that the tests need cannot be installed"
	echo "0 passed, 1 failed, 0 skipped"
	exit 1
fi
exec /usr/bin/python3 scripts/test.py "$@"
