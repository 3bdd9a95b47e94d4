"""Kubeconfig files."""
import os

TEMPLATE = """apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: {server}
    certificate-authority: {ca}
users:
- name: {user}
  user:
    {credential}
contexts:
- name: test
  context:
    cluster: test
    user: {user}
    namespace: {namespace}
current-context: test
"""


def write(path, server, ca, user, credential, namespace="default"):
    """Writes a kubeconfig that only its owner can read."""
    write_private(path, TEMPLATE.format(server=server, ca=ca, user=user, credential=credential, namespace=namespace))


def write_private(path, text):
    """Replaces a file atomically, readable by its owner only."""
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    os.replace(temporary, path)
