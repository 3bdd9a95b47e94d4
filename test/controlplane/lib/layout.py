"""Where things are: sources, the cache of built programs, cluster directories."""
import os
import pathlib
import tempfile

from .errors import Failure

DEFAULT_VERSION = "1.37.2"
CONTROLPLANE = pathlib.Path(__file__).resolve().parent.parent
PROXY_SOURCES = CONTROLPLANE.parent / "proxy"
STAGES = CONTROLPLANE / "stages"


def cache():
    """The folder of everything that is built once and used often."""
    if os.environ.get("DRA_CACHE"):
        return pathlib.Path(os.environ["DRA_CACHE"]).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base).absolute() / "dra-claim-controller"


def versions():
    """The Kubernetes versions that have a module here."""
    return sorted(path.name.split("-", 1)[1] for path in CONTROLPLANE.glob("kubernetes-*") if (path / "go.mod").exists())


def kubernetes_module(version):
    folder = CONTROLPLANE / f"kubernetes-{version}"
    if not (folder / "go.mod").exists():
        raise Failure(f"there is no module for Kubernetes {version} (there is: {', '.join(versions())})",
                      f"choose one of these, or make it with: {CONTROLPLANE / 'generate-module'} {version}")
    return folder


def clusters_root():
    """The parent of cluster directories that nobody named."""
    return pathlib.Path(tempfile.gettempdir()) / f"dra-claim-controller-{os.getuid()}"


def new_cluster_dir(wanted):
    """Creates the directory of a cluster; an existing one has to be empty, because `down` deletes it."""
    if wanted is None:
        clusters_root().mkdir(mode=0o700, exist_ok=True)
        return pathlib.Path(tempfile.mkdtemp(prefix="cluster-", dir=clusters_root()))
    path = pathlib.Path(wanted).absolute()
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise Failure(f"{path} exists and is not an empty directory",
                      "name a new directory (it is deleted when the cluster goes down), or leave --dir out")
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path.resolve()
