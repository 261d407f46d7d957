# SPDX-License-Identifier: BSD-3-Clause
"""Print what coverage.sh found as a table, and judge it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PERCENT_MIN = 95.0  # of each codec's lines


def read_trace(path: Path, directories: list[Path]) -> dict[Path, dict[int, int]]:
    """Read how often each line ran.

    Args:
        path: A trace in the format of lcov.
        directories: Where files count.

    Returns:
        For each file that counts, for each line with code: how often.
    """
    files: dict[Path, dict[int, int]] = {}
    lines: dict[int, int] = {}
    for record in path.read_text().splitlines():
        key, _, value = record.partition(":")
        if key == "SF":
            source = Path(value).resolve()
            lines = files.setdefault(source, {}) if source.parent in directories else {}
        elif key == "DA":
            number, count = value.split(",")[:2]
            lines[int(number)] = lines.get(int(number), 0) + int(count)
    return files


def print_row(name: str, nb_reached: int, nb_lines: int) -> None:
    """Print a row of the table.

    Args:
        name: Of a file or of a codec.
        nb_reached: Lines that ran.
        nb_lines: Lines with code.
    """
    percent = 100.0 * nb_reached / nb_lines
    print(f"{name:<40} {nb_lines:>6} {nb_lines - nb_reached:>6} {percent:>6.1f} %")


def print_codec(codec: str, build: Path, with_lines: bool) -> bool:
    """Print a codec's files and their sum.

    Args:
        codec: A library of lib.
        build: Where the trace is, and what is generated.
        with_lines: Name the lines that did not run.

    Returns:
        Whether enough of its lines ran.
    """
    directories = [ROOT / "lib" / codec, (build / "lib" / codec).resolve()]
    files = read_trace(build / f"{codec}.lcov", directories)
    nb_lines = sum(len(lines) for lines in files.values())
    nb_reached = sum(count > 0 for lines in files.values() for count in lines.values())
    if nb_lines == 0:
        print(f"{codec}: nothing was measured")
        return False
    for path, lines in sorted(files.items()):
        print_row(f"{codec}/{path.name}", sum(n > 0 for n in lines.values()), len(lines))
        text = path.read_text().splitlines() if with_lines else []
        for number, count in sorted(lines.items()):
            if with_lines and count == 0:
                print(f"    {path}:{number}: {text[number - 1].strip()}")
    print_row(codec, nb_reached, nb_lines)
    return 100.0 * nb_reached >= PERCENT_MIN * nb_lines


def main() -> int:
    """Print all codecs.

    Returns:
        The exit status: 1 when a codec is below PERCENT_MIN.
    """
    parser = argparse.ArgumentParser(prog="coverage_table.py", description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="where coverage.sh builds")
    parser.add_argument("--lines", action="store_true", help="name the lines not reached")
    parser.add_argument("codecs", nargs="+", metavar="CODEC")
    args = parser.parse_args()
    print(f"{'file':<40} {'lines':>6} {'missed':>6} {'reached':>8}")
    few = [one for one in args.codecs if not print_codec(one, args.build, args.lines)]
    for codec in few:
        print(f"{codec}: less than {PERCENT_MIN:g} % of the lines are reached")
    return 1 if few else 0


if __name__ == "__main__":
    sys.exit(main())
