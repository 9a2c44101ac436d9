"""Servers of control planes of other Kubernetes versions, built once per user and version.

Their dependencies come from their own module and are not pinned here."""

import fcntl
import json
import pathlib
import shutil
import sys
import tempfile

import programs
from layout import CACHE

SERVERS = ("kube-apiserver", "kube-controller-manager")
_PACKAGE = "k8s.io/kubernetes"


def build(version):
    """@returns the folder of the servers of a version ("v1.29.15")"""
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = CACHE / f"plane@{version}"
    with open(CACHE / "plane.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all((folder / server).exists() for server in SERVERS):
            print(f"building the control plane of {version}", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory(prefix="building-", dir=CACHE) as fresh:
                _build(version, pathlib.Path(fresh))
                shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(pathlib.Path(fresh) / "bin", folder)
    return folder


def _build(version, place):
    (place / "go.mod").write_text(_module(version, place))
    (place / "tools.go").write_text(
        "//go:build tools\n\npackage tools\n\nimport (\n" +
        "".join(f'\t_ "{_PACKAGE}/cmd/{server}/app"\n' for server in SERVERS) + ")\n")
    for server in SERVERS:
        programs.go(place, "build", "-mod=mod", "-trimpath", "-ldflags", programs.linker_flags(version),
                    "-o", place / "bin" / server, f"{_PACKAGE}/cmd/{server}")


def _module(version, place):
    """Returns the go.mod of a module that requires Kubernetes, whose staging modules no module proxy serves."""
    file = json.loads(programs.go(place, "mod", "download", "-json", f"{_PACKAGE}@{version}"))["GoMod"]
    described = json.loads(programs.go(place, "mod", "edit", "-json", file))
    parts = [each["Old"]["Path"] for each in described["Replace"] if each["New"]["Path"].startswith("./staging/")]
    staged = "v0." + version.split(".", 1)[1]
    return "\n".join(["module kinetic.dev/tests/plane", f"go {described['Go']}", f"require {_PACKAGE} {version}",
                      *(f"replace {part} => {part} {staged}" for part in parts), ""])
