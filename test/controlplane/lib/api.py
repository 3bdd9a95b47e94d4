"""A few plain HTTP requests: to the API server (with the admin token) and to health endpoints."""
import json
import ssl
import urllib.error
import urllib.request

from .errors import Failure

_OPENER_CACHE = {}


def _opener(ca):
    """Never a proxy from the environment: all traffic stays on this machine."""
    if ca not in _OPENER_CACHE:
        handlers = [urllib.request.ProxyHandler({})]
        if ca:
            handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca)))
        _OPENER_CACHE[ca] = urllib.request.build_opener(*handlers)
    return _OPENER_CACHE[ca]


def healthy(url, ca="", token=""):
    """True when the URL answers 200 within two seconds."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with _opener(ca).open(request, timeout=2) as response:
            return response.status == 200
    except (OSError, ValueError, urllib.error.URLError):
        return False


def service_account_token(info, namespace, name, seconds):
    """Asks for a token of an existing ServiceAccount (TokenRequest)."""
    url = f"{info['apiserver']['url']}/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": seconds}}
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST", headers={
        "Authorization": f"Bearer {info['token']}", "Content-Type": "application/json"})
    try:
        with _opener(info["apiserver"]["ca"]).open(request, timeout=20) as response:
            return json.load(response)["status"]["token"]
    except urllib.error.HTTPError as error:
        message = _message(error)
        raise Failure(f"no token for ServiceAccount {namespace}/{name}: {message}",
                      "apply the manifests that create it first; a duration has to be at least 10m") from None
    except OSError as error:
        raise Failure(f"the API server does not answer: {error}", f"cluster status --dir {info['dir']}") from None


def _message(error):
    try:
        return json.load(error)["message"]
    except (ValueError, KeyError):
        return f"HTTP {error.code}"
