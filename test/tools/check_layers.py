#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An include in controller/ may only go down: to its own folder or to a lower layer, never up or sideways."""
import sys

import tree

# Folders of one rank are siblings and do not know each other; what two of them need moves down.
RANKS = {"base": 0, "api": 1, "metrics": 1, "kube": 2, "queue": 2, "cache": 3, "runtime": 4,
         "claims": 5, "taints": 5, "binding": 5, "health": 5, "diagnostics": 5, "app": 6}


def check(root):
    problems = []
    for path in tree.sources(root, "controller"):
        parts = path.relative_to(root / "controller").parts
        name = tree.relative(path, root)
        if len(parts) > 1 and parts[0] not in RANKS:
            problems.append(f"{name}: the folder {parts[0]}/ has no rank in test/tools/check_layers.py")
            continue
        for line, quoted, target in tree.includes(path.read_text()):
            problem = _problem(root, parts, target) if quoted else None
            if problem:
                problems.append(f"{name}:{line}: \"{target}\": {problem}")
    return problems


def _problem(root, parts, target):
    """What is wrong with the include of `target` in the file controller/<parts>, or None."""
    if not (root / "controller" / target).is_file():
        return "no such file in controller/ (includes are written from there; tests and third-party code have no place here)"
    if len(parts) == 1:  # main.cc stands above all layers
        return None
    own, other = parts[0], target.split("/")[0]
    if other == own:
        return None
    if other not in RANKS:
        return "is not in a layer"
    if RANKS[other] > RANKS[own]:
        return f"upward include ({own} is below {other})"
    if RANKS[other] == RANKS[own]:
        return f"sideways include ({own} and {other} are siblings)"
    return None


if __name__ == "__main__":
    sys.exit(tree.run(check, "layers"))
