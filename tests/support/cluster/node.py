"""One node: a container engine and a kubelet on this machine."""

import dataclasses
import json
import pathlib
import shutil
import signal

import images
import programs
from api import ApiError
from containerd import Containerd
from layout import free_port
from processes import works
from trouble import Trouble

_STARTING = {"key": "kinetic.test/starting", "effect": "NoSchedule"}


@dataclasses.dataclass
class Traits:
    """Properties of a node besides those of the machine: {name: value}; taints as in a node's spec."""

    labels: dict
    taints: list
    capacity: dict

    def over(self, old):
        """Returns these traits, completed by the node's previous ones."""
        return Traits(old.labels | self.labels, self.taints or old.taints, old.capacity | self.capacity)


def tpu_traits():
    """Returns the traits of a node like GKE's with four chips and a GPU, without taints."""
    return Traits({"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
                   "cloud.google.com/gke-tpu-topology": "1x1",
                   "cloud.google.com/gke-accelerator": "nvidia-l4"},
                  [], {"google.com/tpu": "4", "nvidia.com/gpu": "2"})


def apply_traits(api, name, traits):
    """Adds labels; a value of None removes one. Taints replace all except those of the system."""
    while True:
        node = api.get(f"/api/v1/nodes/{name}")
        system = [taint for taint in node["spec"].get("taints", []) if taint["key"].startswith("node.kubernetes.io/")]
        change = {"metadata": {"labels": traits.labels, "resourceVersion": node["metadata"]["resourceVersion"]},
                  "spec": {"taints": system + traits.taints}}
        try:
            api.patch(f"/api/v1/nodes/{name}", change)
            break
        except ApiError as error:
            if error.status != 409:
                raise
    if traits.capacity:
        api.patch(f"/api/v1/nodes/{name}/status",
                  {"status": {"capacity": traits.capacity, "allocatable": traits.capacity}})


def parse_taint(text):
    """Parses a taint in kubectl's form: "key=value:effect"."""
    key, _, effect = text.rpartition(":")
    if not key or effect not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
        raise Trouble(f"a taint is key=value:effect with effect NoSchedule, PreferNoSchedule or NoExecute, not {text!r}")
    key, _, value = key.partition("=")
    return {"key": key, "value": value, "effect": effect}


def is_ready(api, name):
    node = api.find(f"/api/v1/nodes/{name}")
    if not node:
        return False
    states = {condition["type"]: condition["status"] for condition in node["status"].get("conditions", [])}
    away = any(taint["key"] in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
               for taint in node["spec"].get("taints", []))
    return states.get("Ready") == "True" and not away


class Node:
    """@param plane  its control plane"""

    def __init__(self, name, layout, processes, plane, chosen):
        self.name = name
        self._layout = layout
        self._folder = layout.node(name)
        self._processes = processes
        self._plane = plane
        self._chosen = chosen
        self._kubelet = f"kubelet-{name}"
        self.engine = Containerd(name, self._folder, layout.state, processes)

    def start(self, traits):
        """Starts the node, or restarts it after stop(), with these traits. Returns when it accepts pods."""
        api = self._plane.api()
        if not self.runs():
            self.engine.start()
            self._load_images()
            self._start_kubelet()
            self._forget_ready(api)
        self._processes.wait(self._kubelet, lambda: is_ready(api, self.name))
        apply_traits(api, self.name, traits)

    def stop(self, containers=True):
        """Simulates a power failure; with containers=False, the loss of the kubelet only."""
        self._processes.stop(self._kubelet, signal.SIGKILL)
        if containers and self.engine.runs():
            self.engine.kill_all()

    def remove(self):
        """Stops the node and removes its files."""
        self._processes.stop(self._kubelet, signal.SIGKILL)
        self.engine.start()
        self.engine.remove_all()
        self.engine.stop()
        _unmount(self._folder)
        shutil.rmtree(self._folder)

    def runs(self):
        return self._processes.pid(self._kubelet) is not None

    def _load_images(self):
        if not all(self.engine.has(image) for image in images.NAMES.values()):
            self.engine.load(images.bundle())
        for archive in sorted(self._layout.imports.iterdir()):
            self.engine.load(archive)

    def _forget_ready(self, api):
        """Removes the outdated state of a node that ran before from the API server."""
        if api.find(f"/api/v1/nodes/{self.name}"):
            unknown = {"type": "Ready", "status": "Unknown", "reason": "Restarting", "message": "it is started again"}
            api.patch(f"/api/v1/nodes/{self.name}/status", {"status": {"conditions": [unknown]}})

    def _start_kubelet(self):
        authority, address = self._plane.authority, self._chosen["address"]
        authority.sign(self.name, f"/O=system:nodes/CN=system:node:{self.name}", [f"DNS:{self.name}", f"IP:{address}"])
        kubeconfig = authority.kubeconfig(self.name, self._plane.server)
        config = self._folder / "kubelet.json"
        config.write_text(json.dumps(self._kubelet_config(), indent=1))
        self._processes.start(self._kubelet, [
            programs.path("kubelet"), f"--config={config}", f"--kubeconfig={kubeconfig}", f"--node-ip={address}",
            f"--hostname-override={self.name}", f"--root-dir={self._folder}/kubelet",
            f"--register-with-taints={_STARTING['key']}=:{_STARTING['effect']}"])

    def _kubelet_config(self):
        pki, address = self._layout.pki, self._chosen["address"]
        port = free_port(address, 10250)
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "containerRuntimeEndpoint": f"unix://{self.engine.socket}",
            "address": address, "port": port, "healthzPort": 0,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                               "x509": {"clientCAFile": f"{pki}/ca.crt"}},
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": f"{pki}/{self.name}.crt", "tlsPrivateKeyFile": f"{pki}/{self.name}.key",
            "resolvConf": "/etc/resolv.conf",
            # The kubelet does not manage the control groups of this machine.
            "cgroupDriver": "cgroupfs", "cgroupRoot": "/", "cgroupsPerQOS": False, "enforceNodeAllocatable": [],
            "failCgroupV1": False, "failSwapOn": False,
            # A full disk must not cause eviction. Nothing is pulled, so nothing may be collected.
            "evictionHard": {"memory.available": "1Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100,
            # Shortens intervals from minutes to seconds: log rotation, lost nodes.
            "podLogsDir": f"{self._folder}/podlogs", "containerLogMaxSize": "1Mi", "containerLogMonitorInterval": "3s",
            "nodeStatusUpdateFrequency": "2s", "nodeLeaseDurationSeconds": 12,
        }


def _unmount(folder):
    """Returns everything below a folder, innermost first."""
    mounts = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    for mount in sorted((mount for mount in mounts if pathlib.Path(mount).is_relative_to(folder)), reverse=True):
        works("umount", "-l", mount)
