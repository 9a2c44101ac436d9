"""The container engine of one node."""

import json
import os
import pathlib
import signal

import images
from processes import tool, wait_for, works

_CONFIG = """version = 2
root = "{folder}/containerd"
state = "{folder}/containerd-run"
[grpc]
  address = "{socket}"
[ttrpc]
  address = "{socket}.ttrpc"
[plugins."io.containerd.internal.v1.opt"]
  path = "{folder}/opt"
[plugins."io.containerd.grpc.v1.cri"]
  # Without CAP_SYS_RESOURCE no process may lower its score, and every container would fail.
  restrict_oom_score_adj = true
  sandbox_image = "{pause}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{plugins}"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "{registries}"
"""
_SANDBOXES = 'labels."io.cri-containerd.kind"==sandbox'


class Containerd:
    """@param folder  folder of the node
    @param state  folder of the cluster; all nodes share its CNI plugins and registry settings"""

    def __init__(self, name, folder, state, processes):
        self._process = f"containerd-{name}"
        self._folder = folder
        self._state = state
        self._processes = processes
        self.socket = folder / "containerd.sock"
        self._where = ("-a", self.socket, "-n", "k8s.io")

    def start(self):
        self._folder.mkdir(parents=True, exist_ok=True)
        config = self._folder / "containerd.toml"
        config.write_text(_CONFIG.format(folder=self._folder, socket=self.socket, pause=images.NAMES["pause"],
                                         plugins=self._state / "cni", registries=self._state / "registries"))
        self._processes.start(self._process, ["containerd", "-c", config])
        self._processes.wait(self._process, self._answers)

    def stop(self):
        self._processes.stop(self._process)

    def runs(self):
        return self._processes.pid(self._process) is not None

    def load(self, archive):
        """Imports a docker-archive or OCI archive. Images of the same name are replaced."""
        self._ctr("images", "import", archive)

    def push(self, image, name):
        """Pushes an image to a registry without TLS, under another name."""
        self._ctr("images", "tag", "--force", image, name)
        self._push(name)
        self._ctr("images", "remove", name)

    def _push(self, name, attempts=3):
        """ctr rarely fails with "unexpected EOF" while it reads from a busy containerd, so this tries again."""
        for _ in range(attempts - 1):
            if works("ctr", *self._where, "images", "push", "--plain-http", name):
                return
        self._ctr("images", "push", "--plain-http", name)

    def has(self, image):
        return image in self._ctr("images", "list", "-q").splitlines()

    def kill_all(self):
        """Kills every container process and shim at once."""
        for line in self._ctr("tasks", "list").splitlines()[1:]:
            _, pid, status = line.split()[:3]
            if status == "RUNNING":
                _kill(int(pid))
        self._processes.stop(self._process, signal.SIGKILL)
        for pid in self._shims():
            _kill(pid)

    def remove_all(self):
        """Removes every container with its network. Images are kept."""
        names = list(self._network_namespaces())
        # containerd removes ended containers itself, so some may be gone already.
        wait_for("the end of all containers", self._removed_all)
        for name in names:
            works("ip", "netns", "delete", name)

    def _removed_all(self):
        tasks, containers = (self._ctr(kind, "list", "-q").split() for kind in ("tasks", "containers"))
        for kind, flags, names in (("tasks", ["--force"], tasks), ("containers", [], containers)):
            if names:
                works("ctr", *self._where, kind, "delete", *flags, *names)
        return not tasks and not containers

    def _network_namespaces(self):
        for sandbox in self._ctr("containers", "list", "-q", _SANDBOXES).split():
            spec = json.loads(self._ctr("containers", "info", sandbox))["Spec"]
            for namespace in spec["linux"]["namespaces"]:
                if namespace["type"] == "network" and "path" in namespace:
                    yield pathlib.Path(namespace["path"]).name

    def _shims(self):
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"containerd-shim-runc-v2") and os.fsencode(self.socket) in words:
                yield int(folder.name)

    def _answers(self):
        return works("ctr", *self._where, "version")

    def _ctr(self, *words):
        return tool("ctr", *self._where, *words)


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
