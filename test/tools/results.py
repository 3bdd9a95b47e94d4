# SPDX-License-Identifier: Apache-2.0
"""Outcomes of tests, and how to read them from ctest's JUnit file and from the output of Python's unittest."""
import re
import typing
import xml.etree.ElementTree as xml

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Test(typing.NamedTuple):
    name: str
    outcome: str
    detail: str = ""  # FAILED: the end of its output; SKIPPED: the reason


# What programs that run several tests in one ctest entry print for each: GoogleTest, and test/integration/harness.py.
_INNER = re.compile(r"^(?:\[ +(OK|FAILED|SKIPPED) +\] ([^\s,]+).*\(\d+ ms\)|(ok|FAILED) +(\w+) \([\d.]+ s\))$", re.MULTILINE)
_VERDICTS = {"OK": PASSED, "ok": PASSED, "FAILED": FAILED, "SKIPPED": SKIPPED}


def from_junit(path):
    """The tests in a file written by `ctest --output-junit`. Never empty: no tests, or no file, is a failure."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError) as error:
        return [Test("(results)", FAILED, f"no readable results: {error}")]
    if not cases:
        return [Test("(results)", FAILED, "no test was found")]
    return [test for case in cases for test in _from_case(case)]


def _from_case(case):
    name, status = case.get("name", "?"), case.get("status")
    output = (case.findtext("system-out") or "").strip()
    inner = _inner_tests(name, output) if status in ("run", "fail") else []
    if len(inner) > 1:
        if status == "fail" and all(test.outcome != FAILED for test in inner):
            inner.append(Test(name, FAILED, output))  # it crashed, hung, or failed outside of a test
        return inner
    if status == "run":
        return [Test(name, PASSED)]
    if status == "disabled":
        return [Test(name, SKIPPED, "disabled")]
    skipped = case.find("skipped")
    if status == "notrun" and skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        return [Test(name, SKIPPED, skip_reason(output))]
    # "notrun" without a wish to skip means that the program is missing: that is a failure.
    return [Test(name, FAILED, output)]


def _inner_tests(name, output):
    """The tests that one program ran, as far as its output names them."""
    tests, matches = [], list(_INNER.finditer(output))
    for number, match in enumerate(matches):
        gtest, gtest_name, scenario, scenario_name = match.groups()
        before = output[matches[number - 1].end() if number else 0:match.end()]
        after = output[match.start():matches[number + 1].start() if number + 1 < len(matches) else len(output)]
        outcome = _VERDICTS[gtest or scenario]
        # GoogleTest says what is wrong before the verdict, the harness after it.
        detail = {PASSED: "", SKIPPED: skip_reason(before), FAILED: before if gtest else after}[outcome]
        tests.append(Test(f"{name}: {gtest_name or scenario_name}", outcome, detail.strip()))
    return tests


def skip_reason(output):
    """The text of GTEST_SKIP() in the output of a GoogleTest program."""
    match = re.search(r"^\S+:\d+: Skipped\n(.*?)\n\[", output, re.MULTILINE | re.DOTALL)
    reason = " ".join(match.group(1).split()) if match else ""
    return reason or "no reason given"


def from_unittest(output, returncode):
    """The tests in the output of `python3 -m unittest -v`."""
    tests = []
    for match in re.finditer(r"^(\w+) \(([\w.]+)\).*?\.\.\. (ok|FAIL|ERROR|skipped (.*))$", output, re.MULTILINE | re.DOTALL):
        name, verdict = match.group(2), match.group(3)
        if verdict == "ok":
            tests.append(Test(name, PASSED))
        elif verdict.startswith("skipped"):
            tests.append(Test(name, SKIPPED, match.group(4).strip("'\"")))
        else:
            tests.append(Test(name, FAILED, _traceback(output, match.group(1))))
    if not tests or (returncode != 0 and all(test.outcome != FAILED for test in tests)):
        tests.append(Test("(unittest)", FAILED, output.strip()))
    return tests


def _traceback(output, method):
    match = re.search(r"^=+\n(?:FAIL|ERROR): " + re.escape(method) + r" .*?(?=^=+\n|\nRan |\Z)", output, re.MULTILINE | re.DOTALL)
    return match.group(0).strip() if match else "see the log"
