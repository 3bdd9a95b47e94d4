#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The promise of docs/architecture.md: the files of its reading order exist and are short enough for one sitting."""
import re
import sys

import tree

DOCUMENT = "docs/architecture.md"
BEGIN, END = "<!-- reading-order -->", "<!-- /reading-order -->"
FILES = (10, 16)    # "about a dozen"
LINES = 2500        # together: about an hour


def check(root):
    document = root / DOCUMENT
    if not document.is_file():
        return [f"{DOCUMENT}: is missing"]
    match = re.search(re.escape(BEGIN) + "(.*?)" + re.escape(END), document.read_text(), re.DOTALL)
    if not match:
        return [f"{DOCUMENT}: no reading order between {BEGIN} and {END}"]
    names = re.findall(r"`(controller/[^`]+)`", match.group(1))
    problems = [f"{DOCUMENT}: {name} does not exist" for name in names if not (root / name).is_file()]
    if not FILES[0] <= len(names) <= FILES[1]:
        problems.append(f"{DOCUMENT}: {len(names)} files in the reading order, not {FILES[0]} to {FILES[1]}")
    lines = sum((root / name).read_text().count("\n") for name in names if (root / name).is_file())
    if lines > LINES:
        problems.append(f"{DOCUMENT}: the files of the reading order have {lines} lines, at most {LINES}")
    return problems


if __name__ == "__main__":
    sys.exit(tree.run(check, "reading order"))
