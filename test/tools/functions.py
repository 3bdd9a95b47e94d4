# SPDX-License-Identifier: Apache-2.0
"""Finds the function definitions of a C++ file by matching braces. No parser: good enough for code in our style."""
import re
import typing

_SCOPE = re.compile(r"(?<![\w.])(namespace|class|struct|union|enum|extern)\b")
_NOT_A_NAME = {"requires", "noexcept", "decltype", "alignas", "explicit", "if", "while", "for", "switch", "catch", "sizeof",
               "REQUIRES", "EXCLUDES", "ACQUIRE", "RELEASE", "GUARDED_BY", "CAPABILITY", "__attribute__"}
_OPEN, _CLOSE = "([{", ")]}"


class Function(typing.NamedTuple):
    name: str
    line: int        # of the name
    lines: int       # from the name to the closing brace
    parameters: int


def find(code):
    """Function definitions in `code` (without comments and literals: tree.code_of), in order."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), code, flags=re.MULTILINE)
    found, start, i = [], 0, 0   # start: of the head that may end in a brace
    while i < len(code):
        char = code[i]
        if char in ";}":
            start = i + 1
        elif char in "([":
            i = _matching(code, i)
        elif char == ":" and re.search(r"\b(public|private|protected)\s*$", code[start:i]):
            start = i + 1
        elif char == "{":
            head, end = code[start:i], _matching(code, i)
            kind = _kind(head)
            function = _function(code, start, head, end) if kind == "function" else None
            if function:
                found.append(function)
                start = end + 1
            if kind != "scope":
                i = end      # the body of a function, or an initializer: start stays, the head may go on
            else:
                start = i + 1
        i += 1
    return found


def _matching(code, i):
    """Index of the bracket that closes the one at `i` (the end of the text if there is none)."""
    depth = 0
    for j in range(i, len(code)):
        if code[j] in _OPEN:
            depth += 1
        elif code[j] in _CLOSE:
            depth -= 1
            if depth == 0:
                return j
    return len(code) - 1


def _kind(head):
    """What the brace behind `head` opens: a scope, a function, or an initializer."""
    flat = _flat(_without_template(head))
    if _SCOPE.match(flat.strip()) and "=" not in flat:
        # "struct Point Make() {" is a function; "class CAPABILITY() Mutex {" is not.
        return "function" if re.search(r"\)\s*(const|noexcept|override|final|\s)*$", flat) else "scope"
    if "(" not in flat or re.search(r"(?<![=!<>])=(?![=])", flat.replace("operator=", "")):
        return "initializer"
    colon = re.search(r"\)[^():]*(?<!:):(?!:)", flat)
    if colon and not flat.rstrip().endswith((")", "}")):
        return "initializer"  # of a member, in the list of a constructor
    return "function"


def _function(code, start, head, end):
    flat = _without_template(head)
    offset = len(head) - len(flat)
    for match in re.finditer(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+)|~?[A-Za-z_]\w*)\s*\(", flat):
        if match.group(1) in _NOT_A_NAME or _depth(flat, match.start()) > 0:
            continue
        close = _matching(flat, match.end() - 1)
        first = code.count("\n", 0, start + offset + match.start()) + 1
        lines = code.count("\n", 0, end) + 2 - first
        return Function(match.group(1), first, lines, _count(flat[match.end():close]))
    return None  # a member with annotations: "int size_ GUARDED_BY(mutex_){0};"


def _without_template(head):
    """`head` without leading template<...>, requires(...) and attributes; only the front is cut."""
    while True:
        match = re.match(r"\s*(template\s*(?=<)|requires\s*(?=\()|\[\[[^\]]*\]\]\s*)", head)
        if not match:
            return head
        i = match.end()
        if i < len(head) and head[i] == "<":
            depth = 0
            while i < len(head):
                depth += {"<": 1, ">": -1}.get(head[i], 0)
                i += 1
                if depth == 0:
                    break
        elif i < len(head) and head[i] == "(":
            i = _matching(head, i) + 1
        head = head[i:]


def _flat(text):
    """`text` with the contents of brackets removed: "f(int a) : b_(c)" becomes "f() : b_()"."""
    out, depth = [], 0
    for char in text:
        if char in _CLOSE:
            depth -= 1
        if depth <= 0:
            out.append(char)
        if char in _OPEN:
            depth += 1
    return "".join(out)


def _depth(text, i):
    return sum(text.count(c, 0, i) for c in _OPEN) - sum(text.count(c, 0, i) for c in _CLOSE)


def _count(parameters):
    """Parameters between two parentheses; commas inside of other brackets do not count."""
    if parameters.strip() in ("", "void"):
        return 0
    depth, commas = 0, 0
    for i, char in enumerate(parameters):
        if char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and parameters[i - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            commas += 1
    return commas + 1
