# SPDX-License-Identifier: BSD-3-Clause
"""Print the rows of perf.sh as a table: ours first, the others as multiples of it."""

from __future__ import annotations

import json
import sys

COLUMNS = ("operation", "with", "bytes", "instructions", "times", "ns", "times", "allocations")


def _times(row: dict[str, object], first: dict[str, object], key: str) -> str:
    if row is first or key not in row:
        return ""
    return f"{float(str(row[key])) / float(str(first[key])):.1f}"


def main() -> None:
    """Read JSON objects, one in a line, and print the table."""
    firsts: dict[str, dict[str, object]] = {}
    table = [COLUMNS]
    for line in sys.stdin:
        row = json.loads(line)
        first = firsts.setdefault(row["row"], row)
        table.append(
            (
                row["row"],
                row["with"],
                str(row["bytes"]),
                f"{row['instructions']:.0f}",
                _times(row, first, "instructions"),
                str(row.get("ns", "")),
                _times(row, first, "ns"),
                str(row.get("allocations", "")),
            )
        )
    widths = [max(len(cells[i]) for cells in table) for i in range(len(COLUMNS))]
    for cells in table:
        left = "  ".join(cell.ljust(width) for cell, width in zip(cells[:2], widths, strict=False))
        rest = "  ".join(
            cell.rjust(width) for cell, width in zip(cells[2:], widths[2:], strict=True)
        )
        print(f"{left}  {rest}")


if __name__ == "__main__":
    main()
