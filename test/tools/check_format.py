#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C++ file of ours is as clang-format 14 leaves it. Given file names, only those are looked at."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import tree

VERSION = 14  # Debian 12's; others format differently
INSTALL = "install it with: apt-get install clang-format (Debian 12), or put clang-format-14 into PATH"


def check(root, files=None):
    program, problem = _program()
    if problem:
        return [problem]
    files = tree.sources(root, "controller", "test") if files is None else files
    if not files:
        return []
    outcome = subprocess.run([program, "--dry-run", "-Werror", "--ferror-limit=1", "--style=file", *map(str, files)],
                             cwd=root, capture_output=True, text=True, check=False)
    if outcome.returncode == 0:
        return []
    wrong = sorted({match.group(1) for match in re.finditer(r"^(.+?):\d+:\d+: error:", outcome.stderr, re.MULTILINE)})
    if not wrong:
        return [f"{program} failed: {outcome.stderr.strip()[:2000]}"]
    names = [os.path.relpath(name, root) for name in wrong]
    return [f"{name}: not formatted; {pathlib.Path(program).name} -i {name}" for name in names]


def _program():
    """(path of clang-format 14, None) or (None, what to do)."""
    found = []
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if not path:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        match = re.search(r"version (\d+)", said)
        if match and int(match.group(1)) == VERSION:
            return path, None
        found.append(f"{path} is version {match.group(1) if match else 'unknown'}")
    return None, f"clang-format {VERSION} is missing{''.join(f' ({text})' for text in found)}; {INSTALL}"


def main():
    files = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or None
    return tree.run(lambda root: check(root, files), "format")


if __name__ == "__main__":
    sys.exit(main())
