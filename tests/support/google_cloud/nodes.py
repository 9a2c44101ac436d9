"""Kubernetes Engine: what a node pool is made of, and its nodes."""

import copy

from . import capacity, disks, node_rules
from .admission import require
from .catalog import zones_of
from .errors import GoogleError, OperationFailed
from .roles import includes

SCOPES = ["https://www.googleapis.com/auth/devstorage.read_only",
          "https://www.googleapis.com/auth/logging.write",
          "https://www.googleapis.com/auth/monitoring"]
NODE_ROLE = "roles/container.defaultNodeServiceAccount"
NODE_PERMISSIONS = ("logging.logEntries.create", "monitoring.timeSeries.create")


def new(cloud, call, cluster_name, cluster, wanted):
    """Returns name and resource of a checked node pool."""
    pool = copy.deepcopy(wanted)
    pool["config"] = {"machineType": "e2-medium", "diskSizeGb": 100, "diskType": "pd-balanced",
                      "serviceAccount": "default", "oauthScopes": SCOPES,
                      **pool.get("config", {})}
    disk = pool["config"].get("bootDisk", {})
    pool["config"]["diskSizeGb"] = int(disk.get("sizeGb", pool["config"]["diskSizeGb"]))
    pool.setdefault("upgradeSettings", {"maxSurge": 1, "strategy": "SURGE"})
    pool.setdefault("initialNodeCount", 0)
    pool.setdefault("management", {"autoUpgrade": True, "autoRepair": True})
    if not pool.get("locations"):
        location = cluster["location"]
        pool["locations"] = [location] if location in zones_of(cloud.options) \
            else list(cluster["locations"])
    node_rules.check(cloud, cluster, pool)
    _check_account(cloud, call, pool["config"]["serviceAccount"])
    name = f"{cluster_name}/nodePools/{pool['name']}"
    pool.update(status="PROVISIONING", version=cluster["currentMasterVersion"],
                selfLink=f"{cluster['selfLink']}/nodePools/{pool['name']}", _size=0,
                _cluster=cluster_name, _location=cluster["location"])
    return name, pool


def provision(cloud, name, pool, fault=None):
    """Adds the first nodes of a pool. On failure the pool remains, with status ERROR."""
    try:
        resize(cloud, name, pool, pool["initialNodeCount"], fault)
    except OperationFailed as failed:
        pool["status"] = "ERROR"
        pool["statusMessage"] = failed.message
        add_condition(pool, failed.condition, failed.status, failed.message)
        raise
    pool["status"] = "RUNNING"
    check_node_role(cloud, pool)


def resize(cloud, name, pool, count, fault=None):
    capacity.check(cloud, pool, count - pool["_size"], fault)
    pool["_size"] = count
    disks.adjust(cloud, name, pool)


def account_email(cloud, account):
    """Returns the address of a node service account."""
    if account == "default":
        return f"{cloud.options.number}-compute@developer.gserviceaccount.com"
    return account


def _check_account(cloud, call, account):
    email = account_email(cloud, account)
    if not cloud.knows_account(email):
        raise GoogleError(400, f"Service account \"{email}\" does not exist.")
    project = f"projects/{cloud.options.project}"
    chain = [f"{project}/serviceAccounts/{email}", project]
    if (call.fault or "").startswith("permission:"):
        require(cloud, call, "iam.serviceAccounts.actAs", chain, email)
    if not cloud.iam.allows(call.caller, "iam.serviceAccounts.actAs", chain):
        raise GoogleError(400, f"The user does not have access to service account \"{account}\". "
                               "Ask a project owner to grant you the iam.serviceAccountUser role "
                               "on the service account.")


def check_node_role(cloud, pool):
    """GKE reports a node service account that cannot write logs and metrics."""
    email = account_email(cloud, pool["config"]["serviceAccount"])
    roles = cloud.iam.roles(f"serviceAccount:{email}", [f"projects/{cloud.options.project}"])
    lacking = [permission for permission in NODE_PERMISSIONS
               if not any(includes(role, permission) for role in roles)]
    if lacking:
        add_condition(pool, "NODE_SERVICE_ACCOUNT_MISSING_PERMISSIONS", "PERMISSION_DENIED", (
            f"The node service account {email} is missing permissions: {', '.join(lacking)}. "
            f"Grant it {NODE_ROLE}."))


def add_condition(pool, code, status, message):
    condition = {"canonicalCode": status, "message": message}
    pool["conditions"] = [{**condition, "code": code} if code else condition]
