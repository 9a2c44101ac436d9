#!/usr/bin/env python3
"""The runner image in containerd, imported from a file and pulled from a registry.

    containerd_test.py KINETIC RUNNER
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import containers
import image_registry

KINETIC, RUNNER = (os.path.abspath(word) for word in sys.argv[1:3])
PROGRAM = "/kinetic-runner/bin/kinetic-runner"
TIMEOUT = 30  # seconds
CONFIG = """version = 2
root = "{folder}/root"
state = "{folder}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "{folder}/socket"
[ttrpc]
  address = "{folder}/socket.ttrpc"
"""


@contextlib.contextmanager
def running_containerd():
    """Yields a function that runs ctr with the given arguments and returns its stdout."""
    # A short name, because socket paths are limited.
    with tempfile.TemporaryDirectory(prefix="ctd-", dir="/tmp", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        (folder / "config.toml").write_text(CONFIG.format(folder=folder))
        with open(folder / "log", "wb") as log:
            server = subprocess.Popen(["containerd", "-c", folder / "config.toml"], stdout=log, stderr=log)

        def ctr(*words):
            done = subprocess.run(["ctr", "-a", folder / "socket", *words], capture_output=True, text=True)
            if done.returncode != 0:
                raise AssertionError(f"ctr {' '.join(map(str, words))}: {done.stderr}{done.stdout}")
            return done.stdout

        try:
            _wait(server, ctr)
            yield ctr
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait(server, ctr):
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            return ctr("version")
        except AssertionError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


class RunnerInContainerd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-image-"))
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.version = subprocess.run([RUNNER, "--version"], capture_output=True, text=True, check=True).stdout

    def make(self, *words):
        done = subprocess.run([KINETIC, "image", "runner", "--runner", RUNNER, *words], capture_output=True, text=True,
                              env={"HOME": str(self.home), "PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_imported_image_runs(self):
        with running_containerd() as ctr:
            for compression in ("zstd", "gzip"):
                file = self.home / f"{compression}.tar"
                name = self.make("--output", file, "--compression", compression)
                ctr("images", "import", file)
                self.assertEqual(ctr("images", "list", "-q").split(), [name])
                self.assertEqual(ctr("run", "--rm", name, "one", PROGRAM, "--version"), self.version)
                ctr("images", "remove", "--sync", name)

    def test_pulled_image_runs(self):
        registry = image_registry.Registry(self.home / "registry")
        self.addCleanup(registry.stop)
        reference = self.make("--push", f"{registry.host}/team/kinetic-runner")
        with running_containerd() as ctr:
            ctr("images", "pull", "--plain-http", reference)
            self.assertEqual(ctr("run", "--rm", reference, "one", PROGRAM, "--version"), self.version)


if __name__ == "__main__":
    if reason := containers.unavailable():
        print(f"skipped: {reason}")
        sys.exit(77)
    if reason := image_registry.missing():
        sys.exit(f"{reason}: scripts/install-packages test")
    unittest.main(argv=sys.argv[:1])
