"""KWOK nodes for scheduling tests. Their pods run nothing; pods of jobs succeed."""

import programs
from api import ApiError
from node import is_ready

_SELECTOR = "kinetic.test/fake=true"
# Pods with this label are bound to a node and do not continue.
_STILL = "kinetic.test/still=true"


def ensure(count, traits, plane, processes, layout):
    """Creates `count` nodes; 0 removes them all."""
    api = plane.api()
    there = {node["metadata"]["name"] for node in api.get(f"/api/v1/nodes?labelSelector={_SELECTOR}")["items"]}
    wanted = {f"fake-{number}" for number in range(count)}
    for name in there - wanted:
        api.delete(f"/api/v1/nodes/{name}")
    if not wanted:
        processes.stop("kwok")
        return
    processes.start("kwok", [
        programs.path("kwok"), f"--kubeconfig={layout.kubeconfig}", "--manage-all-nodes=false",
        f"--manage-nodes-with-label-selector={_SELECTOR}",
        f"--disregard-status-with-label-selector={_STILL}",
        # Without leases the nodes would count as lost.
        "--node-lease-duration-seconds=40"])
    for name in sorted(wanted - there):
        try:
            api.create("/api/v1/nodes", _node(name, traits))
        except ApiError as error:
            if error.status != 409:
                raise
    processes.wait("kwok", lambda: all(is_ready(api, name) for name in wanted))


def _node(name, traits):
    capacity = {"cpu": "32", "memory": "256Gi", "pods": "110", "ephemeral-storage": "1Ti", **traits.capacity}
    key, _, value = _SELECTOR.partition("=")
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {key: value, "kubernetes.io/hostname": name, **traits.labels},
                     "annotations": {"kwok.x-k8s.io/node": "fake"}},
        # Only pods with this toleration are scheduled here.
        "spec": {"taints": [{"key": key, "value": value, "effect": "NoSchedule"}, *traits.taints]},
        "status": {"capacity": capacity, "allocatable": capacity},
    }
