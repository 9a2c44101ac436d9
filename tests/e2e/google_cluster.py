"""A project of a stand-in for Google Cloud, with the test cluster as its GKE cluster.

The arguments of a program that uses it: KINETIC RUNNER GCS_SERVER [TEST...]
"""

import fcntl
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
import urllib.parse
import uuid

import cluster
from cluster import wait_for

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"
sys.path.insert(0, str(SUPPORT))
import image_registry
from google_cloud.http_server import GoogleCloud
from google_cloud.options import Options

KINETIC, RUNNER, GCS_SERVER = map(os.path.abspath, (sys.argv.pop(1) for _ in range(3)))
PROJECT, BUCKET = "kinetic-test", "kinetic-test-kinetic"
NAMESPACE_NAME = f"kinetic-{uuid.uuid4().hex[:8]}"  # programs run at the same time
NAMESPACE = f"/api/v1/namespaces/{NAMESPACE_NAME}"


def setUpModule():
    cluster.need_cluster()
    if reason := image_registry.missing():
        print(f"skipped: {reason}")
        sys.exit(cluster.UNAVAILABLE)


def tearDownModule():
    """Deletes the namespace, as the deletion of a cluster does."""
    api = cluster.Cluster().api
    if api.find(NAMESPACE):
        api.delete(NAMESPACE)


class CloudTestCase(unittest.TestCase):
    """Each test has its own project, image registry and home directory."""

    options = {}

    def setUp(self):
        self.cluster = cluster.Cluster()
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-up-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        self.project = self.home / "project"
        self.project.mkdir()
        self.registry = image_registry.Registry(self.home / "registry")
        self.addCleanup(self.registry.stop)
        documents = subprocess.run([SUPPORT / "google-documents"], capture_output=True, text=True, check=True)
        self.cloud = GoogleCloud(Options(
            documents=documents.stdout.strip(), project=PROJECT, tokens={self.cluster.token: "user:ana@example.com"},
            dns_endpoint=urllib.parse.urlsplit(self.cluster.server).netloc, registry=self.registry.host,
            **self.options)).start()
        self.addCleanup(self.cloud.stop)
        self.environment = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "KINETIC_METADATA_HOST": "none",
            "KINETIC_API_ENDPOINT": self.cloud.url, "KINETIC_ACCESS_TOKEN": self.cluster.token,
            "KINETIC_CA_FILE": self.cluster.ca_file, "KINETIC_RUNNER": RUNNER,
            "KINETIC_NAMESPACE": NAMESPACE_NAME}

    def start(self, *words):
        return subprocess.Popen([KINETIC, *words], env=self.environment, cwd=self.project, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_kinetic(self, *words, code=0):
        process = self.start(*words)
        stdout, stderr = process.communicate(timeout=240)
        self.assertEqual(process.returncode, code, f"{words}: {stdout}{stderr}")
        self.assertNotIn(self.cluster.token, stdout + stderr)
        return subprocess.CompletedProcess(words, code, stdout, stderr)

    def on_terminal(self, columns, *words):
        """Returns the lines of stdout on a terminal."""
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = self.environment | {"NO_COLOR": "1"}
        with open(outer, "rb", buffering=0) as seen:
            process = subprocess.Popen([KINETIC, *words], env=environment, cwd=self.project, stdout=inner,
                                       stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.close(inner)
            text = b""
            try:
                while piece := seen.read(65536):
                    text += piece
            except OSError:  # the program has ended
                pass
            process.wait(timeout=60)
        return text.decode().split("\r\n")

    def up(self, *words, code=0):
        return self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-1", "--yes", *words, code=code)

    def down(self, *words, code=0):
        return self.run_kinetic("down", "--yes", *words, code=code)

    def resources(self):
        """Returns what exists, as (kind, name)."""
        shown = self.cloud.state.shown()
        return {(kind, name) for kind, named in shown.items() for name in named}

    def kinds(self):
        return {kind for kind, _ in self.resources()}

    def check_requests(self):
        self.assertEqual(list(self.cloud.violations), [])
        self.assertEqual(list(self.cloud.defects), [])
