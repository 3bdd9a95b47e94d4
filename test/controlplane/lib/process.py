"""Child processes that cannot outlive their parent."""
import ctypes
import os
import pathlib
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
_LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent(parent, signum):
    """The calling process gets this signal when its parent dies (at once when it is dead already)."""
    _LIBC.prctl(PR_SET_PDEATHSIG, int(signum), 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signum)


def adopt_orphans():
    """Descendants whose parent dies become children of the calling process."""
    _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def alive(pid):
    """True when the process exists and is not a zombie."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


class Child:
    """One run of one component."""

    def __init__(self, name, command, log, cwd, keep_stdin=False):
        self.name = name
        self.log = log
        self.started = time.monotonic()
        self.paused = False
        parent = os.getpid()
        with open(log, "ab") as output:
            self._offset = output.tell()
            self._process = subprocess.Popen(
                command, cwd=cwd, stdout=output, stderr=output, close_fds=True,
                stdin=subprocess.PIPE if keep_stdin else subprocess.DEVNULL,
                preexec_fn=lambda: die_with_parent(parent, signal.SIGKILL))

    @property
    def pid(self):
        return self._process.pid

    @property
    def exit_code(self):
        """None while it runs."""
        return self._process.poll()

    def state(self):
        if self.exit_code is None:
            return "paused" if self.paused else "running"
        return f"exited ({self.exit_code})"

    def signal(self, signum):
        if self.exit_code is None:
            self._process.send_signal(signum)

    def pause(self, on):
        self.signal(signal.SIGSTOP if on else signal.SIGCONT)
        self.paused = on

    def kill(self):
        self.signal(signal.SIGKILL)
        self._process.wait()

    def output(self):
        """What this run has printed."""
        with open(self.log, "rb") as file:
            file.seek(self._offset)
            return file.read(1 << 20).decode(errors="replace")

    def last_lines(self, count=12):
        lines = [line[:400] for line in self.output().splitlines() if line.strip()]
        return "\n".join(lines[-count:])
