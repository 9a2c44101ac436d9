"""A cluster, a Cloud Storage server and a machine for measurements; local, or with simulated distance."""

import dataclasses
import json
import os
import pathlib
import secrets
import shutil
import ssl
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(TESTS / folder) for folder in ("e2e", "support", "support/cluster")]

from bucket import Bucket
from cluster import Cluster, command, wait_for
from cluster_machine import ClusterMachine, import_runner
from delaying_proxy import DelayingProxy, count_round_trips
from latency import LatencyProxy

JOB = "name: bench\nfunction: f:f\nargs: {size: 0}\ndependencies: null\nbundle: {root: .}\n"
# Prints the time of its return, with the given number of bytes.
FUNCTION = "def f(size):\n    import time\n    return str(time.time()) + ' ' + '.' * size\n"


@dataclasses.dataclass
class Run:
    """A command that printed a line."""

    line: str
    until_line: float  # seconds since its start
    line_at: float  # seconds since 1970
    cpu: float  # seconds, including awaited children
    peak: float  # MiB
    lines: int = 1
    streamed: float = 0.0  # seconds from the first to the last


def is_up():
    try:
        command("status")
    except RuntimeError:
        return False
    return True


class ClusterPlace:
    """@param binaries  of kinetic and the stand-in; @param round_trip  seconds to the simulated servers"""

    def __init__(self, binaries, folder, round_trip):
        self.binaries, self.folder, self.round_trip = binaries, pathlib.Path(folder), round_trip
        self.was_up = is_up()
        if not self.was_up:
            command("up")
        self.cluster = Cluster()
        self.api = self.cluster.api
        (self.folder / "contents").mkdir()
        self.bucket = Bucket(self.binaries / "gcs-server", self.folder / "contents", host="0.0.0.0")
        self.port = int(self.bucket.url.rsplit(":", 1)[1])
        self.pods_storage = f"http://{self.cluster.address}:{self.port}"
        host, _, port = self.cluster.server.removeprefix("https://").rpartition(":")
        self.far_storage = LatencyProxy("127.0.0.1", self.port, round_trip)
        self.far_server = LatencyProxy(host, int(port), round_trip)
        self.runner_image = import_runner(self.binaries / "kinetic", self.binaries / "kinetic-runner")
        self.namespaces = []
        self.namespace = self.new_namespace()
        self.machine = self.new_machine("machine", self.namespace, "team")
        self.machine.job(JOB, f_py=FUNCTION)

    def close(self):
        for namespace in self.namespaces:
            self.api.delete(f"/api/v1/namespaces/{namespace}")
        for server in (self.far_storage, self.far_server):
            server.close()
        self.bucket.stop()
        if not self.was_up:
            command("down")

    def new_namespace(self):
        name = f"bench-{secrets.token_hex(4)}"
        self.api.create("/api/v1/namespaces", {"metadata": {"name": name}})
        self.namespaces.append(name)
        wait_for("the service account of pods",
                 lambda: self.api.find(f"/api/v1/namespaces/{name}/serviceaccounts/default"))
        return name

    def new_machine(self, name, namespace, store, **settings):
        return ClusterMachine(self.folder / name, self.binaries / "kinetic", self.binaries / "kinetic-runner",
                              self.bucket, self.cluster, namespace, self.runner_image, store, **settings)

    @staticmethod
    def describe():
        """Returns the cluster as described by its program."""
        return command("describe")

    def jobs_path(self, name=""):
        return f"/apis/batch/v1/namespaces/{self.namespace}/jobs/{name}".rstrip("/")

    def pods_path(self, rest=""):
        return f"/api/v1/namespaces/{self.namespace}/pods{rest}"

    def remove_job(self, name):
        """Removes a Job and waits for its pods, which would use processors of later measurements."""
        self.api.delete(self.jobs_path(name))
        pods = self.pods_path(f"?labelSelector=job-name={name}")
        wait_for(f"{name} gone", lambda: not self.api.get(pods)["items"])

    def kubeconfig_to(self, server, name="bench"):
        """@param server  a URL; no credential is sent over plain HTTP"""
        tls = {"certificate-authority": str(self.cluster.ca_file)} if server.startswith("https:") else {}
        return {"apiVersion": "v1", "kind": "Config", "current-context": name,
                "clusters": [{"name": name, "cluster": {"server": server, **tls}}],
                "users": [{"name": name, "user": {"token": self.cluster.token}}],
                "contexts": [{"name": name, "context": {"cluster": name, "user": name}}]}

    def ways(self, far):
        """Addresses of Cloud Storage and the cluster for a client."""
        if far:
            return f"http://127.0.0.1:{self.far_storage.port}", f"https://127.0.0.1:{self.far_server.port}"
        return self.bucket.url, self.cluster.server

    def environment(self, storage, server):
        """Returns the environment variables with which kinetic uses them."""
        path = self.folder / "kubeconfig"
        path.write_text(json.dumps(self.kubeconfig_to(server)))
        return {**self.machine.environment, "KINETIC_KUBECONFIG": str(path), "STORAGE_EMULATOR_HOST": storage}

    def run(self, command_line, environment, cwd=None):
        """Runs a command to its end and reads its output meanwhile."""
        cost = self.folder / "cost.json"
        begin = time.monotonic()
        words = [str(self.binaries / "measure"), str(cost), *map(str, command_line)]
        with open(self.folder / "stderr", "wb") as errors:
            process = subprocess.Popen(words, cwd=cwd or self.machine.project, env=environment, stderr=errors,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        line, first, first_at, last, lines = b"", None, 0.0, 0.0, 0
        while piece := os.read(process.stdout.fileno(), 1 << 20):
            last = time.monotonic()
            if first is None:
                first, first_at = last, time.time()
            lines += piece.count(b"\n")
            if b"\n" not in line:
                line += piece[:1 << 16]
        process.stdout.close()
        if process.wait() != 0:
            raise RuntimeError(f"{command_line}: {(self.folder / 'stderr').read_text()[-2000:]}")
        taken = json.loads(cost.read_text())
        if first is None:
            first = time.monotonic()
        return Run(line.decode(errors="replace").partition("\n")[0], first - begin, first_at, taken["cpu"],
                   taken["peak_bytes"] / 2**20, lines, last - first)

    def kinetic(self, *arguments, far=False):
        return self.run([self.binaries / "kinetic", *arguments], self.environment(*self.ways(far)))

    def kubectl(self, *arguments, namespace=None):
        path = self.folder / "kubectl.kubeconfig"
        path.write_text(json.dumps(self.kubeconfig_to(self.cluster.server)))
        environment = {"PATH": "/usr/bin", "HOME": str(self.folder), "KUBECONFIG": str(path)}
        return self.run([self.cluster.kubectl_program, "-n", namespace or self.namespace, *arguments], environment)

    def count(self, act):
        """Counts sequential round trips and requests of act(storage, server) with delayed responses, until a Job is
        accepted."""
        trusted = ssl.create_default_context(cafile=self.cluster.ca_file)
        token = {"Authorization": f"Bearer {self.cluster.token}"}
        servers = [DelayingProxy(self.bucket.url, 0.2), DelayingProxy(self.cluster.server, 0.2, trusted, token)]
        try:
            act(*(server.url for server in servers))
            asked = [exchange for server in servers for exchange in server.exchanges()]
        finally:
            for server in servers:
                server.stop()
        accepted = next(exchange for exchange in asked if exchange.method == "POST" and "/jobs" in exchange.target
                        and exchange.target.startswith("/apis/batch"))
        asked = [exchange for exchange in asked if exchange.begin <= accepted.end]
        return count_round_trips(asked), len(asked)

    def processes(self, command_line, environment):
        """Returns the number of programs that a command starts."""
        file = self.folder / "strace"
        subprocess.run([shutil.which("strace"), "-f", "-qq", "-e", "trace=execve", "-o", file, *map(str, command_line)], check=True,
                       cwd=self.machine.project, env=environment, capture_output=True)
        return sum(line.rstrip().endswith("= 0") for line in file.read_text().splitlines()) - 1
