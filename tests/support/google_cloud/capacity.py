"""Quotas and stock-outs."""

import fnmatch

from . import catalog
from .errors import OperationFailed


def limits(options, region):
    return {**catalog.QUOTAS, **options.quotas.get(region, {})}


def all_gpus(options):
    return options.quotas.get(catalog.GLOBAL, {}).get(catalog.ALL_GPUS, catalog.ALL_GPUS_DEFAULT)


def needs(pool, nodes):
    """Returns what nodes of a pool use, by metric."""
    config = pool["config"]
    cpus, _, kind, count = catalog.MACHINES[config["machineType"]]
    used = {}
    if config["machineType"] not in catalog.TPUS and config["machineType"] not in catalog.GPUS:
        used["CPUS"] = cpus * nodes
    for accelerator in [] if kind else config.get("accelerators", []):
        kind, count = accelerator["acceleratorType"], int(accelerator["acceleratorCount"])
    if kind:
        used[_metric(kind, config)] = count * nodes
    return used


def _metric(kind, config):
    preemptible = config.get("spot") or config.get("preemptible") or config.get("flexStart")
    return ("PREEMPTIBLE_" if preemptible else "") + catalog.METRICS[kind]


def nodes_of(pool):
    """Returns the number of nodes of a pool in all its zones."""
    return pool["_size"] * len(pool["locations"])


def usage(cloud, region):
    """Returns what exists in a region, by metric."""
    used = {}
    for pool in cloud.state["nodePools"].values():
        if catalog.region_of(pool["_location"]) == region:
            for metric, count in needs(pool, nodes_of(pool)).items():
                used[metric] = used.get(metric, 0) + count
    sizes = [int(disk["sizeGb"]) for disk in cloud.state["disks"].values()
             if catalog.region_of(disk["zone"].rpartition("/")[2]) == region]
    addresses = [one for one in cloud.state["addresses"].values()
                 if one.get("region", "").endswith("/" + region)]
    return {**used, "DISKS_TOTAL_GB": sum(sizes), "STATIC_ADDRESSES": len(addresses)}


def check(cloud, pool, nodes, fault=None):
    """Raises OperationFailed if nodes cannot be added to a pool now."""
    if nodes <= 0 and fault != "stockout":
        return
    machine, zones = pool["config"]["machineType"], pool["locations"]
    for zone in zones:
        if fault == "stockout" or _is_out(cloud.options.stockouts, machine, zone):
            raise OperationFailed("RESOURCE_EXHAUSTED", _out_of_stock(zone), "GCE_STOCKOUT")
    _check_quota(cloud, pool, nodes * len(zones), fault)


def _check_quota(cloud, pool, nodes, fault):
    region = catalog.region_of(pool["_location"])
    known, used = limits(cloud.options, region), usage(cloud, region)
    reserved = pool["config"].get("reservationAffinity", {}).get("consumeReservationType")
    wanted = needs(pool, nodes)
    wanted[catalog.ALL_GPUS] = _on_demand_gpus(pool, nodes)
    known[catalog.ALL_GPUS] = all_gpus(cloud.options)
    used[catalog.ALL_GPUS] = sum(_on_demand_gpus(other, nodes_of(other))
                                 for other in cloud.state["nodePools"].values())
    for metric, count in wanted.items():
        if (reserved == "SPECIFIC_RESERVATION" and metric != "CPUS") or not count:
            continue
        free = known.get(metric, 0) - used.get(metric, 0)
        if count > free or fault == "quota":
            raise OperationFailed("RESOURCE_EXHAUSTED", (
                f"Insufficient quota to satisfy the request: resource \"{metric}\": request "
                f"requires '{float(count)}' and is short '{float(max(count - free, 0))}'. project "
                f"has a quota of '{float(known.get(metric, 0))}' with '{float(free)}' available. "
                "View and manage quotas at https://console.cloud.google.com/iam-admin/quotas"
                f"?usage=USED&project={cloud.options.project}."), "GCE_QUOTA_EXCEEDED")


def _on_demand_gpus(pool, nodes):
    return sum(count for metric, count in needs(pool, nodes).items() if metric.startswith("NVIDIA_"))


def _is_out(stockouts, machine, zone):
    return any(fnmatch.fnmatchcase(f"{machine}@{zone}", pattern) for pattern in stockouts)


def _out_of_stock(zone):
    return (f"Google Compute Engine: The zone '{zone}' does not have enough resources available "
            "to fulfill the request.  Try a different zone, or try again later. "
            "(ZONE_RESOURCE_POOL_EXHAUSTED)")
