# SPDX-License-Identifier: Apache-2.0
"""A real control plane and the real controller for scenarios: one cluster per script, one namespace per test.

The controller runs with the ServiceAccount and RBAC of manifests/, by token, never as an administrator. While a test
runs, a poller checks the invariants that no moment may break; it sees states about every 50 ms, not every version.
"""
import argparse
import http.client
import itertools
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLUSTER = str(ROOT / "test" / "controlplane" / "cluster")
FINALIZER = "resource.kubernetes.io/delete-protection"
ENTRY = "resource.kubernetes.io/pod-claim-name"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims"
TEMPLATES = "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaimtemplates"
PODS = "/api/v1/namespaces/{ns}/pods"


class Api:
    """The API server, as its administrator. A connection per thread."""

    def __init__(self, kubeconfig):
        text = pathlib.Path(kubeconfig).read_text()
        self.host, port = re.search(r"server: https://([\d.]+):(\d+)", text).groups()
        self.port = int(port)
        self.token = re.search(r"token: (\S+)", text).group(1)
        self.tls = ssl.create_default_context(cafile=re.search(r"certificate-authority: (\S+)", text).group(1))
        self.local = threading.local()

    def call(self, method, path, body=None, kind="application/json"):
        """(status, object)."""
        for attempt in (1, 2):
            connection = getattr(self.local, "connection", None)
            if connection is None:
                connection = http.client.HTTPSConnection(self.host, self.port, context=self.tls, timeout=30)
                self.local.connection = connection
            try:
                connection.request(method, path, json.dumps(body) if body is not None else None,
                                   {"Authorization": f"Bearer {self.token}", "Content-Type": kind, "User-Agent": "test"})
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read() or b"{}")
            except (OSError, http.client.HTTPException):
                connection.close()
                self.local.connection = None
                if attempt == 2:
                    raise

    def must(self, method, path, body=None, kind="application/json"):
        status, answer = self.call(method, path, body, kind)
        if status >= 300:
            raise AssertionError(f"{method} {path}: {status} {answer.get('message')}")
        return answer

    def merge(self, path, patch):
        return self.must("PATCH", path, patch, "application/merge-patch+json")

    def items(self, path):
        return self.must("GET", path)["items"]


class Controller:
    """The program under test."""

    def __init__(self, binary, kubeconfig, log):
        self.binary, self.kubeconfig, self.log = binary, kubeconfig, log
        self.process = None

    def start(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [self.binary, "run", f"--kubeconfig={self.kubeconfig}", "--lifecycle=serve", "--leader-elect=false",
             f"--metrics-bind-address=127.0.0.1:{self.port}", "-v", "4"],
            stdout=open(self.log, "a"), stderr=subprocess.STDOUT)
        wait_for("the controller is ready", lambda: self.get("/readyz")[0] == 200, 20)

    def stop(self, kill=False):
        if self.process is None:
            return
        self.process.kill() if kill else self.process.terminate()
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the controller did not stop within 10 s of SIGTERM") from None
        self.process = None
        if not kill and code != 0:
            raise AssertionError(f"the controller ended with exit code {code}")

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def metric(self, series):
        """The value of a series, written as in /metrics; 0 if it is not there."""
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith(series + " "):
                return float(line.rsplit(" ", 1)[1])
        return 0.0


class Invariants(threading.Thread):
    """What must hold at every moment, for all claims of the cluster."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api, self.broken, self.ended = api, [], threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            try:
                self.look()
            except (AssertionError, OSError):
                continue  # the server may be away for a moment; the look at the end must succeed

    def look(self):
        self.check(self.api.items("/apis/resource.k8s.io/v1/resourceclaims"))

    def check(self, claims):
        owners = {}
        for claim in claims:
            meta, status = claim["metadata"], claim.get("status", {})
            name = f"{meta['namespace']}/{meta['name']}"
            if status.get("reservedFor") and not status.get("allocation"):
                self.broken.append(f"{name}: reserved without allocation")
            if status.get("allocation") and FINALIZER not in meta.get("finalizers", []):
                self.broken.append(f"{name}: allocated without the finalizer")
            entry = meta.get("annotations", {}).get(ENTRY)
            for owner in meta.get("ownerReferences", []):
                twin = owners.setdefault((owner["uid"], entry), name)
                if entry and twin != name:
                    self.broken.append(f"{name} and {twin}: twins of one entry")


def wait_for(what, condition, seconds=20.0):
    """Until `condition` is true; fails with its last value."""
    end, value = time.monotonic() + seconds, None
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds:g} s: {what} (last: {value!r})")


def pod(name, *entries, **spec):
    """A pod with claim entries ("entry", {"resourceClaimTemplateName": ...})."""
    claims = [{"name": entry, **source} for entry, source in entries]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **spec.pop("metadata", {})},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "resourceClaims": claims, **spec,
                     "containers": [{"name": "c", "image": "example.com/c:1",
                                     "resources": {"claims": [{"name": entry} for entry, _ in entries]}}]}}


def template(name):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": name},
            "spec": {"spec": claim_spec()}}


def claim_spec():
    return {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}


def from_template(name):
    return {"resourceClaimTemplateName": name}


class World:
    """What a scenario works with: the API, the controller, and a namespace of its own."""

    def __init__(self, api, controller, ns):
        self.api, self.controller, self.ns = api, controller, ns

    def path(self, collection, name="", sub=""):
        return "/".join(part for part in (collection.format(ns=self.ns), name, sub) if part)

    def create(self, collection, body):
        return self.api.must("POST", self.path(collection), body)

    def get(self, collection, name):
        status, answer = self.api.call("GET", self.path(collection, name))
        return answer if status == 200 else None

    def delete(self, collection, name, grace=None):
        body = {} if grace is None else {"gracePeriodSeconds": grace}
        self.api.call("DELETE", self.path(collection, name), body)

    def claims(self):
        return self.api.items(self.path(CLAIMS))

    def phase(self, name):
        found = self.get(PODS, name)
        return found["status"]["phase"] if found else None

    def behave(self, name, what):
        self.api.merge(self.path(PODS, name), {"metadata": {"annotations": {"kubelet.dra.test/behaviour": what}}})

    def statuses(self, name):
        """{entry: claim name} of a pod."""
        found = self.get(PODS, name)
        return {one["name"]: one.get("resourceClaimName") for one in found["status"].get("resourceClaimStatuses", [])}

    def consumers(self, claim):
        return [one["name"] for one in self.get(CLAIMS, claim).get("status", {}).get("reservedFor", [])]

    def events(self, reason):
        found = self.api.items(f"/api/v1/namespaces/{self.ns}/events")
        return [event for event in found if event["reason"] == reason]

    def await_running(self, *names, seconds=30):
        wait_for(f"running: {names}", lambda: all(self.phase(name) == "Running" for name in names), seconds)


class Rig:
    """Starts and ends the cluster."""

    def __init__(self, binary, proxied):
        self.dir = tempfile.mkdtemp(prefix="dra-scenarios.")
        parts = "scheduler,kwok,gc" + (",proxy" if proxied else "")
        info = json.loads(self.tool("up", "--dir", f"{self.dir}/cluster", "--owner-pid", str(os.getpid()),
                                    "--components", parts, "--json"))
        self.proxy = info["proxy"]
        self.kubectl("apply", "-k", str(ROOT / "manifests"))
        self.kubectl("-n", "dra-system", "scale", "deployment", "dra-claim-controller", "--replicas=0")
        steps = ROOT / "test" / "demo" / "manifests"
        self.kubectl("apply", "-f", str(steps / "1-node.yaml"), "-f", str(steps / "2-devices.yaml"))
        kubeconfig = f"{self.dir}/controller.kubeconfig"
        self.tool("kubeconfig", "--service-account", "dra-system/dra-claim-controller", "--out", kubeconfig,
                  "--dir", f"{self.dir}/cluster", *(["--server", self.proxy["url"]] if proxied else []))
        self.log = f"{self.dir}/controller.log"
        self.api = Api(f"{self.dir}/cluster/admin.kubeconfig")
        self.controller = Controller(binary, kubeconfig, self.log)
        wait_for("the node takes pods", self.node_ready, 60)

    def node_ready(self):
        return not self.api.must("GET", "/api/v1/nodes/demo-node")["spec"].get("taints")

    def ask_proxy(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.proxy["control"].removeprefix("http://"), timeout=5)
        connection.request(method, path, json.dumps(body) if body is not None else None)
        answer = connection.getresponse()
        if answer.status >= 300:
            raise AssertionError(f"the proxy refused {method} {path}: {answer.read().decode()}")

    def delay_watch(self, resource, milliseconds):
        """From now on, events of this resource reach the controller this late."""
        self.ask_proxy("POST", "/rules", [{"id": "late", "match": {"verbs": ["watch"], "resource": resource},
                                           "action": "delay-watch", "delayMs": milliseconds}])
        self.ask_proxy("POST", f"/cut?resource={resource}")  # the rule is for watches that begin
        time.sleep(3)  # the reflector backs off for up to 1.6 s before it watches again

    def tool(self, *words):
        done = subprocess.run([CLUSTER, *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"cluster {' '.join(words)}: {done.stderr or done.stdout}")
        return done.stdout

    def kubectl(self, *words):
        return self.tool("kubectl", "--dir", f"{self.dir}/cluster", "--", *words)

    def end(self):
        self.controller.stop(kill=True)
        subprocess.run([CLUSTER, "down", "--dir", f"{self.dir}/cluster"], capture_output=True)
        shutil.rmtree(self.dir, ignore_errors=True)


def run_one(rig, number, scenario):
    """Runs a scenario in a fresh namespace; returns what went wrong, or an empty string."""
    ns = f"t{number}"
    rig.api.must("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    invariants = Invariants(Api(f"{rig.dir}/cluster/admin.kubeconfig"))
    invariants.start()
    try:
        if rig.controller.process is None:
            rig.controller.start()
        world = World(rig.api, rig.controller, ns)
        world.rig = rig
        scenario(world)
        return ""
    except Exception:  # the scenario failed, whatever it raised
        return traceback.format_exc()
    finally:
        invariants.ended.set()
        invariants.join()
        invariants.look()
        empty_namespace(rig.api, ns)
        if invariants.broken:
            print("      invariants broken: " + "; ".join(sorted(set(invariants.broken))[:5]), flush=True)
            raise AssertionError("an invariant was broken")


def empty_namespace(api, ns):
    api.call("DELETE", PODS.format(ns=ns), {"gracePeriodSeconds": 0})
    api.call("DELETE", CLAIMS.format(ns=ns))


def main(scenarios, proxied=False):
    parser = argparse.ArgumentParser(description="Runs scenarios against a real control plane.")
    parser.add_argument("--binary", default=str(ROOT / "build" / "release" / "dra-claim-controller"))
    parser.add_argument("--only", default="", help="regular expression of scenario names")
    options = parser.parse_args()
    chosen = [one for one in scenarios if re.search(options.only, one.__name__)]
    rig, failed, numbers = Rig(options.binary, proxied), 0, itertools.count(1)
    try:
        for scenario in chosen:
            start = time.monotonic()
            try:
                wrong = run_one(rig, next(numbers), scenario)
            except AssertionError as error:
                wrong = str(error)
            failed += bool(wrong)
            print(f"{'FAILED' if wrong else 'ok':6} {scenario.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
            if wrong:
                print(wrong + pathlib.Path(rig.log).read_text()[-3000:], flush=True)
    finally:
        rig.end()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not chosen else 0)
