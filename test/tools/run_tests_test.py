# SPDX-License-Identifier: Apache-2.0
"""The sums of run_tests.py: nothing that went wrong may look like a success."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import results  # noqa: E402
import run_tests  # noqa: E402
from results import FAILED, PASSED, SKIPPED, Test  # noqa: E402

GTEST_SKIP = "[ RUN      ] A.Skips\n/x/t.cc:5: Skipped\nno kubectl\nhere\n[  SKIPPED ] A.Skips (0 ms)\n"


class Junit(unittest.TestCase):
    def read(self, *cases):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f'<testsuite name="x">{"".join(cases)}</testsuite>')
            file.flush()
            return results.from_junit(file.name)

    def test_a_passed_test_passes(self):
        self.assertEqual(self.read('<testcase name="A.B" status="run"/>'), [Test("A.B", PASSED)])

    def test_a_failed_test_fails_and_keeps_its_output(self):
        case = '<testcase name="A.B" status="fail"><failure message=""/><system-out>a &lt; b</system-out></testcase>'
        self.assertEqual(self.read(case), [Test("A.B", FAILED, "a < b")])

    def test_a_skipped_test_tells_its_reason(self):
        case = ('<testcase name="A.Skips" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
                f"<system-out>{GTEST_SKIP}</system-out></testcase>")
        self.assertEqual(self.read(case), [Test("A.Skips", SKIPPED, "no kubectl here")])

    def test_a_missing_program_is_a_failure(self):
        case = '<testcase name="A" status="notrun"><skipped message="Unable to find executable"/></testcase>'
        self.assertEqual(self.read(case)[0].outcome, FAILED)

    def test_a_program_with_several_tests_counts_them(self):
        output = ("[       OK ] Fake/A.Works/0 (1 ms)\n[ RUN      ] Fake/A.Breaks/0\n/x/t.cc:7: Failure\nExpected\n"
                  "[  FAILED  ] Fake/A.Breaks/0, where TypeParam = Fake (2 ms)\n[  FAILED  ] 1 test, listed below:\n" + GTEST_SKIP)
        tests = self.read(f'<testcase name="c" status="fail"><system-out>{output}</system-out></testcase>')
        self.assertEqual([(t.name, t.outcome) for t in tests],
                         [("c: Fake/A.Works/0", PASSED), ("c: Fake/A.Breaks/0", FAILED), ("c: A.Skips", SKIPPED)])
        self.assertIn("t.cc:7", tests[1].detail)
        self.assertEqual(tests[2].detail, "no kubectl here")

    def test_scenarios_are_counted_one_by_one(self):
        output = "ok     two_run (3.1 s)\nFAILED third_waits (9.0 s)\nthe third ran\nok     all_go (1.0 s)\n2 passed, 1 failed"
        tests = self.read(f'<testcase name="life" status="fail"><system-out>{output}</system-out></testcase>')
        self.assertEqual([t.outcome for t in tests], [PASSED, FAILED, PASSED])
        self.assertIn("the third ran", tests[1].detail)
        self.assertNotIn("all_go", tests[1].detail)

    def test_a_crash_after_good_tests_is_a_failure(self):
        output = "[       OK ] A.B (1 ms)\n[       OK ] A.C (1 ms)\n[ RUN      ] A.D\nSegmentation fault"
        tests = self.read(f'<testcase name="c" status="fail"><system-out>{output}</system-out></testcase>')
        self.assertEqual([t.outcome for t in tests], [PASSED, PASSED, FAILED])

    def test_no_tests_and_no_file_are_failures(self):
        self.assertEqual(self.read()[0].outcome, FAILED)
        self.assertEqual(results.from_junit("does-not-exist.xml")[0].outcome, FAILED)


class Unittest(unittest.TestCase):
    def test_every_verdict_is_read(self):
        output = ("test_a (m.C.test_a) ... ok\ntest_b (m.C.test_b)\nA docstring. ... FAIL\n"
                  "test_c (m.C.test_c) ... skipped 'no reason'\n\n" + "=" * 70 +
                  "\nFAIL: test_b (m.C.test_b)\nAssertionError: 1 != 2\n\n" + "-" * 70 + "\nRan 3 tests in 0.1s\n")
        tests = results.from_unittest(output, 1)
        self.assertEqual([(t.name, t.outcome) for t in tests],
                         [("m.C.test_a", PASSED), ("m.C.test_b", FAILED), ("m.C.test_c", SKIPPED)])
        self.assertIn("1 != 2", tests[1].detail)

    def test_a_crash_or_an_empty_run_is_a_failure(self):
        self.assertEqual(results.from_unittest("", 0)[-1].outcome, FAILED)
        self.assertEqual(results.from_unittest("test_a (m.C.test_a) ... ok\nKilled", -9)[-1].outcome, FAILED)


class Steps(unittest.TestCase):
    def run_steps(self, *steps):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = run_tests.report(run_tests.run_steps(steps))
        return code, output.getvalue()

    def step(self, name, *tests, needs=()):
        return run_tests.Step(name, "about", lambda step: list(tests), needs)

    def test_the_last_line_sums_up_all_steps(self):
        code, output = self.run_steps(self.step("a", Test("x", PASSED), Test("y", PASSED)), self.step("b", Test("z", SKIPPED, "why")))
        self.assertEqual((code, output.splitlines()[-1]), (0, "2 passed, 0 failed"))
        self.assertIn("b: z: why", output)

    def test_a_failure_is_listed_and_sets_the_exit_code(self):
        code, output = self.run_steps(self.step("a", Test("x", PASSED), Test("y", FAILED, "boom")))
        self.assertEqual((code, output.splitlines()[-1]), (1, "1 passed, 1 failed"))
        self.assertIn("--- a: y\nboom", output)

    def test_what_needs_a_failed_step_is_skipped(self):
        code, output = self.run_steps(self.step("build", Test("cmake", FAILED, "error")), self.step("unit", Test("x", PASSED), needs=("build",)))
        self.assertEqual((code, output.splitlines()[-1]), (1, "0 passed, 1 failed"))
        self.assertIn("unit: unit: not run, because build failed", output)

    def test_a_named_step_brings_what_it_needs(self):
        self.assertEqual([step.name for step in run_tests.select(["unit"])], ["build-dev", "unit"])
        self.assertNotIn("race", [step.name for step in run_tests.select([])])

    def test_progress_shows_failures_and_slow_tests_only(self):
        line = "  1/200 Test   #1: A.B ......................   Passed    0.01 sec"
        now = run_tests.time.monotonic()
        self.assertEqual(run_tests._progress(line, now, False), "")
        self.assertEqual(run_tests._progress(line.replace("0.01", "7.00"), now, False), "A.B Passed (7.00 s)")
        self.assertEqual(run_tests._progress(line.replace("   Passed", "***Failed"), now, False), "A.B Failed (0.01 s)")
        self.assertEqual(run_tests._progress(line, now - 60, False), "1 of 200")


if __name__ == "__main__":
    unittest.main()
