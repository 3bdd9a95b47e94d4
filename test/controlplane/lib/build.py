"""Builds the programs of the control plane into the cache, once per version of their sources."""
import collections
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from . import layout, toolchain
from .errors import Failure

PROGRESS_SECONDS = 8
COMPONENTS = "k8s.io/kubernetes/cmd/"
KUBERNETES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": COMPONENTS + "kube-apiserver",
    "kube-scheduler": COMPONENTS + "kube-scheduler",
    "kube-controller-manager": COMPONENTS + "kube-controller-manager",
    "kubectl": COMPONENTS + "kubectl",
}


class Target:
    """One Go module and the programs that are built from it."""

    def __init__(self, label, folder, programs, ldflags="", hashed=("go.mod", "go.sum"), note=""):
        self.label = label
        self.folder = folder
        self.programs = programs
        self.ldflags = "-s -w " + ldflags
        self.note = note
        digest = hashlib.sha256(repr((self.ldflags, sorted(programs.items()))).encode())
        for path in sorted({path for pattern in hashed for path in folder.glob(pattern)}):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        self.key = f"{label.replace(' ', '-')}-{digest.hexdigest()[:12]}"

    @property
    def output(self):
        return layout.cache() / "bin" / self.key

    def built(self):
        return all((self.output / name).is_file() for name in self.programs)


def targets(version):
    stamp = "k8s.io/component-base/version."
    major, minor = version.split(".")[:2]
    ldflags = f"-X {stamp}gitVersion=v{version} -X {stamp}gitMajor={major} -X {stamp}gitMinor={minor}"
    return [
        Target(f"kubernetes {version}", layout.kubernetes_module(version), KUBERNETES, ldflags,
               note="first time: about 7 minutes on 2 cores"),
        Target("kwok", layout.CONTROLPLANE / "kwok", {"kwok": "sigs.k8s.io/kwok/cmd/kwok"},
               note="first time: about 2 minutes on 2 cores"),
        Target("fault-proxy", layout.PROXY_SOURCES, {"fault-proxy": "."}, hashed=("go.mod", "*.go")),
    ]


def programs(version):
    """Paths of all built programs by name; fails when something is not built."""
    found = {}
    for target in targets(version):
        if not target.built():
            raise Failure(f"{target.label} is not built (or its sources changed since)",
                          f"{layout.CONTROLPLANE / 'cluster'} build --version {version}")
        found.update({name: str(target.output / name) for name in target.programs})
    return found


def say(text):
    print(text, file=sys.stderr, flush=True)


def build(version):
    """Builds whatever is missing for this version. Returns the paths of the programs."""
    for target in targets(version):
        if target.built():
            continue
        with _lock(target):
            if not target.built():
                _build(target)
    return programs(version)


@contextlib.contextmanager
def _lock(target):
    folder = layout.cache() / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f".{target.key}.lock", "w") as lock:
        started = time.monotonic()
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                say(f"{target.label}: another build of it is running; waiting ({_elapsed(started)})")
                time.sleep(PROGRESS_SECONDS)
        yield


def _build(target):
    go = toolchain.find(toolchain.needed(target.folder / "go.mod"), say)
    for leftover in target.output.parent.glob(f".{target.key}.tmp-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    staging = pathlib.Path(tempfile.mkdtemp(prefix=f".{target.key}.tmp-", dir=target.output.parent))
    started = time.monotonic()
    say(f"{target.label}: building {', '.join(target.programs)}" + (f" ({target.note})" if target.note else ""))
    try:
        _go_build(go, target, staging, started)
        staging.chmod(0o755)
        shutil.rmtree(target.output, ignore_errors=True)  # only ever an incomplete one
        staging.rename(target.output)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    say(f"{target.label}: built in {_elapsed(started)}")


def _go_build(go, target, staging, started):
    """Compiles everything with one `go build`, so that shared packages are compiled side by side."""
    command = [go, "build", "-v", "-trimpath", "-mod=readonly", "-buildvcs=false", "-ldflags", target.ldflags,
               "-o", f"{staging}/", *target.programs.values()]
    env = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    process = subprocess.Popen(command, cwd=target.folder, env=env, text=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, preexec_fn=lambda: os.nice(5))
    count, tail = [0], collections.deque(maxlen=15)
    reader = threading.Thread(target=_read_packages, args=(process.stderr, count, tail), daemon=True)
    reader.start()
    try:
        while _wait(process, PROGRESS_SECONDS) is None:
            say(f"{target.label}: {count[0]} packages compiled, {_elapsed(started)}")
    except BaseException:
        process.kill()
        raise
    reader.join()
    if process.returncode:
        raise Failure(f"`go build` of {target.label} failed with status {process.returncode}",
                      "read the lines above; when a module could not be fetched, check `go env GOPROXY` and run it again",
                      "\n".join(tail))
    _rename_outputs(target, staging)


def _wait(process, seconds):
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _read_packages(stream, count, tail):
    for line in stream:
        tail.append(line.rstrip())
        count[0] += not line.startswith(("go: ", "#", "\t", " "))


def _rename_outputs(target, staging):
    """`go build` names a program after the last element of its package (not counting v3)."""
    for name, package in target.programs.items():
        parts = [part for part in package.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
        made = staging / (parts[-1] if parts[-1] != "." else name)
        if made.name != name:
            made.rename(staging / name)


def _elapsed(started):
    seconds = int(time.monotonic() - started)
    return f"{seconds // 60} min {seconds % 60:02d} s" if seconds >= 60 else f"{seconds} s"
