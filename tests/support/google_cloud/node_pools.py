"""Kubernetes Engine: node pools."""

from . import cluster_operations, disks, node_rules, nodes
from .calls import handles
from .errors import GoogleError, OperationFailed
from .state import public

PREFIX = "container.projects.locations.clusters.nodePools."


@handles(PREFIX + "create", "container.clusters.update")
def create(cloud, call):
    cluster, wanted = _cluster(cloud, call.name), call.body["nodePool"]
    name = f"{call.name}/nodePools/{wanted['name']}"
    if name in cloud.state["nodePools"]:
        raise GoogleError(409, f"Already exists: {name}.")
    cluster_operations.check_pool_free(cloud, call.name, name)
    name, pool = nodes.new(cloud, call, call.name, cluster, wanted)
    cloud.state["nodePools"][name] = pool
    cluster["status"] = "RECONCILING"
    return cluster_operations.start(
        cloud, call, "CREATE_NODE_POOL", call.name,
        lambda: _finish_create(cloud, cluster, name, pool, call.fault), pool=name,
        fail=lambda: _end(cluster, pool, "ERROR"),
        events=[("created", name, pool["initialNodeCount"])])


@handles(PREFIX + "get", "container.clusters.get")
def get(cloud, call):
    return public(find(cloud, call.name))


@handles(PREFIX + "list", "container.clusters.get")
def list_all(cloud, call):
    _cluster(cloud, call.name)
    found = [public(pool) for pool in of(cloud, call.name).values()]
    return {"nodePools": found} if found else {}


@handles(PREFIX + "delete", "container.clusters.update")
def delete(cloud, call):
    pool, cluster_name = find(cloud, call.name), _cluster_name(call.name)
    cluster = _cluster(cloud, cluster_name)
    cluster_operations.check_pool_free(cloud, cluster_name, call.name)
    pool["status"], cluster["status"] = "STOPPING", "RECONCILING"
    return cluster_operations.start(
        cloud, call, "DELETE_NODE_POOL", cluster_name,
        lambda: _finish_delete(cloud, cluster, call.name), pool=call.name,
        fail=lambda: _end(cluster, pool, "ERROR"), events=[("deleted", call.name, 0)])


@handles(PREFIX + "setSize", "container.clusters.update")
def set_size(cloud, call):
    pool, cluster_name = find(cloud, call.name), _cluster_name(call.name)
    cluster, count = _cluster(cloud, cluster_name), call.body["nodeCount"]
    cluster_operations.check_pool_free(cloud, cluster_name, call.name)
    node_rules.check_size(pool, count)
    pool["status"], cluster["status"] = "RECONCILING", "RECONCILING"
    return cluster_operations.start(
        cloud, call, "SET_NODE_POOL_SIZE", cluster_name,
        lambda: _finish_size(cloud, cluster, call.name, count, call.fault), pool=call.name,
        fail=lambda: _end(cluster, pool, "RUNNING_WITH_ERROR"),
        events=[("resized", call.name, count)])


@handles(PREFIX + "setAutoscaling", "container.clusters.update")
def set_autoscaling(cloud, call):
    pool, cluster_name = find(cloud, call.name), _cluster_name(call.name)
    cluster, wanted = _cluster(cloud, cluster_name), call.body["autoscaling"]
    cluster_operations.check_pool_free(cloud, cluster_name, call.name)
    node_rules.check_autoscaling(pool, wanted)
    cluster["status"] = "RECONCILING"

    def finish():
        pool["autoscaling"] = wanted
        _end(cluster, pool, pool["status"])

    return cluster_operations.start(cloud, call, "UPDATE_CLUSTER", cluster_name, finish,
                                    pool=call.name)


@handles(PREFIX + "update", "container.clusters.update")
def update(cloud, call):
    """Changes one field of a pool."""
    pool, cluster_name = find(cloud, call.name), _cluster_name(call.name)
    cluster = _cluster(cloud, cluster_name)
    cluster_operations.check_pool_free(cloud, cluster_name, call.name)
    if len(call.body) != 1:
        raise GoogleError(400, "Only one field of a node pool can be updated at a time.")
    [(field, value)] = call.body.items()
    if field not in ("taints", "consolidationDelay", "upgradeSettings"):
        raise GoogleError(400, f"the stand-in cannot update {field}")
    pool["status"], cluster["status"] = "RECONCILING", "RECONCILING"

    def finish():
        holder = pool if field == "upgradeSettings" else pool["config"]
        holder[field] = value["taints"] if field == "taints" else value
        _end(cluster, pool, "RUNNING")

    return cluster_operations.start(cloud, call, "UPDATE_CLUSTER", cluster_name, finish,
                                    pool=call.name)


def find(cloud, name):
    _cluster(cloud, _cluster_name(name))
    if name not in cloud.state["nodePools"]:
        raise GoogleError(404, f"Not found: {name}.")
    return cloud.state["nodePools"][name]


def of(cloud, cluster):
    """Returns the node pools of a cluster by name."""
    return {name: pool for name, pool in cloud.state["nodePools"].items()
            if pool["_cluster"] == cluster}


def _finish_create(cloud, cluster, name, pool, fault):
    try:
        nodes.provision(cloud, name, pool, fault)
    finally:
        _end(cluster, pool, pool["status"])


def _finish_delete(cloud, cluster, name):
    pool = cloud.state["nodePools"].pop(name)
    disks.remove_nodes(cloud, pool)
    _end(cluster, pool, "STOPPING")


def _finish_size(cloud, cluster, name, count, fault):
    pool = cloud.state["nodePools"][name]
    try:
        nodes.resize(cloud, name, pool, count, fault)
    except OperationFailed as failed:
        nodes.add_condition(pool, failed.condition, failed.status, failed.message)
        _end(cluster, pool, "RUNNING_WITH_ERROR")
        raise
    pool.pop("conditions", None)
    _end(cluster, pool, "RUNNING")
    nodes.check_node_role(cloud, pool)


def _end(cluster, pool, status):
    cluster["status"], pool["status"] = "RUNNING", status


def _cluster(cloud, name):
    if name not in cloud.state["clusters"]:
        raise GoogleError(404, f"Not found: {name}.")
    return cloud.state["clusters"][name]


def _cluster_name(name):
    return name.partition("/nodePools/")[0]
