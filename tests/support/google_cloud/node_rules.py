"""Rules for node pools that are not in the discovery document (facts: gke.md, part 3)."""

import re

from . import catalog
from .errors import GoogleError

NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")
RESERVATION = re.compile(r"(?:projects/[^/]+/reservations/)?([^/]+)(?:/reservationBlocks/[^/]+)?")
SINGLE = "TPU topology can't be specified with single-host TPU slice pool"


def check_initial(pool):
    if not NAME.fullmatch(pool.get("name", "")):
        raise GoogleError(400, f"Invalid value for field \"node_pool.name\": must match "
                               f"'{NAME.pattern}'.")


def check(cloud, cluster, pool):
    """Refuses a node pool that GKE would refuse. `pool` has its defaults filled in."""
    check_initial(pool)
    config = pool["config"]
    for zone in pool["locations"]:
        _check_zone(cloud, cluster, zone)
        _check_machine(config["machineType"], zone)
        _check_gpus(config, zone)
    if pool.get("initialNodeCount", 0) < 0:
        raise GoogleError(400, "Node pool initial node count must be at least 0.")
    _check_metadata_mode(cluster, config)
    _check_reservation(cloud, pool)
    _check_spot(cluster, config)
    _check_disk(config)
    _check_flex_start(pool)
    check_autoscaling(pool, pool.get("autoscaling", {}))
    if catalog.is_tpu(config["machineType"]):
        _check_tpu(pool)


def hosts(pool):
    """Returns the fixed size of a multi-host TPU slice, or None."""
    topology = pool.get("placementPolicy", {}).get("tpuTopology")
    machine = pool["config"]["machineType"]
    return catalog.hosts(machine, topology) if topology and catalog.is_tpu(machine) else None


def check_size(pool, count):
    """A multi-host slice has all of its nodes or none."""
    size = hosts(pool)
    if size and count not in (0, size):
        raise GoogleError(400, f"Google Compute Engine: Invalid value for field 'resource.resizeBy'"
                               f": '{count}'. Requested invalid target size '{count}' for a "
                               f"Managed Instance Group in the gang mode of size '{size}'. Should "
                               "be equal to the gang size.")


def check_autoscaling(pool, autoscaling):
    if not autoscaling.get("enabled"):
        return
    low, high = autoscaling.get("minNodeCount", 0), autoscaling.get("maxNodeCount", 0)
    total = autoscaling.get("totalMaxNodeCount", 0)
    size, topology = hosts(pool), pool.get("placementPolicy", {}).get("tpuTopology")
    if size and high != size:
        raise GoogleError(400, f"Maximum node count {high} is not a valid size of TPU pod slice "
                               f"with topology {topology}")
    if high and total:
        raise GoogleError(400, "Cannot specify both per-zone and total node counts.")
    if low > high and not total:
        raise GoogleError(400, f"Minimum node count {low} is greater than maximum node count "
                               f"{high}.")
    if not high and not total:
        raise GoogleError(400, "Maximum node count must be at least 1.")


def _check_zone(cloud, cluster, zone):
    known = catalog.zones_of(cloud.options, catalog.region_of(cluster["location"]))
    if zone not in known:
        raise GoogleError(400, f"Location \"{zone}\" is not in the region of the cluster.")


def _check_machine(machine, zone):
    if machine not in catalog.machines_in(zone):
        raise GoogleError(400, f"Machine type with name '{machine}' does not exist in zone "
                               f"'{zone}'.")


def _check_gpus(config, zone):
    kind = catalog.MACHINES[config["machineType"]][2]
    for accelerator in config.get("accelerators", []):
        wanted = accelerator.get("acceleratorType")
        if wanted not in catalog.gpus_in(zone):
            raise GoogleError(400, f"Accelerator type \"{wanted}\" does not exist in zone {zone}.")
        if kind not in (None, wanted) or config["machineType"].startswith("e2-"):
            raise GoogleError(400, f"Accelerator type {wanted} is not supported for machine type "
                                   f"{config['machineType']}.")


def _check_metadata_mode(cluster, config):
    mode = config.get("workloadMetadataConfig", {}).get("mode")
    if mode == "GKE_METADATA" and "workloadIdentityConfig" not in cluster:
        raise GoogleError(400, "workload_metadata_config.mode GKE_METADATA requires a cluster with "
                               "Workload Identity enabled.")


def _check_reservation(cloud, pool):
    affinity = pool["config"].get("reservationAffinity", {})
    if affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
        return
    known = {(one["name"], one["zone"].rpartition("/")[2]) for one in cloud.options.reservations}
    for value in affinity.get("values", []):
        name = RESERVATION.fullmatch(value)[1]
        if not all((name, zone) in known for zone in pool["locations"]):
            raise GoogleError(400, f"Specified reservations [{name}] do not exist.")


def _minor(cluster):
    return int(cluster["currentMasterVersion"].split(".")[1])


def _check_disk(config):
    size = int(config.get("bootDisk", {}).get("sizeGb", config["diskSizeGb"]))
    if not 10 <= size <= 65536:
        raise GoogleError(400, f"Boot disk size {size} is not between 10 and 65536 GB.")


def _check_spot(cluster, config):
    if sum(bool(config.get(kind)) for kind in ("spot", "preemptible", "flexStart")) > 1:
        raise GoogleError(400, "Only one of spot, preemptible and flex_start can be set.")
    grace = config.get("kubeletConfig", {}).get("shutdownGracePeriodSeconds")
    if grace is not None and _minor(cluster) < 36:
        raise GoogleError(400, "shutdown_grace_period_seconds requires a newer version of GKE.")
    if grace is not None and not config.get("spot"):
        raise GoogleError(400, "shutdown_grace_period_seconds requires Spot VMs.")
    if grace not in (None, 0, 30, 120):
        raise GoogleError(400, f"Invalid shutdown_grace_period_seconds {grace}: must be one of "
                               "0, 30, 120.")


def _check_flex_start(pool):
    config = pool["config"]
    if not config.get("flexStart"):
        return
    affinity = config.get("reservationAffinity", {}).get("consumeReservationType")
    if affinity != "NO_RESERVATION":
        raise GoogleError(400, "Flex-start requires reservation affinity NO_RESERVATION.")
    if pool.get("management", {}).get("autoRepair", True):
        raise GoogleError(400, "Flex-start requires node auto-repair to be disabled.")
    if not config.get("maxRunDuration"):
        raise GoogleError(400, "Flex-start requires max_run_duration.")


def _check_tpu(pool):
    machine, policy = pool["config"]["machineType"], pool.get("placementPolicy")
    topology = (policy or {}).get("tpuTopology")
    single = catalog.single_host_topology(machine)
    if topology == single or (topology and machine in catalog.SINGLE_HOST):
        raise GoogleError(400, SINGLE)
    if policy and not topology and not policy.get("policyName"):
        raise GoogleError(400, "Multi-host TPU slice node pools require placement_policy."
                               "tpu_topology.")
    if not topology:
        return
    if machine.startswith("tpu7x-"):
        raise GoogleError(400, f"Creation of a managed instance group with {machine} machine type "
                               "with placement policy is not supported. Use workload policy "
                               "instead.")
    if policy.get("type") != "COMPACT":
        raise GoogleError(400, "placement_policy.tpu_topology requires type COMPACT.")
    sides = topology.split("x")
    if not all(side.isdigit() for side in sides) or len(sides) != len(single.split("x")):
        raise GoogleError(400, f"TPU topology {topology} is not valid for machine type {machine}.")
    if len(pool["locations"]) != 1:
        raise GoogleError(400, "Multi-host TPU slice node pools must be in exactly one zone.")
    check_size(pool, pool.get("initialNodeCount", 0))
