"""Rows about packages of a job on a cluster when one small package has changed."""

import contextlib
import datetime
import os
import pathlib
import shutil
import subprocess
import time

from cluster_row import Line, times
from cluster_rows import median
from image_registry import Registry

EXAMPLE = pathlib.Path(__file__).parent.parent / "examples" / "digits" / "requirements.txt"
VERSIONS = ("4.9.0", "4.10.0", "4.11.0", "4.12.0")
IN_IMAGE = "3.11"  # version in the base image
JOB = f"name: packed\nrun: python -c 'import humanize'\npython: '{IN_IMAGE}'\n"
DOCKERFILE = """FROM localhost/base
RUN python3 -m venv /env
COPY requirements.txt /
RUN {cache}SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt /env/bin/pip install -q -r /requirements.txt
"""


def requirements(version):
    return EXAMPLE.read_text() + f"humanize=={version}\n"


class Buildah:
    """Builds an image of the same packages on the base image of the tests."""

    def __init__(self, place):
        if not shutil.which("buildah"):
            raise SystemExit("the row layers needs buildah: apt install buildah")
        self.folder = place.folder / "buildah"
        self.context = self.folder / "context"
        self.context.mkdir(parents=True)
        layer = next((pathlib.Path.home() / ".cache" / "kinetic-tests").glob("debian@*.tar"))
        base = self.call("from", "scratch").strip()
        self.call("add", "-q", base, layer, "/")
        self.call("commit", "-q", base, "localhost/base")

    def call(self, *words):
        stores = ("--root", self.folder / "root", "--runroot", self.folder / "runroot", "--storage-driver", "overlay")
        done = subprocess.run(["buildah", *stores, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stdout + done.stderr)
        return done.stdout

    def build(self, version, cached):
        """@returns seconds"""
        (self.context / "requirements.txt").write_text(requirements(version))
        mount = "--mount=type=cache,target=/root/.cache/pip " if cached else ""
        (self.context / "Dockerfile").write_text(DOCKERFILE.format(cache=mount))
        begin = time.monotonic()
        self.call("bud", "-q", "--isolation", "chroot", *(["--layers"] if cached else ["--no-cache"]), "-t", "packed",
                  self.context)
        return time.monotonic() - begin

    def close(self):
        self.call("rm", "--all")
        self.call("rmi", "--all", "--force")


def seconds_between(status, begin, end):
    at = {moment["event"]: datetime.datetime.fromisoformat(moment["time"]) for moment in status["timeline"]}
    return (at[end] - at[begin]).total_seconds()


def one_changed(place, name, begin, end, *, lock=True, **settings):
    """Stores or builds the example's packages, then three times with another version of a small one.

    @param lock  resolve the packages before the time starts
    @returns medians of the seconds until the Job was accepted, and between two events of the pod"""
    machine = place.new_machine(name, place.namespace, name, **settings)
    machine.environment["PATH"] = os.environ["PATH"]
    took, in_pod = [], []
    for round_, version in enumerate(VERSIONS):
        machine.job(JOB, requirements_txt=requirements(version))
        if lock and (locked := machine.run("lock", "job.yaml")).returncode != 0:
            raise RuntimeError(locked.stderr)
        began = time.monotonic()
        done = machine.run("run", "job.yaml", "--detach")
        seconds = time.monotonic() - began
        job = done.stdout.split()[0]
        if machine.run("wait", job).returncode != 0:
            raise RuntimeError(done.stderr + machine.run("logs", job).stdout)
        if round_ > 0:  # the first run stores all packages
            took.append(seconds)
            in_pod.append(seconds_between(machine.answer("status", job), begin, end))
    return median(took), median(in_pod)


@contextlib.contextmanager
def registry_with_base(place):
    """A registry that has the base image, whose digest a lock contains."""
    registry = Registry(place.folder / "registry")
    try:
        base = f"{registry.host}/base/python:{IN_IMAGE}"
        place.cluster.push(place.cluster.images["python"], base)
        yield registry, base
    finally:
        registry.stop()


def by_layers(place):
    """@returns seconds until the image is built and the Job accepted, and from there to the program's start"""
    with registry_with_base(place) as (registry, base):
        return one_changed(place, "layers", "claimed", "started", image=base, environments="layers",
                           environment_images=f"{registry.host}/team/environments")


def compile_seconds(place, version):
    """@returns seconds of `uv pip compile` of the changed packages, with its cache"""
    folder = place.folder / "compile"
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text(requirements(version))
    begin = time.monotonic()
    subprocess.run(["uv", "pip", "compile", "-q", "--generate-hashes", "--python-version", IN_IMAGE,
                    "requirements.txt", "-o", "locked.txt"], cwd=folder, check=True)
    return time.monotonic() - begin


def packages(place):
    """The packages of the example, 700 MB unpacked, and one that changes. The time includes resolving them."""
    with registry_with_base(place) as (_, base):
        ours, disk = one_changed(place, "packages", "claimed", "unpacked", lock=False, image=base)
        _, memory = one_changed(place, "memory", "claimed", "unpacked", image=base, packages_medium="memory")
    compile_seconds(place, VERSIONS[0])
    theirs = median(compile_seconds(place, version) for version in VERSIONS[1:])
    yield Line("one small package of 23 changed, until the Job is accepted", "<= 2.5 s", f"{ours:.1f} s",
               f"uv pip compile: {theirs:.1f} s", times(theirs / ours), ours <= 2.5)
    yield Line("in the pod, until 700 MB of packages are unpacked", "<= 2.0 s",
               f"{memory:.1f} s in memory, {disk:.1f} s on a disk", "-", "-", memory <= 2.0)


def layers(place):
    """The same packages as layers of an image, against buildah."""
    ours, begun = by_layers(place)
    rival = Buildah(place)
    try:
        rival.build(VERSIONS[0], cached=True)
        cached = median(rival.build(version, cached=True) for version in VERSIONS[1:])
        cold = rival.build(VERSIONS[0], cached=False)
    finally:
        rival.close()
    yield Line("the same by layers, until the image is pushed and the Job accepted", "<= 10 s, >= 5x",
               f"{ours:.1f} s, and {begun:.1f} s in the pod until it begins",
               f"buildah: {cached:.1f} s with pip's cache, {cold:.1f} s cold; not pushed",
               f"{times(cached / ours)}, {times(cold / ours)}", ours <= 10 and cached / ours >= 5)
