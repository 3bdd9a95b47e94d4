"""How commands reach the supervisor of a cluster: one JSON line each way over an abstract unix socket.

The name of the socket follows from the directory of the cluster, and the kernel removes it with its
supervisor; so there is no registry that could go stale. Only the user that started a cluster (and root) is heard.
"""
import hashlib
import json
import os
import pathlib
import socket
import struct

from .errors import Failure

PREFIX = "dra-test-cluster-"


def _address(folder):
    return f"\0{PREFIX}{hashlib.sha256(str(folder).encode()).hexdigest()[:24]}"


def listen(folder):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(_address(folder))
    server.listen(8)
    return server


def _peer_is_me(connection):
    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return uid in (0, os.getuid())


def receive(connection):
    """Reads one JSON line; None when the other side is a stranger or says nothing."""
    if not _peer_is_me(connection):
        return None
    with connection.makefile("r") as stream:
        line = stream.readline(1 << 20)
    return json.loads(line) if line.strip() else None


def send(connection, message):
    connection.sendall(json.dumps(message).encode() + b"\n")


def ask(folder, message, timeout=120):
    """Sends a command to the cluster in this directory and returns its answer."""
    folder = pathlib.Path(folder).absolute()
    folder = folder.resolve() if folder.exists() else folder
    return _ask(_address(folder), message, timeout, str(folder))


def _ask(address, message, timeout, what):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        try:
            connection.connect(address)
        except OSError:
            raise Failure(f"no cluster runs in {what}", "`cluster list` shows the running ones, `cluster up` starts one") from None
        try:
            send(connection, message)
            answer = receive(connection)
        except socket.timeout:
            raise Failure(f"the supervisor of {what} did not answer within {timeout} s",
                          "look at logs/supervisor.log in that directory") from None
        except OSError:
            answer = None
    if answer is None:
        raise Failure(f"the cluster in {what} went down before it answered", "`cluster up` starts another")
    if "error" in answer:
        raise Failure(**answer["error"])
    return answer


def running():
    """The status of every running cluster of this user."""
    found = []
    for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]:
        fields = line.split()
        listening = len(fields) == 8 and fields[3] == "00010000"
        if listening and fields[7].startswith("@" + PREFIX):
            try:
                found.append(_ask("\0" + fields[7][1:], {"command": "status"}, 10, "there"))
            except Failure:
                continue  # somebody else's, or going down right now
    return sorted(found, key=lambda status: status["dir"])
