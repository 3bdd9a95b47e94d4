"""Keys and certificates of one cluster, made by the openssl program."""
import subprocess

from .errors import Failure

EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
SERVER_EXTENSIONS = """basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
"""
CLIENT_EXTENSIONS = """basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=clientAuth
"""


def create(folder):
    """Writes ca, apiserver, admin (client certificate) and sa (ServiceAccount tokens) into the folder."""
    folder.mkdir(mode=0o700)
    _openssl(folder, "req", "-x509", *EC, "-keyout", "ca.key", "-out", "ca.crt", "-days", "30", "-subj", "/CN=test-cluster-ca",
             "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    _issue(folder, "apiserver", "/CN=kube-apiserver", 2, SERVER_EXTENSIONS)
    _issue(folder, "admin", "/O=system:masters/CN=admin", 3, CLIENT_EXTENSIONS)
    _openssl(folder, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", "sa.key")
    _openssl(folder, "pkey", "-in", "sa.key", "-pubout", "-out", "sa.pub")
    for key in folder.glob("*.key"):
        key.chmod(0o600)


def _issue(folder, name, subject, serial, extensions):
    (folder / f"{name}.ext").write_text(extensions)
    _openssl(folder, "req", "-new", *EC, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", subject)
    _openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-set_serial", str(serial),
             "-days", "30", "-extfile", f"{name}.ext", "-out", f"{name}.crt")
    (folder / f"{name}.ext").unlink()
    (folder / f"{name}.csr").unlink()


def _openssl(folder, *arguments):
    try:
        done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True)
    except FileNotFoundError:
        raise Failure("the openssl program is missing", "apt-get install openssl") from None
    if done.returncode:
        raise Failure(f"`openssl {arguments[0]}` failed with status {done.returncode}", "check `openssl version` (1.1.1 or newer)",
                      done.stderr.strip())
