#!/usr/bin/env python3
"""Measures the storage client, and the store based on it, against curl, rclone and gcloud (if installed) on one
machine.

    bench/gcs_speed.py [--binaries build/release/bin] [--large-gib 20] [ROW...]

Uses plain HTTP on loopback and a stand-in with contents in memory. Prints the table of speed.py. These are
measurements, not tests: see bench/README.md.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

import table
from row import Row, cores
from measuring import Cost, Meter, interleaved

ROUNDS = 5
HAS_GCLOUD = shutil.which("gcloud") is not None
GIB = 2**30


class Bench:
    """The programs, a folder in memory, and a server with one bucket."""

    def __init__(self, binaries, folder, large_gib):
        self.binaries = binaries
        self.folder = pathlib.Path(folder)
        self.large_gib = large_gib
        self.measure = Meter(self.binaries / "measure", folder)
        self.names = 0

    @contextlib.contextmanager
    def server(self, contents):
        """Runs a server for a block, without MD5 sums, which only the server would compute."""
        pathlib.Path(contents).mkdir()
        server = subprocess.Popen(
            [self.binaries / "gcs-server", "--bucket", "bench", "--no-md5", "--data-dir", contents],
            stdout=subprocess.PIPE, text=True)
        try:
            self.url = server.stdout.readline().strip()
            yield
        finally:
            server.terminate()
            server.wait()
            shutil.rmtree(contents)

    def file(self, size):
        """Returns incompressible bytes in memory."""
        path = self.folder / "file"
        with path.open("wb") as out:
            for _ in range(size // 2**20):
                out.write(os.urandom(2**20))
        return path

    def run(self, *command):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        return self.measure([str(word) for word in command], cwd=self.folder, env=environment)

    def tool(self, *words):
        return self.run(self.binaries / "gcs_tool", "--endpoint", self.url, "--bucket", "bench", *words)

    def rclone(self, *words):
        return self.run("rclone", "--config", "/dev/null", "--gcs-anonymous", "--gcs-endpoint",
                        f"{self.url}/storage/v1/", "--gcs-bucket-policy-only", "--ignore-times", *words)

    def gcloud(self, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "CLOUDSDK_CORE_PROJECT": "p",
                       "CLOUDSDK_CORE_DISABLE_PROMPTS": "1", "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": "true",
                       "CLOUDSDK_STORAGE_CHECK_HASHES": "never",  # requires an MD5, which the server lacks
                       "CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE": f"{self.url}/storage/v1/"}
        return self.measure(["gcloud", "storage", "cp", *(str(word) for word in words)], cwd=self.folder,
                            env=environment)

    def put_data(self, folder):
        """Sends a folder's files from a new machine to an empty store."""
        name = self.name()
        home = self.folder / name
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "STORAGE_EMULATOR_HOST": self.url,
                       "KINETIC_STORE": f"gs://bench/{name}"}
        cost = self.measure([str(self.binaries / "kinetic"), "data", "put", str(folder), "--name", "bench"],
                            cwd=self.folder, env=environment)
        self.rclone("purge", f":gcs:bench/{name}")  # to limit memory
        shutil.rmtree(home)
        return cost

    def name(self):
        self.names += 1
        return f"object-{self.names}"

    def remove(self, name):
        subprocess.run(["curl", "-sf", "-X", "DELETE", f"{self.url}/storage/v1/b/bench/o/{name}"], check=True)

    def up(self, send):
        """Sends a new object, which is removed to limit memory."""
        name = self.name()
        cost = send(name)
        self.remove(name)
        return cost


def up(bench):
    file = bench.file(GIB)
    with bench.server(bench.folder / "contents"):
        address = f"{bench.url}/upload/storage/v1/b/bench/o?uploadType=media&name="
        works = {
            "put": lambda: bench.up(lambda name: bench.tool("put", name, file)),
            "put-parts": lambda: bench.up(
                lambda name: bench.tool("--part-bytes", 32 << 20, "put-parts", name, file)),
            "curl -T": lambda: bench.up(
                lambda name: bench.run("curl", "-sf", "-o", "/dev/null", "-X", "POST", "-T", file, address + name)),
            "rclone copyto": lambda: bench.up(lambda name: bench.rclone("copyto", file, f":gcs:bench/{name}")),
            "hashes": lambda: bench.tool("hash", "none", file),
        }
        if HAS_GCLOUD:
            works["gcloud storage cp"] = lambda: bench.up(
                lambda name: bench.gcloud(file, f"gs://bench/{name}"))
        yield from against(works, "1 GiB up, one object, with CRC32C", ("put", "put-parts"))
        # The content is hashed once; a pack needs both hashes.
        ours, hashes = interleaved(ROUNDS, works["put"], works["hashes"])
        yield Row("processor time of 1 GiB up", "≤ 1.3x CRC32C and SHA-256 alone", ours, hashes, "the hashes alone",
                  limits=((ours.cpu / hashes.cpu, 1.3, "x their CPU"),),
                  bounds="copying to the kernel, which the hashes do not include")


def against(works, measure, ours):
    costs = dict(zip(works, interleaved(ROUNDS, *works.values())))
    for verb in ours:
        for rival, at_least in ((name, goal) for name, goal in GOALS.items() if name in costs):
            yield Row(f"{measure} ({verb})", f"≥ {at_least}x", costs[verb], costs[rival], rival, at_least=at_least,
                      bounds=cores(costs[verb]))


GOALS = {"curl -T": 0.9, "curl -o": 0.9, "rclone copyto": 1.0, "gcloud storage cp": 3.0}


def down(bench):
    file = bench.file(GIB)
    out = bench.folder / "out"
    with bench.server(bench.folder / "contents"):
        bench.tool("put", "object", file)
        address = f"{bench.url}/storage/v1/b/bench/o/object?alt=media"
        works = {
            "get": lambda: bench.tool("get", "object", out),
            "get-parts": lambda: bench.tool("get-parts", "object", out),
            "curl -o": lambda: bench.run("curl", "-sf", "-o", out, address),
            "rclone copyto": lambda: bench.rclone("copyto", ":gcs:bench/object", out),
        }
        if HAS_GCLOUD:
            works["gcloud storage cp"] = lambda: bench.gcloud("gs://bench/object", bench.folder / "out.gcloud")
        yield from against(works, "1 GiB down, one object, with CRC32C", ("get", "get-parts"))


def large(bench):
    """An object larger than memory: a sparse file on disk."""
    with tempfile.TemporaryDirectory(prefix="kinetic-bench-") as disk:
        file = pathlib.Path(disk) / "hole"
        with file.open("wb") as out:
            out.truncate(bench.large_gib * GIB)
        with bench.server(pathlib.Path(disk) / "contents"):
            for verb, target in (("put", file), ("get", "/dev/null"), ("put-parts", file),
                                 ("get-parts", pathlib.Path(disk) / "out")):
                cost = bench.tool(verb, "parts" if "parts" in verb else "object", target)
                yield Row(f"{bench.large_gib} GiB, {verb}", "≤ 64 MB", cost, limits=((cost.peak, 64, "MiB"),),
                          bounds=cores(cost))
                if verb == "get":
                    bench.remove("object")


def packs(bench):
    """Sends a folder as packs, which are hashed, sampled and compressed where it helps."""
    folder = bench.folder / "noise"
    folder.mkdir()
    for number in range(8):
        (folder / f"shard-{number}").write_bytes(os.urandom(GIB // 8))
    file = bench.file(GIB)
    with bench.server(bench.folder / "contents"):
        ours, one = interleaved(3, lambda: bench.put_data(folder),
                                lambda: bench.up(lambda name: bench.tool("put", name, file)))
        yield Row("1 GiB of noise in 8 files, as packs", "≥ 0.6x of one object", ours, one, "put", at_least=0.6,
                  limits=((ours.peak, 64, "MiB"),), bounds=f"{cores(ours)}: the sha256 of files and of their chunks")


def array(bench):
    """Sends an array of 256 MiB to a C++ function, which returns it."""
    size = 256
    file = bench.folder / "array"
    with file.open("wb") as out:
        for _ in range(size):
            out.write(os.urandom(2**20))
    with bench.server(bench.folder / "contents"):
        url = bench.url

        def call():
            name = bench.name()
            home = bench.folder / name
            environment = {"PATH": os.environ["PATH"], "HOME": str(home), "STORAGE_EMULATOR_HOST": url,
                           "KINETIC_STORE": f"gs://bench/{name}",
                           "KINETIC_RUNNER": str(bench.binaries / "kinetic-runner")}
            cost = bench.measure([str(bench.binaries / "native_call"), "array", str(size)], cwd=bench.folder,
                                 env=environment)
            cost.wall = float(cost.output) / 1000
            bench.rclone("purge", f":gcs:bench/{name}")  # to limit memory
            shutil.rmtree(home)
            return cost

        def curl():
            name = bench.name()
            up_url = f"{url}/upload/storage/v1/b/bench/o?uploadType=media&name={name}"
            sent = bench.run("curl", "-sf", "-o", "/dev/null", "-X", "POST", "-T", file, up_url)
            received = bench.run("curl", "-sf", "-o", bench.folder / "out",
                                 f"{url}/storage/v1/b/bench/o/{name}?alt=media")
            bench.remove(name)
            return Cost(sent.wall + received.wall, sent.cpu + received.cpu, max(sent.peak, received.peak))

        ours, rival = interleaved(3, call, curl)
        yield Row("256 MiB array to a C++ function and back", "≥ 0.8x", ours, rival, "curl up and down", at_least=0.8,
                  bounds="the array is sent and fetched twice: by this program and by the job")


def files(bench):
    """Sends 2,000 files, which the rival sends one by one."""
    folder = bench.folder / "files"
    for number in range(2000):
        file = folder / f"{number % 20}" / f"{number}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(os.urandom(50_000))
    with bench.server(bench.folder / "contents"):
        rivals = {"rclone copy": (lambda: bench.rclone("copy", folder, f":gcs:bench/{bench.name()}"), 1.0)}
        if HAS_GCLOUD:
            rivals["gcloud storage cp -r"] = (lambda: bench.gcloud("-r", folder, f"gs://bench/{bench.name()}"), 20.0)
        for name, (send, at_least) in rivals.items():
            ours, rival = interleaved(3, lambda: bench.put_data(folder), send)
            yield Row("2,000 files of 50 KB", f"≥ {at_least:g}x", ours, rival, name, at_least=at_least,
                      bounds=cores(ours))


ROWS = {"up": up, "down": down, "packs": packs, "array": array, "files": files, "large": large}
PROGRAMS = ("gcs-server", "gcs_tool", "measure", "kinetic", "kinetic-runner", "native_call")


def measure(row, options, folder):
    return row(Bench(options.binaries, folder, options.large_gib))


def main():
    parser = table.arguments(__doc__, PROGRAMS, "/dev/shm", "in memory; 3 GB are needed")
    parser.add_argument("--large-gib", type=int, default=20, help="\"large\" needs twice as much disk space")
    table.run(parser, PROGRAMS, ROWS, measure)


if __name__ == "__main__":
    main()
