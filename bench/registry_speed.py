#!/usr/bin/env python3
"""Measures the upload of a large layer to a registry against curl and skopeo on one machine.

    bench/registry_speed.py [--binaries build/release/bin] [push]

Uses plain HTTP on loopback and Debian's docker-registry with contents in memory. Prints the table of speed.py. These
are measurements, not tests: see bench/README.md.
"""

import hashlib
import json
import os
import pathlib
import shutil
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "support"))
import table
from row import Row
from image_registry import MANIFEST, Registry
from measuring import Meter, interleaved

ROUNDS = 5
LAYER_MIB = 500
LAYER = "application/vnd.oci.image.layer.v1.tar+zstd"
CONFIG = "application/vnd.oci.image.config.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


class Bench:
    """A registry in memory, and a layer."""

    def __init__(self, binaries, folder):
        self.binaries, self.folder = binaries, pathlib.Path(folder)
        self.measure = Meter(binaries / "measure", folder)
        self.registry = Registry(self.folder / "registry")
        self.names = 0
        self.file = self.folder / "layer"
        digest = hashlib.sha256()
        with self.file.open("wb") as out:
            for _ in range(LAYER_MIB):
                piece = os.urandom(2**20)  # incompressible
                digest.update(piece)
                out.write(piece)
        self.digest = f"sha256:{digest.hexdigest()}"

    def run(self, *words):
        return self.measure([str(word) for word in words], cwd=self.folder,
                            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})

    def send(self, by):
        """Sends the layer to an empty registry."""
        self.names += 1
        cost = by(f"{self.registry.host}/bench/n{self.names}")
        shutil.rmtree(self.registry.folder / "data")
        return cost

    def kinetic(self, name):
        return self.run(self.binaries / "registry_tool", "--scratch", self.folder, "--docker-config", "/nowhere",
                        "--image", name, "--name", self.digest, "--other", self.file, "push")

    def curl(self, name):
        host, _, repository = name.partition("/")
        opened = urllib.request.Request(f"http://{host}/v2/{repository}/blobs/uploads/", method="POST", data=b"")
        with urllib.request.urlopen(opened) as answer:
            session = answer.headers["Location"]
        return self.run("curl", "-sSf", "-o", "/dev/null", "-X", "PUT", "-T", self.file,
                        f"{session}&digest={self.digest}")

    def layout(self):
        """Returns the layer as an image of one layer in a folder for skopeo."""
        place = self.folder / "layout"
        blobs = place / "blobs" / "sha256"
        blobs.mkdir(parents=True)
        (place / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        os.link(self.file, blobs / self.digest.removeprefix("sha256:"))

        def blob(kind, document):
            content = json.dumps(document).encode()
            name = hashlib.sha256(content).hexdigest()
            (blobs / name).write_bytes(content)
            return {"mediaType": kind, "digest": f"sha256:{name}", "size": len(content)}
        config = blob(CONFIG, {"architecture": "amd64", "os": "linux",
                               "rootfs": {"type": "layers", "diff_ids": [self.digest]}})
        manifest = blob(MANIFEST, {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [
            {"mediaType": LAYER, "digest": self.digest, "size": self.file.stat().st_size}]})
        (place / "index.json").write_text(json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": [manifest]}))
        return place

    def skopeo(self, place):
        return lambda name: self.run("skopeo", "--insecure-policy", "copy", "-q", "--dest-tls-verify=false",
                                     f"oci:{place}", f"docker://{name}:1")


def push(bench):
    works = [bench.kinetic, bench.curl]
    has_skopeo = shutil.which("skopeo") is not None
    if has_skopeo:
        works.append(bench.skopeo(bench.layout()))
    ours, curl, *others = interleaved(ROUNDS, *(lambda work=work: bench.send(work) for work in works))
    yield Row(f"a layer of {LAYER_MIB} MiB to a registry", ">= 0.8x, <= 64 MiB", ours, curl, "curl -T", at_least=0.8,
              limits=((ours.peak, 64, "MiB"),), bounds="the registry, which hashes the content", by_clock=True)
    for skopeo in others:
        yield Row("the same", "-", ours, skopeo, "skopeo copy")


def measure(row, options, folder):
    bench = Bench(options.binaries, folder)
    try:
        yield from row(bench)
    finally:
        bench.registry.stop()


if __name__ == "__main__":
    programs = ("registry_tool", "measure")
    table.run(table.arguments(__doc__, programs, folder="/dev/shm"), programs, {"push": push}, measure)
