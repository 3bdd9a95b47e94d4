"""The processes of a cluster: their command lines and how to see that they are ready."""
import json
import secrets

from . import api, kubeconfig, layout, pki
from .errors import Failure

ALWAYS = ("etcd", "apiserver")
OPTIONAL = ("scheduler", "kwok", "gc", "peer", "peer-unthrottled", "proxy")
DEFAULT = "scheduler,kwok,gc"
PROGRAM = {"etcd": "etcd", "apiserver": "kube-apiserver", "scheduler": "kube-scheduler", "kwok": "kwok",
           "gc": "kube-controller-manager", "peer": "kube-controller-manager",
           "peer-unthrottled": "kube-controller-manager", "proxy": "fault-proxy"}
GC_CONTROLLERS = "garbage-collector-controller,namespace-controller,node-lifecycle-controller"
PEER_CONTROLLERS = "resourceclaim-controller,device-taint-eviction-controller"


def parse_list(text):
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in OPTIONAL + ALWAYS:
            raise Failure(f"'{name}' is no component", f"use a list of: {', '.join(OPTIONAL)} (etcd and apiserver always run)")
    if "peer" in names and "peer-unthrottled" in names:
        raise Failure("peer and peer-unthrottled would do the same work twice", "choose one of them")
    return [name for name in OPTIONAL if name in names]


class Cluster:
    """Files, ports and command lines of one cluster; no processes (see supervisor.py)."""

    def __init__(self, spec, folder, ports):
        self.spec = spec  # what `up` was asked for: version, programs, components, extra arguments
        self.folder = folder
        self.ports = ports
        self.token = secrets.token_hex(16)
        self.proxy_urls = None
        self.pki = folder / "pki"
        self.kubeconfig = folder / "admin.kubeconfig"

    def prepare(self):
        """Makes keys, tokens and configuration files (ports are known by now)."""
        if not self.pki.exists():
            pki.create(self.pki)
        kubeconfig.write_private(self.folder / "tokens.csv", f'{self.token},admin,admin,"system:masters"\n')
        kubeconfig.write(self.kubeconfig, self.url, self.ca, "admin", f"token: {self.token}")
        scheduler = _merge(self._scheduler_config(), self.spec["scheduler_config"] or {})
        (self.folder / "scheduler.json").write_text(json.dumps(scheduler, indent=1))

    @property
    def url(self):
        return f"https://127.0.0.1:{self.ports.get('apiserver')}"

    @property
    def ca(self):
        return str(self.pki / "ca.crt")

    def info(self):
        """What `up --json` and `status --json` show, but for the processes."""
        return {
            "dir": str(self.folder), "version": self.spec["version"], "kubeconfig": str(self.kubeconfig), "token": self.token,
            "apiserver": {"url": self.url, "port": self.ports.get("apiserver"), "ca": self.ca,
                          "cert": str(self.pki / "apiserver.crt"), "key": str(self.pki / "apiserver.key")},
            "admin_client": {"cert": str(self.pki / "admin.crt"), "key": str(self.pki / "admin.key")},
            "etcd": {"url": self._etcd_url()}, "proxy": self.proxy_urls, "kubectl": self.spec["programs"]["kubectl"],
        }

    def command(self, name):
        builder = {"etcd": self._etcd, "apiserver": self._apiserver, "scheduler": self._scheduler, "kwok": self._kwok,
                   "gc": self._gc, "peer": self._peer, "peer-unthrottled": self._peer, "proxy": self._proxy}[name]
        return [self.spec["programs"][PROGRAM[name]], *builder(name)]

    def ready(self, name):
        port = self.ports.get(name)
        if name == "etcd":
            return api.healthy(f"http://127.0.0.1:{port}/health")
        if name == "apiserver":
            return api.healthy(f"{self.url}/readyz", self.ca, self.token)
        if name == "kwok":
            return api.healthy(f"http://127.0.0.1:{port}/healthz")
        if name == "proxy":
            return bool(self.proxy_urls) and api.healthy(f"{self.proxy_urls['control']}/healthz")
        return api.healthy(f"https://127.0.0.1:{port}/healthz", self.ca)

    # -- command lines ------------------------------------------------------------------------------------------------

    def _etcd_url(self, name="etcd"):
        return f"http://127.0.0.1:{self.ports.get(name)}"

    def _etcd(self, _):
        client, peer = self._etcd_url(), self._etcd_url("etcd-peer")
        return ["--name=default", f"--data-dir={self.folder / 'etcd'}", "--unsafe-no-fsync", "--log-level=warn",
                f"--listen-client-urls={client}", f"--advertise-client-urls={client}", f"--listen-peer-urls={peer}",
                f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}",
                "--quota-backend-bytes=8000000000", "--auto-compaction-mode=periodic", "--auto-compaction-retention=5m"]

    def _apiserver(self, name):
        return [f"--etcd-servers={self._etcd_url()}", "--bind-address=127.0.0.1", f"--secure-port={self.ports.get(name)}",
                "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none", *self._serving(),
                f"--client-ca-file={self.ca}", f"--token-auth-file={self.folder / 'tokens.csv'}",
                "--authorization-mode=Node,RBAC", "--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true",
                "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={self.pki / 'sa.pub'}",
                f"--service-account-signing-key-file={self.pki / 'sa.key'}", "--disable-admission-plugins=ServiceAccount",
                *self._gates(), *self.spec["apiserver_args"]]

    def _scheduler_config(self):
        return {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                "leaderElection": {"leaderElect": False},
                "clientConnection": {"kubeconfig": str(self.kubeconfig), "qps": 1000, "burst": 2000}}

    def _scheduler(self, name):
        return [f"--config={self.folder / 'scheduler.json'}", *self._secured(name), *self._gates(), *self.spec["scheduler_args"]]

    def _kwok(self, name):
        stages = [f"--config={path}" for path in sorted(layout.STAGES.glob("*.yaml"))]
        return [f"--kubeconfig={self.kubeconfig}", "--manage-all-nodes=true", "--node-ip=127.0.0.1",
                f"--server-address=127.0.0.1:{self.ports.get(name)}", *stages]

    def _gc(self, name):
        return [f"--controllers={GC_CONTROLLERS}", "--kube-api-qps=500", "--kube-api-burst=1000", *self._manager(name)]

    def _peer(self, name):
        fast = ["--kube-api-qps=2000", "--kube-api-burst=4000"] if name == "peer-unthrottled" else []
        return [f"--controllers={PEER_CONTROLLERS}", *fast, *self._manager(name), *self.spec["peer_args"]]

    def _manager(self, name):
        return [f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", *self._secured(name), *self._gates(),
                *self.spec["kcm_args"]]

    def _proxy(self, _):
        return [f"-upstream={self.url}", f"-ca={self.ca}", f"-cert={self.pki / 'apiserver.crt'}",
                f"-key={self.pki / 'apiserver.key'}", f"-listen=127.0.0.1:{self.ports.get('proxy')}",
                f"-control=127.0.0.1:{self.ports.get('proxy-control')}"]

    def _serving(self):
        return [f"--tls-cert-file={self.pki / 'apiserver.crt'}", f"--tls-private-key-file={self.pki / 'apiserver.key'}"]

    def _secured(self, name):
        """The endpoint of scheduler and controller manager: healthz for everybody, the rest for who may."""
        return ["--bind-address=127.0.0.1", f"--secure-port={self.ports.get(name)}", *self._serving(),
                f"--authentication-kubeconfig={self.kubeconfig}", f"--authorization-kubeconfig={self.kubeconfig}"]

    def _gates(self):
        return [f"--feature-gates={self.spec['feature_gates']}"] if self.spec["feature_gates"] else []


def _merge(base, extra):
    """Lays one JSON object over another; lists and plain values are replaced."""
    merged = dict(base)
    for key, value in extra.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merge(merged[key], value) if both else value
    return merged
