"""Ports on 127.0.0.1 that stay ours while a server is stopped and started again.

They are taken from below the range of ephemeral ports (no outgoing connection ever gets one), and each is
reserved against other clusters by an abstract socket name, which the kernel frees when its holder dies.
"""
import errno
import random
import socket

from .errors import Failure

FIRST, LAST = 12000, 31999


class Ports:
    def __init__(self):
        self._held = {}

    def get(self, name):
        """The port of this name; the same one at every call."""
        if name not in self._held:
            self._held[name] = self._reserve()
        return self._held[name][0]

    def release_all(self):
        for _, reservation in self._held.values():
            reservation.close()
        self._held.clear()

    @staticmethod
    def _reserve():
        for _ in range(500):
            port = random.randint(FIRST, LAST)
            reservation = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                reservation.bind(f"\0dra-test-port-{port}")
            except OSError as error:
                reservation.close()
                if error.errno != errno.EADDRINUSE:
                    raise
                continue
            if _free(port):
                return port, reservation
            reservation.close()
        raise Failure(f"no free port between {FIRST} and {LAST} on 127.0.0.1",
                      "see what listens (`ss -ltnp`) and which clusters run (`cluster list`)")


def _free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
