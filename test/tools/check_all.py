#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every check of the sources."""
import sys
import time

import check_fences
import check_format
import check_layers
import check_reading_order
import check_reference
import check_sizes
import tree

CHECKS = {
    "layers": check_layers.check,
    "fences": check_fences.check,
    "sizes": check_sizes.check,
    "format": check_format.check,
    "reading order": check_reading_order.check,
    "reference": check_reference.check,
}


def main():
    failed = 0
    for name, check in CHECKS.items():
        start = time.monotonic()
        problems = check(tree.ROOT)
        print(f"{name:15} {'FAILED' if problems else 'ok':7} {time.monotonic() - start:5.1f} s", flush=True)
        for problem in problems:
            print(f"    {problem}")
        failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
