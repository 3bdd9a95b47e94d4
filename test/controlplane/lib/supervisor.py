"""The process that owns the processes of one cluster.

    up --fork--> janitor --fork--> supervisor --fork--> etcd, kube-apiserver, ...

The kernel kills the components when the supervisor dies; the janitor inherits what is left, waits until the last
one is gone and deletes the directory. When the janitor dies, the supervisor is told to take everything down.
"""
import json
import os
import pathlib
import selectors
import shutil
import signal
import socket
import sys
import time
import traceback

from . import components, control
from .errors import Failure, Shutdown, StartFailed
from .ports import Ports
from .process import Child, adopt_orphans, alive, die_with_parent

START_SECONDS = 90
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Supervisor:
    def __init__(self, spec, folder, report):
        self.spec = spec
        self.folder = folder
        self.ports = Ports()
        self.cluster = components.Cluster(spec, folder, self.ports)
        self.children = {}
        self._report = report  # pipe to `up`
        self._stop = False
        self._selector = selectors.DefaultSelector()

    # -- life ---------------------------------------------------------------------------------------------------------

    def run(self):
        self._watch_signals()
        try:
            self._watch_owner()
            with control.listen(self.folder) as server:
                self._boot()
                self._tell_up(self.status())
                self._selector.register(server, selectors.EVENT_READ, "control")
                self._serve(server)
        except Failure as failure:
            self._kill_all()
            self._tell_up({"error": failure.as_dict()})
        except Shutdown:
            pass
        finally:
            self._take_down()

    def _watch_signals(self):
        receiver, sender = socket.socketpair()
        receiver.setblocking(False)
        sender.setblocking(False)
        self._wakeup = (receiver, sender)
        signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        for signum in STOP_SIGNALS:
            signal.signal(signum, self._on_stop)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(receiver, selectors.EVENT_READ, "signal")

    def _on_stop(self, *_):
        self._stop = True

    def _watch_owner(self):
        owner = self.spec["owner_pid"]
        if owner is None:
            return
        try:
            self._owner = os.pidfd_open(owner)
        except ProcessLookupError:
            raise Failure(f"the owner, process {owner}, does not exist", "pass the pid of a running process to --owner-pid") from None
        self._selector.register(self._owner, selectors.EVENT_READ, "owner")

    def _tell_up(self, message):
        try:
            os.write(self._report, json.dumps(message).encode())
            os.close(self._report)
        except BrokenPipeError:  # `up` was killed: nobody knows this cluster
            raise Shutdown() from None

    def _pump(self, timeout, serving=False):
        """Waits for something to happen; raises Shutdown when the cluster has to go."""
        asked = False
        for key, _ in self._selector.select(timeout):
            if key.data == "owner":
                raise Shutdown()
            if key.data == "signal":
                self._wakeup[0].recv(4096)
            asked |= key.data == "control"
        if self._stop:
            raise Shutdown()
        if asked and not serving:
            time.sleep(0.02)  # another command waits until this one is done
        return asked

    # -- starting -----------------------------------------------------------------------------------------------------

    def _boot(self):
        wanted = [*components.ALWAYS, *self.spec["components"]]
        for last_try in (False, False, True):
            try:
                self.cluster.prepare()
                for name in components.ALWAYS:
                    self._start(name)
                self._start(*wanted[len(components.ALWAYS):])
                return
            except StartFailed as failure:
                if last_try or not failure.port_lost:
                    raise
                self._kill_all()
                self.ports.release_all()
                shutil.rmtree(self.folder / "etcd", ignore_errors=True)

    def _start(self, *names):
        for name in names:
            self.children[name] = Child(name, self.cluster.command(name), self.folder / "logs" / f"{name}.log", self.folder,
                                        keep_stdin=name == "proxy")
        for name in names:
            self._await_ready(name)

    def _await_ready(self, name):
        child, program = self.children[name], components.PROGRAM[name]
        while True:
            if child.exit_code is not None:
                raise StartFailed(f"{program} ({name}) exited with status {child.exit_code} while it started",
                                  "its last lines are above; correct the arguments that `up` was given", child.last_lines())
            if name == "proxy" and not self.cluster.proxy_urls:
                self._read_proxy_urls(child)
            if self.cluster.ready(name):
                return
            if time.monotonic() - child.started > START_SECONDS:
                raise StartFailed(f"{program} ({name}) was not ready after {START_SECONDS} s",
                                  "its last lines are above; is the machine overloaded?", child.last_lines())
            self._pump(0.05)

    def _read_proxy_urls(self, child):
        line = child.output().partition("\n")
        if line[1]:
            said = json.loads(line[0])
            self.cluster.proxy_urls = {"url": f"https://127.0.0.1:{said['port']}",
                                       "control": f"http://127.0.0.1:{said['controlPort']}"}

    # -- commands -----------------------------------------------------------------------------------------------------

    def _serve(self, server):
        while True:
            if self._pump(None, serving=True):
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(5)
                    self._answer(connection)

    def _answer(self, connection):
        try:
            request = control.receive(connection)
        except (OSError, ValueError):
            return
        if request is None:
            return
        if request["command"] == "down":
            self.spec["keep_logs"] = request.get("keep_logs") or self.spec["keep_logs"]
            answer = self.status()
            self._kill_all()
            self._reply(connection, answer)
            raise Shutdown()
        try:
            self._reply(connection, self._execute(request["command"], request))
        except Failure as failure:
            self._reply(connection, {"error": failure.as_dict()})

    @staticmethod
    def _reply(connection, message):
        try:
            control.send(connection, message)
        except OSError:
            pass  # who asked did not wait for the answer

    def _execute(self, command, request):
        if command == "status":
            return self.status()
        name = request["component"]
        child = self.children.get(name)
        running = child is not None and child.exit_code is None
        if command == "start" and running:
            raise Failure(f"{name} runs already (pid {child.pid})", "use restart")
        if command in ("stop", "pause", "resume") and not running:
            raise Failure(f"{name} does not run", f"start it with: cluster start --dir {self.folder} {name}")
        if command in ("pause", "resume"):
            child.pause(command == "pause")
        if command in ("stop", "restart") and running:
            self._stop_child(child, request["grace"])
        if command in ("start", "restart"):
            self._start(name)
        return self.status()

    def _stop_child(self, child, grace):
        """SIGTERM, then SIGKILL (an API server with open watches does not end by itself)."""
        child.pause(False)
        if grace > 0:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + grace
        while child.exit_code is None and time.monotonic() < deadline:
            self._pump(0.02)
        child.kill()

    def status(self):
        states = {name: {"state": child.state(), "pid": child.pid if child.exit_code is None else None,
                         "port": self.ports.get(name), "log": str(child.log)} for name, child in self.children.items()}
        return {**self.cluster.info(), "supervisor": os.getpid(), "janitor": os.getppid(),
                "owner": self.spec["owner_pid"], "components": states}

    # -- the end ------------------------------------------------------------------------------------------------------

    def _kill_all(self):
        for child in self.children.values():
            child.signal(signal.SIGKILL)
        for child in self.children.values():
            child.kill()

    def _take_down(self):
        self._kill_all()
        if self.spec["keep_logs"]:
            shutil.copytree(self.folder / "logs", self.spec["keep_logs"], dirs_exist_ok=True)
        remove(self.folder)


def remove(folder):
    """Deletes a cluster's directory, even while a dying process still writes into it."""
    for _ in range(50):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)


def launch(spec, folder):
    """Starts janitor and supervisor. Returns (pipe with the report, pid of the janitor)."""
    (folder / "logs").mkdir()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _janitor(spec, folder, writer)
    os.close(writer)
    return reader, pid


def _janitor(spec, folder, report):
    """Never returns."""
    os.setsid()
    os.chdir("/")
    _detach(folder / "logs" / "supervisor.log", report)
    adopt_orphans()
    janitor = os.getpid()
    (folder / "janitor.pid").write_text(str(janitor))
    for signum in STOP_SIGNALS:
        signal.signal(signum, signal.SIG_IGN)
    supervisor = os.fork()
    if supervisor == 0:
        _become_supervisor(spec, folder, report, janitor)
    os.close(report)
    for signum in STOP_SIGNALS:
        signal.signal(signum, lambda *_: _pass_on(supervisor))
    _wait_for_all()
    remove(folder)
    os._exit(0)


def _pass_on(supervisor):
    try:
        os.kill(supervisor, signal.SIGTERM)
    except ProcessLookupError:
        pass  # it is going already


def _wait_for_all():
    """Waits until no descendant is left; the kernel hands over those whose parent died."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def _become_supervisor(spec, folder, report, janitor):
    code = 1
    for signum in STOP_SIGNALS:
        signal.signal(signum, signal.SIG_DFL)
    try:
        die_with_parent(janitor, signal.SIGTERM)
        Supervisor(spec, folder, report).run()
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    os._exit(code)


def _detach(log, keep):
    """Lets go of every file and pipe of the caller but the report."""
    sys.stdout.flush()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != keep:
            try:
                os.close(int(name))
            except OSError:
                pass


def prune(root):
    """Deletes directories whose supervisor and janitor were both killed."""
    for folder in pathlib.Path(root).glob("cluster-*"):
        marker = folder / "janitor.pid"
        if marker.exists() and not alive(int(marker.read_text() or 0)):
            remove(folder)
