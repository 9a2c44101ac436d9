"""Kubernetes, etcd and KWOK, built from their Go modules once per user and version."""

import dataclasses
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from layout import CACHE, HERE
from trouble import NotHere, Trouble

VERSION = "v1.34.4"
GO = HERE.parent / "go"


def linker_flags(version):
    """Linker flags that set the version of a server."""
    major, minor, _ = version.lstrip("v").split(".", 2)
    stamps = {"k8s.io/component-base/version.gitVersion": version,
              "k8s.io/component-base/version.gitMajor": major,
              "k8s.io/component-base/version.gitMinor": minor,
              "k8s.io/client-go/pkg/version.gitVersion": version}
    return "-s -w " + " ".join(f"-X {name}={value}" for name, value in stamps.items())


@dataclasses.dataclass(frozen=True)
class Source:
    """Programs of one Go module.

    `module` is a folder of modules/ with pinned go.mod and go.sum. Without it the packages name their versions."""

    name: str
    packages: tuple
    module: str = ""
    flags: str = "-s -w"


SOURCES = (
    Source(f"kubernetes@{VERSION}",
           tuple(f"k8s.io/kubernetes/cmd/{name}" for name in
                 ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl")),
           "kubernetes", linker_flags(VERSION)),
    Source("etcd@v3.6.16", ("go.etcd.io/etcd/server/v3",), "etcd"),
    Source("kwok@v0.7.0", ("sigs.k8s.io/kwok/cmd/kwok@v0.7.0",)),
)
# Names of packages in `go build` that differ from the program's name.
_NAMES = {"v3": "etcd"}


def _binary(package):
    name = package.partition("@")[0].rpartition("/")[2]
    return _NAMES.get(name, name)


def path(binary):
    """Returns the path of a program, which may not be built yet."""
    return next(CACHE / source.name / binary for source in SOURCES
                if binary in map(_binary, source.packages))


def built():
    return all(path(_binary(package)).exists() for source in SOURCES for package in source.packages)


def build():
    """Builds missing programs. The first build takes minutes."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "cluster.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for source in SOURCES:
            if not all(path(_binary(package)).exists() for package in source.packages):
                _build(source)


def go(folder, *words, **environment):
    """Runs a command of Go and returns its output."""
    version = subprocess.run([GO, "version"], capture_output=True, text=True)
    if version.returncode != 0:
        raise NotHere(f"cannot install Go, which builds Kubernetes: {version.stderr.strip()}")
    done = subprocess.run([GO, *map(str, words)], cwd=folder, env={**os.environ, **environment}, capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise Trouble(f"go {' '.join(map(str, words))} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def _build(source):
    print(f"building {source.name}", file=sys.stderr, flush=True)
    fresh = pathlib.Path(tempfile.mkdtemp(prefix="building-", dir=CACHE))
    try:
        for package in source.packages:
            target = ["build", "-o", fresh / _binary(package)] if source.module else ["install"]
            go(HERE / "modules" / source.module if source.module else "/",
               *target, "-trimpath", "-ldflags", source.flags, package, GOBIN=str(fresh))
        fresh.chmod(0o755)
        shutil.rmtree(CACHE / source.name, ignore_errors=True)
        fresh.rename(CACHE / source.name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
