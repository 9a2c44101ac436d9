"""GKE's autoscaler: adds a node of a pool of the stand-in to the test cluster while a pod waits for one."""

import threading

from cluster import command
from google_cloud import nodes

# Labels of GKE's nodes by machine type.
TPU = {"ct5lp-hightpu-4t": {"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
                            "cloud.google.com/gke-tpu-topology": "2x2"}}
CHIPS = {"ct5lp-hightpu-4t": 4}
EVERY_NODE = {"kubernetes.io/arch": "amd64"}
POOL_LABEL = "cloud.google.com/gke-nodepool"


class Autoscaler:
    """@param cloud, api  the stand-in, and the Kubernetes API of the test cluster
    @param namespace   path of the namespace whose pods get nodes"""

    def __init__(self, cloud, api, namespace):
        self.nodes = {}  # by the name of their pool
        self._cloud, self._api, self._namespace = cloud, api, namespace
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self):
        self._ended.set()
        self._thread.join()
        for name in self.nodes.values():
            command("node-remove", name)

    def _run(self):
        while not self._ended.wait(0.3):
            for pod in self._api.get(f"{self._namespace}/pods?fieldSelector=status.phase=Pending")["items"]:
                if not pod["spec"].get("nodeName"):
                    self._add_node_for(pod)

    def _add_node_for(self, pod):
        wanted = pod["spec"].get("nodeSelector", {})
        for path, pool in list(self._cloud.state["nodePools"].items()):
            labels = self._labels_of(pool)
            if pool["name"] not in self.nodes and labels and wanted.items() <= (labels | EVERY_NODE).items():
                self._add_node(path, pool, labels)
                return

    @staticmethod
    def _labels_of(pool):
        traits = TPU.get(pool["config"]["machineType"])
        return traits and {**traits, POOL_LABEL: pool["name"]}

    def _add_node(self, path, pool, labels):
        with self._cloud.lock:
            nodes.resize(self._cloud, path, pool, 1)
        name = f"gke-{pool['name']}"
        self.nodes[pool["name"]] = name
        command("node", name, *(word for label in labels.items() for word in ("--label", "=".join(label))),
                "--taint", "google.com/tpu=present:NoSchedule",
                "--capacity", f"google.com/tpu={CHIPS[pool['config']['machineType']]}")
