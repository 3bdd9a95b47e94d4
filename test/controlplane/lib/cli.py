"""Command line of the `cluster` tool."""
import argparse
import json
import os
import pathlib
import re
import select
import signal
import sys
import time

from . import api, build, components, control, kubeconfig, layout, supervisor, toolchain
from .errors import Failure
from .process import alive

DESCRIPTION = """Real Kubernetes control planes on 127.0.0.1 (etcd, kube-apiserver, kube-scheduler, a fake kubelet),
for tests, the demo and developers. Several can run at once; `down` (or the death of the owner) leaves nothing behind."""
EXAMPLES = """examples:
  cluster build                                   compile everything once (about 9 minutes on 2 cores)
  cluster up                                      start one; prints what to export and how to stop it
  cluster up --owner-pid $$ --json                for scripts: goes away with the script, says where everything is
  cluster up --components scheduler,kwok,gc,peer  with the resourceclaim controller of kube-controller-manager
  cluster kubectl -- get nodes
  cluster kubeconfig --service-account dra-system/dra-claim-controller --out controller.kubeconfig
  cluster restart apiserver
  cluster down
"""
COMPONENT_HELP = ("comma list of: scheduler; kwok (fake kubelet); gc (garbage collector, namespace and node lifecycle); "
                  "peer (upstream's resourceclaim and device taint controllers), or peer-unthrottled (the same without its "
                  "20 requests/s limit); proxy (injects faults). etcd and apiserver always run. Default: %(default)s")


def main(argv=None):
    arguments = _parser().parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except Failure as failure:
        print(failure.render(), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # `cluster ... | head`
        return 0


# -- arguments --------------------------------------------------------------------------------------------------------

def _parser():
    parser = argparse.ArgumentParser(prog="cluster", description=DESCRIPTION, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_build(commands)
    _add_up(commands)
    down = _add(commands, "down", _down, "stop a cluster and delete its directory")
    _dir(down)
    _keep_logs(down)
    for name, run, text in (("status", _status, "show one cluster"), ("list", _list, "show the running clusters")):
        command = _add(commands, name, run, text)
        command.add_argument("--json", action="store_true", help="as JSON on stdout")
        if name == "status":
            _dir(command)
    _add_component_commands(commands)
    _add_kubeconfig(commands)
    kubectl = _add(commands, "kubectl", _kubectl, "run kubectl as administrator: cluster kubectl [--dir D] -- get pods -A")
    _dir(kubectl)
    kubectl.add_argument("arguments", nargs=argparse.REMAINDER, metavar="-- ARGS", help="arguments of kubectl")
    return parser


def _add(commands, name, run, text):
    command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    command.set_defaults(run=run)
    return command


def _dir(command):
    command.add_argument("--dir", metavar="D", help="directory of the cluster (not needed while only one runs)")


def _version(command):
    command.add_argument("--version", default=layout.DEFAULT_VERSION, metavar="V",
                         help=f"Kubernetes version, one of: {', '.join(layout.versions())} (default: %(default)s)")


def _keep_logs(command):
    command.add_argument("--keep-logs", metavar="TO", help="copy the logs to this directory before the cluster is deleted")


def _add_build(commands):
    command = _add(commands, "build", _build, "compile the programs of the control plane into the cache (nothing to do: < 1 s)")
    _version(command)
    command.add_argument("--go-only", action="store_true", help="only make sure that a new enough Go is there; prints its path")


def _add_up(commands):
    command = _add(commands, "up", _up, "start a cluster and return when it is ready")
    command.add_argument("--dir", metavar="D", help="new or empty directory for it (default: one in the temporary directory)")
    _version(command)
    command.add_argument("--components", default=components.DEFAULT, metavar="LIST", help=COMPONENT_HELP)
    command.add_argument("--owner-pid", type=int, metavar="P", help="take the cluster down when this process ends")
    command.add_argument("--json", action="store_true", help="print one JSON object that says where everything is")
    _keep_logs(command)
    command.add_argument("--feature-gates", default="", metavar="A=true,B=false",
                         help="for API server, scheduler and controller managers")
    for name, text in (("apiserver", "the API server"), ("scheduler", "the scheduler"),
                       ("kcm", "every controller manager (gc and peer)"), ("peer", "the peer only")):
        command.add_argument(f"--{name}-arg", action="append", default=[], metavar="ARG", help=f"argument for {text}, written as --{name}-arg=--X=Y; repeatable")
    command.add_argument("--scheduler-config", metavar="FILE",
                         help="JSON file laid over the scheduler's configuration (KubeSchedulerConfiguration)")


def _add_component_commands(commands):
    texts = {"start": "start a component that does not run (also one that `up` was not asked for)",
             "stop": "stop a component: SIGTERM, then SIGKILL", "restart": "stop and start a component, on the same port",
             "pause": "freeze a component (SIGSTOP)", "resume": "let a frozen component go on (SIGCONT)"}
    for name, text in texts.items():
        command = _add(commands, name, _component, text)
        _dir(command)
        command.add_argument("component", metavar="COMPONENT", choices=components.ALWAYS + components.OPTIONAL,
                             help=f"one of: {', '.join(components.ALWAYS + components.OPTIONAL)}")
        command.set_defaults(command=name, grace=0)
        if name in ("stop", "restart"):
            command.add_argument("--grace", type=float, default=3, metavar="SECONDS",
                                 help="time between SIGTERM and SIGKILL; 0: SIGKILL at once (default: %(default)s)")


def _add_kubeconfig(commands):
    command = _add(commands, "kubeconfig", _kubeconfig, "write a kubeconfig with the token of an existing ServiceAccount")
    _dir(command)
    command.add_argument("--service-account", required=True, metavar="NAMESPACE/NAME")
    command.add_argument("--out", metavar="F", help="file to write, its token beside it as F.token (default: into the cluster's directory)")
    command.add_argument("--duration", default="24h", metavar="D", help="life of the token, at least 10m (default: %(default)s)")
    command.add_argument("--server", metavar="URL", help="URL to use instead of the API server's, for example that of the proxy")


# -- commands ---------------------------------------------------------------------------------------------------------

def _build(arguments):
    if arguments.go_only:
        print(toolchain.find(toolchain.needed(layout.kubernetes_module(arguments.version) / "go.mod"), build.say))
        return
    programs = build.build(arguments.version)
    print(f"ready: {', '.join(programs)} for Kubernetes {arguments.version} in {layout.cache()}")


def _up(arguments):
    spec = _spec(arguments)
    supervisor.prune(layout.clusters_root())
    folder = layout.new_cluster_dir(arguments.dir)
    report, janitor = supervisor.launch(spec, folder)
    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.default_int_handler)
    try:
        status = _await_report(report)
    except BaseException:
        os.kill(janitor, signal.SIGTERM)
        os.waitpid(janitor, 0)
        raise
    if status is None or "error" in status:
        os.waitpid(janitor, 0)
        raise Failure(**(status or {"error": {"cause": "the supervisor of the cluster was killed while it started"}})["error"])
    print(json.dumps(status, indent=1) if arguments.json else _describe(status))


def _spec(arguments):
    """What the supervisor has to know."""
    config = None
    if arguments.scheduler_config:
        try:
            config = json.loads(pathlib.Path(arguments.scheduler_config).read_text())
        except (OSError, ValueError) as error:
            raise Failure(f"--scheduler-config: {error}", "name a file with a JSON object") from None
    if arguments.owner_pid is not None and not alive(arguments.owner_pid):
        raise Failure(f"--owner-pid: there is no process {arguments.owner_pid}", "pass the pid of a running process, such as $$")
    return {
        "version": arguments.version, "components": components.parse_list(arguments.components),
        "programs": build.programs(arguments.version), "owner_pid": arguments.owner_pid, "feature_gates": arguments.feature_gates,
        "keep_logs": str(pathlib.Path(arguments.keep_logs).absolute()) if arguments.keep_logs else None,
        "apiserver_args": arguments.apiserver_arg, "scheduler_args": arguments.scheduler_arg, "kcm_args": arguments.kcm_arg,
        "peer_args": arguments.peer_arg, "scheduler_config": config,
    }


def _await_report(report):
    """Reads until the supervisor closes the pipe; None when it said nothing."""
    text = b""
    while True:
        select.select([report], [], [])
        piece = os.read(report, 1 << 16)
        if not piece:
            return json.loads(text) if text else None
        text += piece


def _describe(status):
    lines = [f"Kubernetes {status['version']} at {status['apiserver']['url']}"]
    lines += [f"  {name:<17}{part['state']:<12}pid {part['pid'] or '-'}" for name, part in status["components"].items()]
    if status["proxy"]:
        lines.append(f"  proxy {status['proxy']['url']}, its control {status['proxy']['control']}")
    lines += [f"use it:   export KUBECONFIG={status['kubeconfig']}", f"kubectl:  {status['kubectl']}",
              f"stop it:  {layout.CONTROLPLANE / 'cluster'} down --dir {status['dir']}"]
    return "\n".join(lines)


def _down(arguments):
    folder = _folder(arguments)
    keep = str(pathlib.Path(arguments.keep_logs).absolute()) if arguments.keep_logs else None
    status = control.ask(folder, {"command": "down", "keep_logs": keep})
    deadline = time.monotonic() + 20
    while alive(status["janitor"]) or pathlib.Path(status["dir"]).exists():
        if time.monotonic() > deadline:
            raise Failure(f"the processes are stopped, but {status['dir']} is still there", "delete it by hand")
        time.sleep(0.02)
    print(f"stopped, and deleted {status['dir']}" + (f"; logs are in {keep}" if keep else ""))


def _status(arguments):
    status = control.ask(_folder(arguments), {"command": "status"})
    print(json.dumps(status, indent=1) if arguments.json else _describe(status))


def _list(arguments):
    clusters = control.running()
    if arguments.json:
        print(json.dumps(clusters, indent=1))
        return
    for status in clusters:
        owner = f"owner {status['owner']}" if status["owner"] else "no owner"
        print(f"{status['dir']}  {status['version']}  {status['apiserver']['url']}  {owner}  {','.join(status['components'])}")
    if not clusters:
        print("no cluster is running", file=sys.stderr)


def _component(arguments):
    request = {"command": arguments.command, "component": arguments.component, "grace": arguments.grace}
    status = control.ask(_folder(arguments), request)
    part = status["components"][arguments.component]
    print(f"{arguments.component}: {part['state']}" + (f", pid {part['pid']}" if part["pid"] else ""))


def _kubeconfig(arguments):
    namespace, slash, name = arguments.service_account.partition("/")
    if not slash or not name or not namespace:
        raise Failure(f"--service-account: '{arguments.service_account}' is not NAMESPACE/NAME", "write it as dra-system/dra-claim-controller")
    info = control.ask(_folder(arguments), {"command": "status"})
    out = pathlib.Path(arguments.out or pathlib.Path(info["dir"]) / f"{namespace}.{name}.kubeconfig").absolute()
    token = api.service_account_token(info, namespace, name, _seconds(arguments.duration))
    try:
        kubeconfig.write_private(f"{out}.token", token)
        kubeconfig.write(out, arguments.server or info["apiserver"]["url"], info["apiserver"]["ca"], name, f"tokenFile: {out}.token",
                         namespace)
    except OSError as error:
        raise Failure(f"cannot write {out}: {error.strerror}", "pass a writable file to --out") from None
    print(out)


def _seconds(text):
    found = re.fullmatch(r"(\d+)([smh])", text)
    if not found:
        raise Failure(f"--duration: '{text}' is no duration", "write it as 30m or 24h")
    return int(found.group(1)) * {"s": 1, "m": 60, "h": 3600}[found.group(2)]


def _kubectl(arguments):
    rest = arguments.arguments[1:] if arguments.arguments[:1] == ["--"] else arguments.arguments
    info = control.ask(_folder(arguments), {"command": "status"})
    os.execve(info["kubectl"], [info["kubectl"], *rest], {**os.environ, "KUBECONFIG": info["kubeconfig"]})


def _folder(arguments):
    """The directory that was named, or that of the only cluster."""
    if arguments.dir:
        return arguments.dir
    clusters = control.running()
    if len(clusters) == 1:
        return clusters[0]["dir"]
    if not clusters:
        raise Failure("no cluster is running", "start one with: cluster up")
    raise Failure(f"{len(clusters)} clusters are running", "name one with --dir: " + ", ".join(status["dir"] for status in clusters))
