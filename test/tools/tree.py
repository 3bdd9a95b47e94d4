# SPDX-License-Identifier: Apache-2.0
"""What the checks have in common: our C++ files, their text without comments and literals, their includes."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'                                # comments
    r'|(?<![A-Za-z0-9_])(?:u8|u|U|L)?R"([^()\\\s]*)\(.*?\)\1"'  # raw strings
    r'|"(?:\\.|[^"\\\n])*"'                              # strings
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",            # characters, but not the digit separators of 1'000
    re.DOTALL)
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def sources(root, *folders):
    """The .h and .cc files below the given folders of `root`, sorted."""
    found = []
    for folder in folders:
        found += [path for path in (root / folder).rglob("*") if path.suffix in (".h", ".cc") and path.is_file()]
    return sorted(found)


def code_of(text):
    """`text` with comments removed and literals emptied; every line keeps its number."""
    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return "\n" * token.count("\n") or " "
        quote = "'" if token.endswith("'") else '"'
        return quote + "\n" * token.count("\n") + quote
    return _TOKEN.sub(blank, text)


def includes(text):
    """(line, quoted, name) of each include, but not of those in comments."""
    # Names of quoted includes look like strings, so only comments may go.
    without = _TOKEN.sub(lambda m: "\n" * m.group(0).count("\n") if m.group(0).startswith("/") else m.group(0), text)
    return [(without.count("\n", 0, m.start(1)) + 1, m.group(1) == '"', m.group(2)) for m in _INCLUDE.finditer(without)]


def relative(path, root):
    return path.relative_to(root).as_posix()


def run(check, title):
    """Body of main() of every check: prints the offenders; 1 if there are any."""
    problems = check(ROOT)
    for problem in problems:
        print(problem)
    print(f"{title}: {'ok' if not problems else f'{len(problems)} problem(s)'}")
    return 1 if problems else 0
