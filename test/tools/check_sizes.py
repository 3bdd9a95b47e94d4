#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Budgets of files and functions, so that a reader never meets a part that is too long to hold in mind."""
import sys

import functions
import tree

SOURCE_LINES = 400
HEADER_LINES = 250
FUNCTION_LINES = 80            # nobody may be longer
TEST_FUNCTION_LINES = 60       # the same in test/
USUAL_FUNCTION_LINES = 40      # and nine of ten functions of controller/ are not longer than this
USUAL_SHARE = 0.9
PARAMETERS = 5                 # more: an options struct
# For callbacks whose parameters a library dictates; on the line of the name or the one above, with the reason behind it.
DICTATED = "NOLINT(readability-function-size)"
HEADER_COMMENT_SHARE = 0.25    # of the lines of all headers in controller/ that are not blank


def check(root):
    problems, lengths, commented, written = [], [], 0, 0
    for path in tree.sources(root, "controller", "test"):
        name, text = tree.relative(path, root), path.read_text()
        limit = HEADER_LINES if path.suffix == ".h" else SOURCE_LINES
        lines = text.count("\n")
        if lines > limit:
            problems.append(f"{name}: {lines} lines, at most {limit}")
        code = tree.code_of(text)
        found = functions.find(code)
        problems += _check_functions(name, found, text.splitlines())
        if name.startswith("controller/"):
            lengths += [function.lines for function in found]
            if path.suffix == ".h":
                commented += _comment_lines(text)
                written += sum(1 for line in text.splitlines() if line.strip())
    return problems + _check_shares(lengths, commented, written)


def _check_functions(name, found, text):
    limit = TEST_FUNCTION_LINES if name.startswith("test/") else FUNCTION_LINES
    problems = []
    for function in found:
        where = f"{name}:{function.line}: {function.name}"
        if function.lines > limit:
            problems.append(f"{where}: {function.lines} lines, at most {limit}")
        dictated = DICTATED in "".join(text[max(0, function.line - 2):function.line])
        if function.parameters > PARAMETERS and not dictated:
            problems.append(f"{where}: {function.parameters} parameters, at most {PARAMETERS}")
    return problems


def _comment_lines(text):
    """Lines of `text` that carry a comment, be it behind code."""
    with_comments = text.splitlines()
    without = tree.code_of(text).splitlines()
    return sum(1 for before, after in zip(with_comments, without) if "//" in before and "//" not in after)


def _check_shares(lengths, commented, written):
    problems = []
    usual = sum(1 for length in lengths if length <= USUAL_FUNCTION_LINES)
    if lengths and usual / len(lengths) < USUAL_SHARE:
        problems.append(f"controller/: {usual} of {len(lengths)} functions have at most {USUAL_FUNCTION_LINES} lines, "
                        f"not {USUAL_SHARE:.0%}")
    if written and commented / written < HEADER_COMMENT_SHARE:
        problems.append(f"controller/: {commented / written:.0%} of the header lines carry a comment, "
                        f"not {HEADER_COMMENT_SHARE:.0%}")
    return problems


if __name__ == "__main__":
    sys.exit(tree.run(check, "sizes"))
