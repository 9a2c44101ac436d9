"""A containerd of one test, without Kubernetes."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE = 30  # seconds
CONFIG = """version = 2
root = "{folder}/root"
state = "{folder}/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
  address = "{folder}/socket"
[ttrpc]
  address = "{folder}/socket.ttrpc"
"""


def missing():
    """What this machine lacks for it, or None."""
    if os.geteuid() != 0:
        return "containers need root"
    programs = [name for name in ("containerd", "ctr", "runc") if shutil.which(name) is None]
    return f"not installed: {', '.join(programs)}" if programs else None


@contextlib.contextmanager
def running():
    """Yields a function that runs ctr with the words it is given and returns its stdout."""
    # Short: the paths of sockets are limited.
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
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait(server, ctr):
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return ctr("version")
        except AssertionError:
            if server.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
