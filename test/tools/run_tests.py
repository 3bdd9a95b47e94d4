#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the steps of `make test`, or the ones that are named and what these need, and sums up their tests.

The last line is "N passed, N failed". A step that breaks counts as one failure, and so does a step that finds no tests.
Logs and JUnit files are left in build/test-results/.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import typing

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import check_all  # noqa: E402
import results  # noqa: E402
from results import FAILED, PASSED, SKIPPED, Test  # noqa: E402
from tree import ROOT  # noqa: E402

RESULTS = ROOT / "build" / "test-results"
PROGRESS_EVERY = 10.0   # seconds between two lines of progress
SLOW_TEST = 5.0         # a test that took longer gets a line of its own
OUTPUT_BYTES = "8000000"
SHOWN_LINES = 60        # of the output of a failed test or step
_COUNTER = re.compile(r"^\s*\[?(\d+)/(\d+)[\] ]")               # of ninja and of ctest
_CTEST = re.compile(r"^\s*\d+/\d+ Test\s+#\d+: (\S+) \.*\s*(.*?)\s+([\d.]+) sec")


class Step(typing.NamedTuple):
    name: str
    about: str
    run: typing.Callable   # (Step) -> list of Test
    needs: tuple = ()      # names of the steps without which this one makes no sense
    usual: bool = True     # part of `make test`


# -- kinds of steps ---------------------------------------------------------------------------------------------------

def checks(_step):
    """Each check of the sources is one test."""
    tests = []
    for name, check in check_all.CHECKS.items():
        problems = check(ROOT)
        tests.append(Test(f"check {name}", FAILED if problems else PASSED, "\n".join(problems)))
    return tests


def python_tests(step):
    tests = []
    for folder in sorted({path.parent for path in (ROOT / "test").rglob("*_test.py")}):
        command = [sys.executable, "-m", "unittest", "discover", "-v", "-s", str(folder), "-p", "*_test.py"]
        code, output = run(step, command, f"{step.name}-{folder.name}")
        tests += results.from_unittest(output, code)
    return tests


def build(preset):
    def configure_and_compile(step):
        for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset]):
            code, output = run(step, command, f"{step.name}-{'build' if '--build' in command else 'configure'}")
            if code != 0:
                return [Test(shlex.join(command), FAILED, output)]
        return []
    return configure_and_compile


def command(*words):
    def call(step):
        code, output = run(step, [str(ROOT / words[0]), *words[1:]], step.name, echo=True)
        return [] if code == 0 else [Test(shlex.join(words), FAILED, output)]
    return call


def ctest(preset, labels, jobs=1):
    """The tests of a build directory whose label matches the regular expression `labels`."""
    def call(step):
        report = RESULTS / f"{step.name}.xml"
        report.unlink(missing_ok=True)
        words = ["ctest", "--test-dir", f"build/{preset}", "--label-regex", labels, "--parallel", str(jobs),
                 "--output-junit", str(report), "--no-tests=error", "--timeout", "900",
                 # All output: a program may run many tests, and each has a line there (results.py).
                 "--test-output-size-passed", OUTPUT_BYTES, "--test-output-size-failed", OUTPUT_BYTES]
        code, output = run(step, words, step.name)
        tests = results.from_junit(report)
        if code != 0 and all(test.outcome != FAILED for test in tests):
            tests.append(Test(shlex.join(words), FAILED, output))
        return tests
    return call


CORES = os.cpu_count() or 1
STEPS = (
    Step("checks", "layers, fences, sizes, format, reading order, reference", checks),
    Step("tools", "tests of the Python tools under test/", python_tests),
    Step("build-dev", "Debug build with ASan and UBSan, warnings are errors", build("dev")),
    Step("unit", "unit tests under ASan and UBSan", ctest("dev", "^unit$", CORES), ("build-dev",)),
    Step("build-tsan", "build with ThreadSanitizer", build("tsan"), usual=False),
    Step("race", "unit tests under ThreadSanitizer", ctest("tsan", "^unit$", CORES), ("build-tsan",), usual=False),
    Step("build-ci", "optimized build, warnings are errors", build("ci")),
    Step("control-plane", "etcd, Kubernetes and KWOK, compiled from Go modules into a cache",
         command("test/controlplane/cluster", "build")),
    Step("integration", "the controller on a real API server", ctest("ci", "^integration$"),
         ("build-ci", "control-plane")),
    Step("cases", "public bug reports, replayed", ctest("ci", "^case$"), ("build-ci", "control-plane")),
)


# -- running ----------------------------------------------------------------------------------------------------------

def run(step, words, log_name, echo=False):
    """Runs a command and returns (exit code, output). Shows progress; with `echo`, every line."""
    environment = dict(os.environ, NINJA_STATUS="[%f/%t] ", PYTHONDONTWRITEBYTECODE="1")
    lines, shown = [], time.monotonic()
    with open(RESULTS / f"{log_name}.log", "w", encoding="utf-8", errors="replace") as log:
        try:
            child = subprocess.Popen(words, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, text=True, errors="replace",
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except OSError as error:
            return 127, f"{words[0]}: {error.strerror}"
        with child:
            for line in child.stdout:
                log.write(line)
                log.flush()
                lines.append(line)
                text = _progress(line, shown, echo)
                if text:
                    say(f"    {step.name}: {text}")
                    shown = time.monotonic()
    return child.returncode, "".join(lines)


def _progress(line, shown, echo):
    """What to print of a line of output, or an empty string."""
    test = _CTEST.match(line)
    if test and (not test.group(2).endswith("Passed") and "Skipped" not in test.group(2) or float(test.group(3)) >= SLOW_TEST):
        return f"{test.group(1)} {test.group(2).strip('*')} ({test.group(3)} s)"
    if echo:
        return line.rstrip()
    counter = _COUNTER.match(line)
    if counter and time.monotonic() - shown >= PROGRESS_EVERY:
        return f"{counter.group(1)} of {counter.group(2)}"
    return ""


def select(names):
    """The named steps and what they need, in the order of STEPS; without names, the usual ones."""
    by_name = {step.name: step for step in STEPS}
    wanted, todo = set(), list(names) or [step.name for step in STEPS if step.usual]
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += by_name[name].needs
    return [step for step in STEPS if step.name in wanted]


def run_steps(steps):
    """{step name: (seconds, tests)}. What needs a broken step is reported as skipped."""
    done, broken = {}, set()
    for number, step in enumerate(steps, 1):
        missing = [name for name in step.needs if name in broken]
        say(f"==> {number}/{len(steps)} {step.name}: {step.about}")
        start = time.monotonic()
        if missing:
            tests = [Test(step.name, SKIPPED, f"not run, because {missing[0]} failed")]
        else:
            tests = step.run(step)
        seconds = time.monotonic() - start
        if missing or any(test.outcome == FAILED for test in tests):
            broken.add(step.name)
        done[step.name] = (seconds, tests)
        say(f"    {step.name}: {counts(tests)} in {seconds:.0f} s")
    return done


# -- telling ----------------------------------------------------------------------------------------------------------

def say(text):
    print(text, flush=True)


def counts(tests):
    if not tests:
        return "done"
    outcomes = [test.outcome for test in tests]
    return ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in (PASSED, FAILED, SKIPPED) if outcome in outcomes)


def report(done):
    """Prints everything that a reader wants to know at the end; returns the exit code."""
    say("\nSteps:")
    for name, (seconds, tests) in done.items():
        say(f"  {name:14} {seconds:7.1f} s  {counts(tests)}")
    everything = [(name, test) for name, (_, tests) in done.items() for test in tests]
    skipped = [(name, test) for name, test in everything if test.outcome == SKIPPED]
    failed = [(name, test) for name, test in everything if test.outcome == FAILED]
    passed = sum(1 for _, test in everything if test.outcome == PASSED)
    if skipped:
        say(f"\nSkipped ({len(skipped)}):")
        for name, test in skipped:
            say(f"  {name}: {test.name}: {test.detail}")
    if failed:
        say(f"\nFailed ({len(failed)}); the whole output is in {RESULTS.relative_to(ROOT)}/:")
        for name, test in failed:
            say(f"\n--- {name}: {test.name}")
            say(shortened(test.detail))
        say("\nFailed, in short:")
        for name, test in failed:
            say(f"  {name}: {test.name}")
    say("")
    say(f"{passed} passed, {len(failed)} failed")
    return 1 if failed else 0


def shortened(text):
    lines = text.strip().splitlines()
    if len(lines) <= SHOWN_LINES:
        return "\n".join(lines)
    return "\n".join([f"[{len(lines) - SHOWN_LINES} lines left out]", *lines[-SHOWN_LINES:]])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"one of: {', '.join(step.name for step in STEPS)}")
    names = parser.parse_args().steps
    unknown = sorted(set(names) - {step.name for step in STEPS})
    if unknown:
        parser.error(f"there is no step {unknown[0]}")
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    try:
        return report(run_steps(select(names)))
    except KeyboardInterrupt:
        say("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main())
