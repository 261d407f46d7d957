# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the sources themselves: size of files and functions, headers that stand alone."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 60
SHELL_LINES_MAX = 60
_SOURCE_DIRS = ("lib", "drivers", "app", "test")
_SPDX = "SPDX-License-Identifier: BSD-3-Clause"


def c_sources() -> list[Path]:
    """List the C and C++ files of the tree.

    Returns:
        Sorted paths.
    """
    found: list[Path] = []
    for directory in _SOURCE_DIRS:
        for suffix in ("*.c", "*.h", "*.cc"):
            found += (ROOT / directory).rglob(suffix)
    return sorted(found)


def python_sources() -> list[Path]:
    """List the Python files of the tree.

    Returns:
        Sorted paths.
    """
    found: list[Path] = []
    for directory in ("scripts", "dts", *_SOURCE_DIRS):
        found += (ROOT / directory).rglob("*.py")
    return sorted(found)


def shell_sources() -> list[Path]:
    """List the shell scripts of the tree.

    Returns:
        Sorted paths.
    """
    return sorted([*(ROOT / "scripts").glob("*.sh"), ROOT / ".ci" / "run"])


def _functions(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Find the bodies of functions, which clang-format begins and ends in the first column."""
    begin = 0
    for number, line in enumerate(lines, 1):
        if line == "{":
            begin = number
        elif line == "}" and begin > 0:
            yield begin, number - begin - 1
            begin = 0


def sizes() -> list[str]:
    """Check what the style guide says of sizes, and the licence line of each file.

    Returns:
        One line for each fault.
    """
    faults = []
    for path in [*c_sources(), *python_sources(), *shell_sources()]:
        name = path.relative_to(ROOT)
        lines = path.read_text().splitlines()
        if not any(_SPDX in line for line in lines[:2]):
            faults.append(f"{name}:1: no licence line")
        limit = SHELL_LINES_MAX - 1 if path in shell_sources() else FILE_LINES_MAX
        if len(lines) > limit:
            faults.append(f"{name}: {len(lines)} lines, more than {limit}")
        if path.suffix in (".c", ".h", ".cc"):
            for begin, length in _functions(lines):
                if length > FUNCTION_LINES_MAX:
                    faults.append(f"{name}:{begin}: a function of {length} lines")
    return faults


def _dpdk_flags() -> list[str]:
    argv = ["pkg-config", "--cflags", "libdpdk"]
    flags = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    return [flag.replace("-I", "-isystem", 1) if flag.startswith("-I") else flag for flag in flags]


def headers() -> list[str]:
    """Compile each public header alone, as C11 and as C++17.

    Returns:
        One entry for each that does not compile, with what the compiler says.
    """
    public = sorted((ROOT / "lib").glob("*/leat_*.h"))
    include = [f"-I{path}" for path in sorted((ROOT / "lib").iterdir()) if path.is_dir()]
    flags = ["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", *_dpdk_flags(), *include]
    faults = []
    for path in public:
        for argv in (["gcc", "-std=c11", "-xc"], ["g++", "-std=c++17", "-xc++"]):
            source = f'#include "{path.name}"\nint leat_header_check;\n'
            done = subprocess.run(
                [*argv, "-fsyntax-only", *flags, "-"], input=source, capture_output=True, text=True
            )
            if done.returncode != 0:
                where = path.relative_to(ROOT)
                faults.append(f"{where} does not stand alone ({argv[1]}):\n{done.stderr}")
    if not public:
        faults.append("no public header was found")
    return faults


def texts() -> list[str]:
    """Check what no file may contain.

    Returns:
        One line for each fault.
    """
    banned = re.compile(r"\b(FIXME|XXX|TODO)\b(?! \(#\d+\))")
    faults = []
    for path in [*c_sources(), *python_sources(), *shell_sources()]:
        if path == Path(__file__).resolve():
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if banned.search(line):
                faults.append(f"{path.relative_to(ROOT)}:{number}: an unfinished thing")
            if line != line.rstrip():
                faults.append(f"{path.relative_to(ROOT)}:{number}: blanks at the end")
    return faults
