"""Kubernetes Engine: clusters and operations."""

import re

from . import capacity, cluster_life, cluster_operations, labels, node_pools, node_rules, nodes
from .calls import handles
from .catalog import regions, zones_of
from .cluster_life import VERSION
from .errors import GoogleError
from .state import public

PREFIX = "container.projects.locations."
NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")


@handles(PREFIX + "getServerConfig", "container.clusters.list")
def server_config(cloud, call):
    check_location(cloud, call.part("locations"))
    versions = [VERSION, "1.35.6-gke.1308000"]
    return {"defaultClusterVersion": VERSION, "validMasterVersions": versions,
            "validNodeVersions": versions, "defaultImageType": "COS_CONTAINERD",
            "validImageTypes": ["COS_CONTAINERD", "UBUNTU_CONTAINERD"],
            "channels": [{"channel": channel, "defaultVersion": VERSION, "validVersions": versions}
                         for channel in ("RAPID", "REGULAR", "STABLE")]}


@handles(PREFIX + "clusters.create", "container.clusters.create")
def create(cloud, call):
    wanted, location = call.body["cluster"], call.part("locations")
    check_location(cloud, location)
    name = f"{call.name}/clusters/{wanted['name']}"
    if name in cloud.state["clusters"]:
        raise GoogleError(409, f"Already exists: {name}.")
    _check(cloud, wanted, location)
    cluster = cluster_life.new(cloud, wanted, location)
    pools = [] if _is_autopilot(wanted) else _wanted_pools(wanted)
    made = [nodes.new(cloud, call, name, cluster, pool) for pool in pools]
    cloud.state["clusters"][name] = cluster
    cloud.state["nodePools"].update(made)
    if "workloadIdentityConfig" in wanted:
        cloud.state["workloadPools"][wanted["workloadIdentityConfig"]["workloadPool"]] = {}
    return cluster_operations.start(
        cloud, call, "CREATE_CLUSTER", name,
        lambda: cluster_life.finish_create(cloud, name, made, call.fault),
        fail=lambda: cluster_life.fail_create(cluster, made),
        events=[("created", pool_name, pool["initialNodeCount"]) for pool_name, pool in made])


@handles(PREFIX + "clusters.get", "container.clusters.get")
def get(cloud, call):
    return _shown(cloud, call.name, find(cloud, call.name))


@handles(PREFIX + "clusters.list", "container.clusters.list")
def list_all(cloud, call):
    location = call.part("locations")
    check_location(cloud, location)
    found = [_shown(cloud, name, cluster) for name, cluster in cloud.state["clusters"].items()
             if location in ("-", cluster["location"])]
    return {"clusters": found} if found else {}


@handles(PREFIX + "clusters.delete", "container.clusters.delete")
def delete(cloud, call):
    cluster = find(cloud, call.name)
    cluster_operations.check_free(cloud, call.name)
    cluster["status"] = "STOPPING"
    pools = node_pools.of(cloud, call.name)
    for pool in pools.values():
        pool["status"] = "STOPPING"
    return cluster_operations.start(
        cloud, call, "DELETE_CLUSTER", call.name,
        lambda: cluster_life.finish_delete(cloud, call.name),
        fail=lambda: cluster.update(status="ERROR"),
        events=[("deleted", name, 0) for name in pools])


@handles(PREFIX + "clusters.update", "container.clusters.update")
def update(cloud, call):
    cluster = find(cloud, call.name)
    cluster_operations.check_free(cloud, call.name, "UPDATE_CLUSTER")
    desired = call.body["update"]
    if len(desired) != 1:
        raise GoogleError(400, "Must specify exactly one field to update.")
    cluster["status"] = "RECONCILING"
    return cluster_operations.start(cloud, call, "UPDATE_CLUSTER", call.name,
                                    lambda: cluster_life.finish_update(cloud, cluster, desired),
                                    fail=lambda: cluster.update(status="RUNNING"))


@handles(PREFIX + "clusters.setResourceLabels", "container.clusters.update")
def set_labels(cloud, call):
    cluster = find(cloud, call.name)
    cluster_operations.check_free(cloud, call.name, "SET_LABELS")
    if call.body["labelFingerprint"] != cluster["labelFingerprint"]:
        raise GoogleError(400, "Labels could not be set due to fingerprint mismatch.",
                          "FAILED_PRECONDITION")
    wanted = call.body.get("resourceLabels", {})
    labels.check(wanted)
    return cluster_operations.start(cloud, call, "SET_LABELS", call.name,
                                    lambda: cluster_life.set_labels(cluster, wanted))


def find(cloud, name):
    found = cloud.state["clusters"].get(name)
    if not found:
        raise GoogleError(404, f"Not found: {name}.")
    return found


def check_location(cloud, location):
    if location != "-" and location not in zones_of(cloud.options) + regions(cloud.options):
        raise GoogleError(400, f"Location \"{location}\" does not exist.")


def _is_autopilot(wanted):
    return wanted.get("autopilot", {}).get("enabled", False)


def _check(cloud, wanted, location):
    if not NAME.fullmatch(wanted["name"]):
        raise GoogleError(400, "Invalid value for field \"cluster.name\": must match "
                               f"'{NAME.pattern}'.")
    if _is_autopilot(wanted):
        if location not in regions(cloud.options):
            raise GoogleError(400, "Autopilot clusters must be regional clusters.")
        if wanted.get("nodePools"):
            raise GoogleError(400, "Autopilot clusters cannot have node pools specified.")
    elif not wanted.get("nodePools") and not wanted.get("initialNodeCount"):
        raise GoogleError(400, "Cluster.initial_node_count must be greater than zero.")
    workload_pool = wanted.get("workloadIdentityConfig", {}).get("workloadPool")
    if workload_pool and workload_pool != f"{cloud.options.project}.svc.id.goog":
        raise GoogleError(400, f"Workload Identity Pool \"{workload_pool}\" is invalid: currently, "
                               f"the only supported value is \"{cloud.options.project}"
                               ".svc.id.goog\".")
    network = wanted.get("network", "default").rpartition("/")[2]
    if network not in cloud.state["networks"]:
        raise GoogleError(404, f"Not found: project \"{cloud.options.project}\" does not have "
                               f"network \"{network}\".")
    is_private = wanted.get("networkConfig", {}).get("defaultEnablePrivateNodes")
    if "compute.vmExternalIpAccess" in cloud.options.constraints.values() and not is_private:
        raise GoogleError(400, "Google Compute Engine: Constraint constraints/"
                               "compute.vmExternalIpAccess violated for project "
                               f"{cloud.options.project}.")
    labels.check(wanted.get("resourceLabels", {}))
    for pool in wanted.get("nodePools", []):
        node_rules.check_initial(pool)


def _wanted_pools(wanted):
    if wanted.get("nodePools"):
        return wanted["nodePools"]
    return [{"name": "default-pool", "initialNodeCount": wanted["initialNodeCount"],
             "config": wanted.get("nodeConfig", {})}]


def _shown(cloud, name, cluster):
    pools = node_pools.of(cloud, name).values()
    count = sum(capacity.nodes_of(pool) for pool in pools)
    shown = public({**cluster, "nodePools": [public(pool) for pool in pools]})
    if count:
        shown["currentNodeCount"] = count
    return shown
