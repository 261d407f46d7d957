#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run the tests step by step and print their sum; scripts/test.sh starts this."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import checks

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build-test"
LOGS = BUILD / "logs"
NB_JOBS = "2"
TOTAL_MAX_S = 38 * 60  # whoever started us has a limit of 40 minutes
STEP_MAX_S = 20 * 60
TAIL_LINES = 60
FUZZ_S = 5
QUICK_LAB = "quicktest"  # not the name of a lab that a person keeps
NB_VALGRIND_SEEDS = 50  # of each simulation; valgrind is some forty times slower

SANITIZER_ENV = {
    "ASAN_OPTIONS": "detect_leaks=1:abort_on_error=0:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
VALGRIND = (
    "valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9"
    f" --suppressions={ROOT}/test/valgrind.supp"
)


@dataclass
class Tally:
    """What came out of a step."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: Tally) -> None:
        """Add another one.

        Args:
            other: What to add.
        """
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def line(self) -> str:
        """Say it.

        Returns:
            The line that ends the run.
        """
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


class Failed(Exception):
    """A command failed; what it said is in the log of the step."""


class Step:
    """One step: runs commands into a log file and counts."""

    def __init__(self, name: str, deadline: float) -> None:
        """Begin a step.

        Args:
            name: Names the log.
            deadline: When, by the monotonic clock, the step has to be over.
        """
        self.name = name
        self.tally = Tally()
        self.path = LOGS / f"{name}.log"
        self._deadline = deadline
        self._log = self.path.open("w")

    def say(self, text: str) -> None:
        """Write into the log.

        Args:
            text: One line or more.
        """
        self._log.write(f"{text}\n")
        self._log.flush()

    def run(self, *argv: str, env: dict[str, str] | None = None, check: bool = True) -> int:
        """Run a command to its end.

        Args:
            argv: The command.
            env: What to add to the environment.
            check: A status other than 0 ends the step.

        Returns:
            The exit status.

        Raises:
            Failed: The command failed, or had no time left.
        """
        self.say(f"$ {' '.join(argv)}")
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
        try:
            status = process.wait(max(1.0, self._deadline - time.monotonic()))
        except BaseException as error:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)  # the end-to-end tests take their namespaces down
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise Failed(f"{argv[0]} took too long") from None
            raise
        if check and status != 0:
            raise Failed(f"{argv[0]} ended with status {status}")
        return status

    def judge(self, faults: list[str]) -> None:
        """Count a check that gives a list of faults.

        Args:
            faults: None is right.
        """
        for fault in faults:
            self.say(fault)
        if faults:
            self.tally.failed += 1
        else:
            self.tally.passed += 1

    def check(self, *argv: str, env: dict[str, str] | None = None) -> None:
        """Count a check that is one command.

        Args:
            argv: The command.
            env: What to add to the environment.
        """
        if self.run(*argv, env=env, check=False) == 0:
            self.tally.passed += 1
        else:
            self.tally.failed += 1

    def count_junit(self, path: Path, status: int) -> None:
        """Count the tests of a report.

        Args:
            path: The report in JUnit's format.
            status: The exit status of what wrote it; not 0 is at least one failure.

        Raises:
            Failed: There is no report, or nothing ran.
        """
        if not path.exists():
            raise Failed("there is no report")
        counted = Tally()
        for case in ElementTree.parse(path).iter("testcase"):
            outcomes = {child.tag for child in case}
            if outcomes & {"failure", "error"}:
                counted.failed += 1
                print(f"   failed: {case.get('classname', '')}.{case.get('name')}")
            elif "skipped" in outcomes or case.get("status") == "notrun":
                counted.skipped += 1
                print(f"   skipped: {case.get('classname', '')}.{case.get('name')}")
            else:
                counted.passed += 1
        self.tally.add(counted)
        if status != 0 and counted.failed == 0:
            raise Failed(f"status {status} although no test of the report failed")
        if counted.passed + counted.failed + counted.skipped == 0:
            raise Failed("nothing ran")


def step_format(step: Step) -> None:
    """The sources look as clang-format 14 would have them."""
    step.check("clang-format-14", "--dry-run", "-Werror", *map(str, checks.c_sources()))


def step_lint(step: Step) -> None:
    """Sizes, licence lines, shellcheck and mypy."""
    step.judge(checks.sizes())
    step.judge(checks.texts())
    step.check("shellcheck", *map(str, checks.shell_sources()))
    step.check("mypy", "--cache-dir", str(BUILD / "mypy"), *map(str, checks.python_sources()))


def step_headers(step: Step) -> None:
    """Each public header compiles alone, as C and as C++."""
    step.judge(checks.headers())


def _build(step: Step, name: str, *options: str, env: dict[str, str] | None = None) -> Path:
    """Configure and build; a build directory that is there is used again."""
    build = BUILD / name
    setup = ["meson", "setup", str(build), "-Dtests=enabled", "-Dwerror=true", *options]
    if (build / "build.ninja").exists():
        setup.append("--reconfigure")
    else:
        shutil.rmtree(build, ignore_errors=True)
    step.run(*setup, env=env)
    step.run("ninja", "-C", str(build), "-j", NB_JOBS)
    step.tally.passed += 1
    return build


def _meson_test(
    step: Step, build: Path, *options: str, log: str = "testlog", env: dict[str, str] | None = None
) -> None:
    report = build / "meson-logs" / f"{log}.junit.xml"
    report.unlink(missing_ok=True)
    argv = ["meson", "test", "-C", str(build), "--no-rebuild", "--num-processes", NB_JOBS]
    argv += ["--print-errorlogs", *options]
    step.count_junit(report, step.run(*argv, env=env, check=False))


def step_gcc(step: Step) -> None:
    """Build with gcc; unit tests, fuzz replay and simulation."""
    build = _build(step, "gcc", env={"CC": "gcc", "CXX": "g++"})
    _meson_test(step, build, "--timeout-multiplier", "3")


def step_clang(step: Step) -> None:
    """Build with clang, ASan and UBSan; unit tests, fuzz replay and simulation."""
    # One build for both, and little optimized: a compiler run costs more here than a slow test.
    options = ["-Db_sanitize=address,undefined", "-Db_lundef=false", "-Doptimization=1"]
    build = _build(step, "clang", *options, env={"CC": "clang", "CXX": "clang++"})
    _meson_test(step, build, "--timeout-multiplier", "5", env=SANITIZER_ENV)


def step_fuzz(step: Step) -> None:
    """Build the fuzz targets and let each look for new inputs for a few seconds."""
    build = _build(step, "fuzz", "-Dfuzz=true", env={"CC": "clang", "CXX": "clang++"})
    targets = [path for path in (build / "test" / "fuzz").glob("fuzz_*") if path.is_file()]
    if not targets:
        raise Failed("there is no fuzz target")
    for path in sorted(targets):
        found = BUILD / "corpus" / path.name  # new inputs go here and not into the tree
        found.mkdir(parents=True, exist_ok=True)
        corpus = ROOT / "test" / "fuzz" / "corpus" / path.name.removeprefix("fuzz_")
        options = [f"-max_total_time={FUZZ_S}", "-timeout=5", f"-artifact_prefix={found}/"]
        step.run(str(path), *options, str(found), str(corpus), env=SANITIZER_ENV)
        step.tally.passed += 1


def step_coverage(step: Step) -> None:
    """The committed inputs reach the lines of each codec."""
    step.check(str(ROOT / "scripts" / "coverage.sh"), "-b", str(BUILD / "coverage"))


def step_valgrind(step: Step) -> None:
    """The gcc build under valgrind: unit tests, fuzz replay, simulation with fewer seeds."""
    build = _build(step, "gcc", env={"CC": "gcc", "CXX": "g++"})
    options = ["--timeout-multiplier", "20", "--wrapper", VALGRIND]
    # Meson puts the name of the wrapper behind that of the log.
    for suite in ("unit", "fuzz"):
        one = ["--suite", suite, "--logbase", suite]
        _meson_test(step, build, *options, *one, log=f"{suite}-valgrind")
    print(f"   the simulation runs {NB_VALGRIND_SEEDS} seeds here, not all")
    few = ["--suite", "sim", "--logbase", "sim", "--test-args", f"--seeds {NB_VALGRIND_SEEDS}"]
    _meson_test(step, build, *options, *few, log="sim-valgrind")


def step_doc(step: Step) -> None:
    """The guides build without a warning."""
    out = BUILD / "doc"
    shutil.rmtree(out, ignore_errors=True)
    step.check("sphinx-build", "-W", "-q", "-b", "html", str(ROOT / "doc" / "guides"), str(out))


def step_dts(step: Step) -> None:
    """End to end: the daemon of the gcc build in namespaces of its own."""
    build = _build(step, "gcc", env={"CC": "gcc", "CXX": "g++"})
    report = BUILD / "dts.xml"
    report.unlink(missing_ok=True)
    env = {"LEATD": str(build / "app" / "leatd" / "leatd"), "DTS_OUT": str(BUILD / "dts")}
    pytest = ["/usr/bin/python3", "-B", "-m", "pytest", "-v", "--tb=short", "--color=no"]
    status = step.run(*pytest, f"--junitxml={report}", "dts/tests", env=env, check=False)
    step.count_junit(report, status)


def step_quickstart(step: Step) -> None:
    """The quick start, twice in a row, with nothing left behind; it builds the release type."""
    for _ in range(2):
        step.check(str(ROOT / "scripts" / "quickstart.sh"), env={"LEAT_LAB": QUICK_LAB})
    log = step.path.read_text()
    added, back = (re.findall(rf"(\d+) {word}", log) for word in ("added", "given back"))
    faults = [] if added == back else [f"{added} pages were added and {back} given back"]
    for directory in ("/run/netns", "/run/leat-lab", "/run/dpdk", "/dev/shm"):
        if Path(directory).is_dir():
            faults += [f"{path} is left" for path in Path(directory).glob(f"*{QUICK_LAB}*")]
    mounts = Path("/proc/mounts").read_text().splitlines()
    step.judge(faults + [f"mounted: {line}" for line in mounts if QUICK_LAB in line])


STEPS: list[Callable[[Step], None]] = [
    step_format,
    step_lint,
    step_headers,
    step_gcc,
    step_clang,
    step_fuzz,
    step_coverage,
    step_valgrind,
    step_doc,
    step_quickstart,
    step_dts,
]


def _name(function: Callable[[Step], None]) -> str:
    return function.__name__.removeprefix("step_")


def run_step(function: Callable[[Step], None], end: float) -> Tally:
    """Run one step and tell what came of it.

    Args:
        function: The step.
        end: When, by the monotonic clock, all has to be over.

    Returns:
        What it counted; a step that broke off has at least one failure.
    """
    name = _name(function)
    begin = time.monotonic()
    print(f"-- {name}: {(function.__doc__ or '').strip()}", flush=True)
    step = Step(name, min(end, begin + STEP_MAX_S))
    broke_off = ""
    try:
        function(step)
    except (Failed, OSError, subprocess.SubprocessError, ElementTree.ParseError) as error:
        broke_off = str(error)
        step.tally.failed += 1
    took_s = time.monotonic() - begin
    if step.tally.failed > 0:
        for line in step.path.read_text(errors="replace").splitlines()[-TAIL_LINES:]:
            print(f"   | {line}")
        print(f"   step {name} failed: {broke_off or 'see above'}; all of it in {step.path}")
    print(f"   {name}: {step.tally.line()} in {took_s:.0f} s", flush=True)
    return step.tally


def main() -> int:
    """Run the steps that were asked for, or all.

    Returns:
        The exit status.
    """
    names = [_name(function) for function in STEPS]
    parser = argparse.ArgumentParser(prog="test.sh", description="Run the tests.")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(names))
    parser.add_argument("--list", action="store_true", help="name the steps and end")
    args = parser.parse_args()
    unknown = [name for name in args.steps if name not in names]
    if unknown:
        parser.error(f"no such step: {', '.join(unknown)}")
    if args.list:
        print("\n".join(f"{_name(one)}: {(one.__doc__ or '').strip()}" for one in STEPS))
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    end = time.monotonic() + TOTAL_MAX_S
    total = Tally()
    for function in STEPS:
        if not args.steps or _name(function) in args.steps:
            total.add(run_step(function, end))
    print(total.line(), flush=True)
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
