#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Third-party libraries stay where they are wrapped, and what we have a replacement for is not used directly.

A library is behind its fence only if no file outside can see its headers, so includes are followed through our own headers.
"""
import re
import sys

import tree

# Library: (how its includes begin, where they may be seen: files or folders that end with a slash).
LIBRARIES = {
    "cpprest": (("cpprest/", "pplx/"), ("controller/kube/",)),
    "nlohmann": (("nlohmann/",), ("controller/api/", "test/")),
    "simdjson": (("simdjson",), ("controller/api/",)),
    "prometheus-cpp": (("prometheus/",), ("controller/metrics/", "test/unit/metrics/")),
    "spdlog": (("spdlog/",), ("controller/base/log.cc",)),
    "CLI11": (("CLI/",), ("controller/app/",)),
    "yaml-cpp": (("yaml-cpp/",), ("controller/kube/", "controller/app/", "test/")),
}
# Libraries that one single .cc file may include.
SINGLE = ("cpprest",)

# (pattern, what to use, files that may). The pattern is matched against code without comments and strings.
WORDS = (
    (r"\bsleep_for\b|\bsleep_until\b|\busleep\s*\(|\bnanosleep\s*\(", "wait with Clock and a stop_token",
     ("test/support/", "test/unit/kube/", "test/integration/")),  # real sockets and servers have real time
    (r"\b(system|steady|high_resolution)_clock::now\b", "ask Clock",
     ("controller/base/clock.cc", "test/")),
    (r"\brecursive_(timed_)?mutex\b", "restructure: the lock order is the layer order", ()),
    (r"\bthread_local\b", "pass the state", ()),
    (r"\batomic\s*<\s*(std::)?shared_ptr\b|\batomic_(load|store)\s*\(", "use Mutex (gcc 12's atomic shared_ptr races under TSan)", ()),
    (r"\bstd::(mutex|shared_mutex|timed_mutex)\b", "use Mutex of base/mutex.h, which clang can check",
     ("controller/base/mutex.h", "test/")),
    (r"\bstd::thread\b(?!::)|\.detach\s*\(", "own a std::jthread", ("test/",)),
    (r"\bstd::async\b", "own a std::jthread", ()),
)


def check(root):
    files = tree.sources(root, "controller", "test")
    problems = _check_libraries(root, files)
    for path in files:
        problems += _check_words(tree.relative(path, root), tree.code_of(path.read_text()))
    return problems


def _allowed(name, places):
    return any(name == place or (place.endswith("/") and name.startswith(place)) for place in places)


def _check_libraries(root, files):
    direct = {path: [(line, target) for line, _, target in tree.includes(path.read_text())] for path in files}
    graph = {path: _own_headers(root, path, direct) for path in files}
    problems = []
    for library, (prefixes, places) in LIBRARIES.items():
        users = {path: line for path, found in direct.items() for line, target in found if target.startswith(prefixes)}
        for path, line in users.items():
            if not _allowed(tree.relative(path, root), places):
                problems.append(f"{tree.relative(path, root)}:{line}: {library} belongs to {' and '.join(places)} only")
        problems += _leaks(root, library, places, graph, users)
        if library in SINGLE and (len(users) > 1 or any(path.suffix == ".h" for path in users)):
            names = ", ".join(tree.relative(path, root) for path in users)
            problems.append(f"{names}: {library} may be included by one .cc file only")
    return problems


def _own_headers(root, path, direct):
    """The files of ours that `path` includes, found as the compiler finds them."""
    candidates = (base / target for _, target in direct[path] for base in (root / "controller", root / "test", path.parent))
    return [header for header in candidates if header in direct]


def _leaks(root, library, places, graph, users):
    """Files outside the fence that see the library through a header of ours."""
    problems = []
    for path in graph:
        if path in users or _allowed(tree.relative(path, root), places):
            continue
        chain = _chain(path, graph, users)
        if chain:
            names = " -> ".join(tree.relative(header, root) for header in chain)
            problems.append(f"{tree.relative(path, root)}: sees {library} through {names}")
    return problems


def _chain(start, graph, users):
    """The headers that lead from `start` to a user of the library, or None."""
    seen, stack = {start}, [(start, ())]
    while stack:
        path, chain = stack.pop()
        for header in graph[path]:
            if header in seen:
                continue
            if header in users:
                return chain + (header,)
            seen.add(header)
            stack.append((header, chain + (header,)))
    return None


def _check_words(name, code):
    problems = []
    for pattern, instead, places in WORDS:
        if _allowed(name, places):
            continue
        for match in re.finditer(pattern, code):
            line = code.count("\n", 0, match.start()) + 1
            problems.append(f"{name}:{line}: {match.group(0).strip()}: {instead}")
    return problems


if __name__ == "__main__":
    sys.exit(tree.run(check, "fences"))
