"""Kubernetes Engine: operations and their conflicts."""

from .calls import handles
from .errors import CODES, GoogleError, error_info

PREFIX = "container.projects.locations.operations."
DOING = {"CREATE_NODE_POOL": "creating a node pool for", "DELETE_NODE_POOL":
         "deleting a node pool in", "SET_NODE_POOL_SIZE": "resizing a node pool of",
         "CREATE_CLUSTER": "creating", "DELETE_CLUSTER": "deleting"}
BUSY = "Cluster is running incompatible operation {}."


def start(cloud, call, kind, cluster, finish, pool=None, fail=None, events=()):
    """Starts an operation and returns its first view.

    @param events  (what, pool, size) that the hook is told
    """
    name = f"operation-{int(cloud.clock.now() * 1000)}-{_unique(cloud)}"
    hook = _hook(cloud, events) if cloud.options.hook and events else None
    fault = call.fault if call.fault == "operation_error" else None
    operation = cloud.operations.start(
        kind, finish, name=name, hook=hook, fault=fault, service="container", fail=fail,
        cluster=cluster, pool=pool, location=call.part("locations"), target=pool or cluster)
    return _shown(cloud, operation)


def check_free(cloud, cluster, kind="DELETE_CLUSTER"):
    """Refuses an operation on a whole cluster while another one runs."""
    running = cloud.operations.running(service="container", cluster=cluster)
    if not running:
        return
    first = running[0]
    if first.about["pool"]:
        raise GoogleError(400, (
            f"Operation {first.name} is currently {DOING[first.kind]} cluster "
            f"{cluster.rpartition('/')[2]}. Please wait and try again once it is done."),
            "FAILED_PRECONDITION")
    raise _busy(first)


def check_pool_free(cloud, cluster, pool):
    """Refuses an operation on a node pool that the running ones do not permit."""
    running = cloud.operations.running(service="container", cluster=cluster)
    for operation in running:
        if operation.about["pool"] in (None, pool):
            raise _busy(operation)
    if running and not cloud.options.parallel_pool_operations:
        check_free(cloud, cluster)
    quota, name = cloud.options.concurrent_operations, cluster.rpartition("/")[2]
    if len(running) >= quota:
        raise GoogleError(429, f"Too many operations: cluster \"{name}\" hits the concurrent "
                               f"operations quota {quota}, please try again later.")
    if cloud.state["clusters"][cluster]["status"] not in ("RUNNING", "RECONCILING"):
        raise GoogleError(400, "Cluster is currently being created, deleted, updated or repaired "
                               "and cannot be updated.", "FAILED_PRECONDITION")


@handles(PREFIX + "get", "container.operations.get")
def get(cloud, call):
    operation = cloud.operations.all.get(call.part("operations"))
    location = call.part("locations")
    if not operation or operation.about.get("location") != location:
        raise GoogleError(404, f"Not found: {call.name}.")
    return _shown(cloud, operation)


@handles(PREFIX + "list", "container.operations.list")
def list_all(cloud, call):
    location = call.part("locations")
    found = [_shown(cloud, one) for one in cloud.operations.all.values()
             if one.about.get("service") == "container"
             and location in ("-", one.about["location"])]
    return {"operations": found} if found else {}


def _busy(operation):
    return GoogleError(400, BUSY.format(operation.name), "FAILED_PRECONDITION", details=[
        error_info("CLUSTER_ALREADY_HAS_OPERATION", "container.googleapis.com",
                   operation=operation.name)])


def _unique(cloud):
    text = f"{cloud.random_bits():032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _hook(cloud, events):
    """Returns a function that reports events to the hook, which is a callable or a command."""
    told = [(what, cloud.state["nodePools"][name], size) for what, name, size in events]

    def run():
        for what, pool, size in told:
            cloud.call_hook({"event": what, "cluster": pool["_cluster"], "pool": pool["name"],
                             "size": size * len(pool["locations"]), "nodePool": pool})
    return run


def _shown(cloud, operation):
    about, now = operation.about, cloud.clock.now()
    number = cloud.options.number
    link = "https://container.googleapis.com/v1/projects/" + number
    location = about["location"]
    shown = {"name": operation.name, "zone": location, "location": location,
             "operationType": operation.kind, "status": operation.status(now),
             "selfLink": f"{link}/locations/{location}/operations/{operation.name}",
             "targetLink": f"{link}/{about['target'].split('/', 2)[2]}",
             "startTime": cloud.clock.text(operation.start)}
    if operation.finished is not None:
        shown["endTime"] = cloud.clock.text(operation.finished)
    if operation.error:
        shown.update(_error(operation))
    return shown


def _error(operation):
    error = operation.error
    shown = {"statusMessage": error.message,
             "error": {"code": CODES[error.status], "message": error.message}}
    condition = {"canonicalCode": error.status, "message": error.message}
    if error.condition:
        condition["code"] = error.condition
    key = "nodepoolConditions" if operation.about["pool"] else "clusterConditions"
    return {**shown, key: [condition]}
