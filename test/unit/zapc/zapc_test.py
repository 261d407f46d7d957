#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What leat-zapc makes of a schema, and what it says of one that it refuses."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ZAPC = ROOT / "scripts" / "zapc.py"
GOLDEN = ROOT / "test" / "golden" / "zapc"

# Whole schemas, and the line and the words of what is said of them.
REFUSED_WHOLE = [
    ("", 1, "no struct"),
    ("package 9\n", 1, '"9" is no name of a package'),
    ("package\n", 1, 'unexpected "package", want "package NAME"'),
    ("struct A aligned {\n", 1, 'unexpected "struct", want "package NAME"'),
    ("package p\npackage q\n", 2, 'unexpected "package", want "struct"'),
]

# Each begins in its second line, behind "package p".
REFUSED = [
    ("", 2, "no struct"),
    ("field u8\n", 2, 'unexpected "field", want "struct"'),
    ("struct A {", 2, 'struct "A" has no end'),
    ("struct {\n", 2, 'want "struct Name {"'),
    ("struct A aligned\n", 2, 'want "struct Name {"'),
    ("struct a aligned {\n", 2, '"a" is no name of a struct, such as "Request"'),
    ("struct A aligned packed {\n", 2, 'unexpected "packed"'),
    ("struct A sorted {\n", 2, 'unexpected "sorted"'),
    ("struct A version {\n", 2, 'unexpected "version"'),
    ("struct A version 0 {\n", 2, "a version is 1 or 2"),
    ("struct A version 3 {\n", 2, 'version "3" is not a number of 0 to 2'),
    ("struct A type 256 {\n", 2, 'type "256" is not a number of 0 to 255'),
    ("struct A type -1 {\n", 2, 'type "-1" is not a number of 0 to 255'),
    ("struct A aligned {\n}\n", 2, 'struct "A" has no fields'),
    ("struct A aligned {\nx u8\n}\nstruct A aligned {\n", 5, 'a second struct "A"'),
    ("struct A aligned {\nx u8\nx u8\n", 4, 'a second field "x"'),
    ("struct A aligned {\nx\n", 3, 'want "name type" or "name type @offset"'),
    ("struct A aligned {\nx u8 u8\n", 3, 'want "name type" or "name type @offset"'),
    ("struct A aligned {\n@8\n", 3, 'want "name type" or "name type @offset"'),
    ("struct A aligned {\nX u8\n", 3, '"X" is no name of a field'),
    ("struct A aligned {\nint u8\n", 3, '"int" is no name of a field'),
    ("struct A aligned {\nx u7\n", 3, 'unknown type "u7"'),
    ("struct A aligned {\nx bytes[]\n", 3, 'unknown type "bytes[]"'),
    ("struct A aligned {\nx bytes[0]\n", 3, "0 bytes are not 1 to 1048576"),
    ("struct A aligned {\nx bytes[1048577]\n", 3, "1048577 bytes are not 1 to 1048576"),
    ("struct A aligned {\nx bytes[1048576]\ny u8\n}\n", 4, '"y" ends after 1048576 bytes'),
    ("struct A aligned {\nx []u16\n", 3, 'no lists of "u16"'),
    ("struct A aligned {\nx [][]u8\n", 3, 'no lists of "[]u8"'),
    ("struct A aligned {\nx []\n", 3, 'no lists of ""'),
    ("struct A aligned {\nx []inline u8\n", 3, 'no lists of "inline u8"'),
    ("struct A aligned {\nx B\n}\n", 3, 'no struct "B"'),
    ("struct A aligned {\nx []B\n}\n", 3, 'no struct "B"'),
    ("struct A aligned {\nx []inline B\n}\n", 3, 'no struct "B"'),
    ("struct A aligned {\nx u8 @0\n", 3, "an offset in a struct that is aligned"),
    ("struct A packed {\nx u8 @0\n", 3, "an offset in a struct that is packed"),
    ("struct A {\nx u8\n", 3, 'no "@offset", and the struct is neither aligned nor packed'),
    ("struct A {\nx u8 @-1\n", 3, 'offset "-1" is not a number of 0 to 1048576'),
    ("struct A {\nx u8 @1048576\n}\n", 3, '"x" ends after 1048576 bytes'),
    ("struct A {\nx u32 @0\ny u8 @3\n}\n", 4, '"y" overlaps "x"'),
    ("struct A {\ny u8 @3\nx u32 @0\n}\n", 4, '"x" overlaps "y"'),
    ("struct A {\nx text @0\ny text @7\n}\n", 4, '"y" overlaps "x"'),
]


def run(schema: Path) -> subprocess.CompletedProcess[str]:
    """Compile a schema to standard output."""
    argv = [sys.executable, str(ZAPC), str(schema)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


class ZapcTest(unittest.TestCase):
    """The compiler as a program."""

    def compile(self, text: str) -> subprocess.CompletedProcess[str]:
        """Compile a text under the name of schema.zap."""
        with tempfile.TemporaryDirectory() as directory:
            schema = Path(directory) / "schema.zap"
            schema.write_text(text, encoding="utf-8")
            done = run(schema)
            done.stderr = done.stderr.replace(f"{directory}/", "")
            return done

    def test_header_is_golden(self) -> None:
        """Each kind of field, in each layout."""
        done = run(GOLDEN / "kinds.zap")
        self.assertEqual("", done.stderr)
        self.assertEqual((GOLDEN / "leat_kinds.txt").read_text(encoding="utf-8"), done.stdout)

    def test_refused(self) -> None:
        """The file, the line and the reason, and no header."""
        packaged = [("package p\n" + text, line, reason) for text, line, reason in REFUSED]
        for text, line, reason in REFUSED_WHOLE + packaged:
            with self.subTest(schema=text):
                done = self.compile(text)
                self.assertEqual(f"schema.zap:{line}: {reason}\n", done.stderr)
                self.assertEqual((1, ""), (done.returncode, done.stdout))

    def test_limits_are_taken(self) -> None:
        """The greatest object, version and type."""
        text = "package p\nstruct A version 2 type 255 {\nx bytes[1048568] @0\ny u64 @1048568\n}\n"
        done = self.compile(text)
        self.assertEqual(("", 0), (done.stderr, done.returncode))
        self.assertIn("#define P_A_LEN 1048576u", done.stdout)

    def test_no_file(self) -> None:
        """A file that is not there has no line."""
        done = run(Path("/nonexistent/schema.zap"))
        self.assertEqual(1, done.returncode)
        self.assertTrue(done.stderr.startswith("/nonexistent/schema.zap: "))

    def test_not_text(self) -> None:
        """Bytes that are no UTF-8."""
        with tempfile.TemporaryDirectory() as directory:
            schema = Path(directory) / "schema.zap"
            schema.write_bytes(b"package \xff\n")
            self.assertEqual(1, run(schema).returncode)


def main() -> None:
    """Run the tests, or write the golden header anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the golden header anew")
    args, rest = parser.parse_known_args()
    if args.record:
        header = GOLDEN / "leat_kinds.txt"
        header.write_text(run(GOLDEN / "kinds.zap").stdout, encoding="utf-8")
        return
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
