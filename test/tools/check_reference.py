#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/operations.md lists exactly the metrics and the Event reasons that the code has."""
import re
import sys

import tree

DOCUMENT = "docs/operations.md"
_METRIC = re.compile(r'"((?:dra|dynamic_resource_allocation|workqueue|rest_client|process)_[a-z_]+)"')
_REASON = re.compile(r'constexpr\s+std::string_view\s+k\w+\s*=\s*"([A-Z]\w+)"')
_SERIES = re.compile(r"(?:dra|dynamic_resource_allocation|workqueue|rest_client|process)_[a-z_]+")


def check(root):
    document = root / DOCUMENT
    if not document.is_file():
        return [f"{DOCUMENT}: is missing"]
    text = document.read_text()
    metrics = _literals(root.glob("controller/metrics/*.cc"), _METRIC)
    reasons = _literals(root.glob("controller/*/problem.h"), _REASON)
    problems = _compare("metric", metrics, set(re.findall(r"^\| `(\w+)`", _part(text, "metrics"), re.MULTILINE)))
    problems += _compare("Event reason", reasons, set(re.findall(r"`(\w+)`", "\n".join(_column(_part(text, "events"), 3)))))
    # Metrics named elsewhere in the text, for example in the hints on what to look at.
    for name in sorted(set(_SERIES.findall(re.sub(r"dra_claim_controller", "", text))) - metrics):
        problems.append(f"{DOCUMENT}: names the metric {name}, which the code does not have")
    return sorted(set(problems))


def _literals(paths, pattern):
    return {name for path in paths for name in pattern.findall(path.read_text())}


def _part(text, name):
    match = re.search(f"<!-- {name} -->(.*?)<!-- /{name} -->", text, re.DOTALL)
    return match.group(1) if match else ""


def _column(table, number):
    return [row.split("|")[number] for row in table.splitlines() if row.count("|") > number]


def _compare(kind, in_code, in_text):
    return ([f"{DOCUMENT}: lacks the {kind} {name}" for name in sorted(in_code - in_text)] +
            [f"{DOCUMENT}: lists the {kind} {name}, which the code does not have" for name in sorted(in_text - in_code)])


if __name__ == "__main__":
    sys.exit(tree.run(check, "reference"))
