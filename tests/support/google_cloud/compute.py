"""Compute Engine: places, machine types, disks and lists."""

from . import capacity, catalog
from .calls import handles
from .compute_lists import PER_ZONE, aggregated, listed, not_found
from .compute_operations import start
from .disks import LINK
from .errors import GoogleError
from .state import public


@handles("compute.regions.get", "compute.regions.get")
def get_region(cloud, call):
    region = call.params["region"]
    if region not in catalog.regions(cloud.options):
        raise not_found(call, f"regions/{region}")
    known, used = capacity.limits(cloud.options, region), capacity.usage(cloud, region)
    link = LINK + cloud.options.project
    return {"kind": "compute#region", "id": "1", "name": region, "status": "UP",
            "description": region, "selfLink": f"{link}/regions/{region}",
            "zones": [f"{link}/zones/{zone}"
                      for zone in catalog.zones_of(cloud.options, region)],
            "quotas": [{"metric": metric, "limit": float(limit),
                        "usage": float(used.get(metric, 0))} for metric, limit in known.items()
                       if metric not in catalog.BEYOND_REGIONS]}


@handles("compute.zones.list", "compute.zones.list")
def list_zones(cloud, call):
    link = LINK + cloud.options.project
    zones = [{"kind": "compute#zone", "id": str(2000 + index), "name": zone, "status": "UP",
              "description": zone, "region": f"{link}/regions/{catalog.region_of(zone)}",
              "selfLink": f"{link}/zones/{zone}"}
             for index, zone in enumerate(catalog.zones_of(cloud.options))]
    return listed(cloud, call, "zone", zones)


@handles("compute.machineTypes.get", "compute.machineTypes.get")
def get_machine_type(cloud, call):
    zone, name = call.params["zone"], call.params["machineType"]
    if zone not in catalog.zones_of(cloud.options) or name not in catalog.machines_in(zone):
        raise not_found(call, f"zones/{zone}/machineTypes/{name}")
    return _machine(cloud, zone, name)


@handles("compute.machineTypes.aggregatedList", "compute.machineTypes.list")
def list_machine_types(cloud, call):
    found = [(f"zones/{zone}", _machine(cloud, zone, name))
             for zone in catalog.zones_of(cloud.options) for name in catalog.machines_in(zone)]
    return aggregated(cloud, call, "machineTypes", found)


@handles("compute.acceleratorTypes.aggregatedList", "compute.acceleratorTypes.list")
def list_accelerator_types(cloud, call):
    found = [(f"zones/{zone}", {"kind": "compute#acceleratorType", "name": name,
                                "zone": f"{LINK}{cloud.options.project}/zones/{zone}",
                                "maximumCardsPerInstance": 8})
             for zone in catalog.zones_of(cloud.options) for name in catalog.gpus_in(zone)]
    return aggregated(cloud, call, "acceleratorTypes", found)


@handles("compute.reservations.aggregatedList", "compute.reservations.list")
def list_reservations(cloud, call):
    found = [(f"zones/{one['zone'].rpartition('/')[2]}", one)
             for one in cloud.options.reservations]
    return aggregated(cloud, call, "reservations", found)


def _register_lists():
    """Registers the lists of resources that the state keeps as PLACE/NAME or NAME."""
    for kind, resource in (("disks", "disk"), ("instances", "instance"),
                           ("addresses", "address"), ("routers", "router"),
                           ("forwardingRules", "forwardingRule"),
                           ("subnetworks", "subnetwork")):
        place = "zones" if kind in PER_ZONE else "regions"
        handles(f"compute.{kind}.aggregatedList", f"compute.{kind}.list")(
            _aggregated_list(kind, place))
        handles(f"compute.{kind}.list", f"compute.{kind}.list")(
            _place_list(kind, resource, place[:-1]))
    for kind, resource in (("networks", "network"), ("firewalls", "firewall")):
        handles(f"compute.{kind}.list", f"compute.{kind}.list")(_global_list(kind, resource))


def _aggregated_list(kind, place):
    def answer(cloud, call):
        found = [(f"{place}/{key.partition('/')[0]}", one)
                 for key, one in cloud.state[kind].items()]
        return aggregated(cloud, call, kind, found)
    return answer


def _place_list(kind, resource, place):
    def answer(cloud, call):
        return listed(cloud, call, resource, [
            one for key, one in cloud.state[kind].items()
            if key.partition("/")[0] == call.params[place]])
    return answer


def _global_list(kind, resource):
    return lambda cloud, call: listed(cloud, call, resource, list(cloud.state[kind].values()))


_register_lists()


@handles("compute.disks.delete", "compute.disks.delete")
def delete_disk(cloud, call):
    zone, name = call.params["zone"], call.params["disk"]
    key = f"{zone}/{name}"
    if key not in cloud.state["disks"]:
        raise not_found(call, f"zones/{zone}/disks/{name}")
    if cloud.state["disks"][key].get("_pool"):
        raise GoogleError(400, f"The disk resource 'projects/{cloud.options.project}/zones/{zone}"
                               f"/disks/{name}' is already being used by another resource.",
                          reason="resourceInUseByAnotherResource")
    return start(cloud, call, f"zones/{zone}", f"zones/{zone}/disks/{name}",
                  lambda: cloud.state["disks"].pop(key, None))


@handles("compute.addresses.delete", "compute.addresses.delete")
def delete_address(cloud, call):
    region, name = call.params["region"], call.params["address"]
    key = f"{region}/{name}"
    if key not in cloud.state["addresses"]:
        raise not_found(call, f"regions/{region}/addresses/{name}")
    return start(cloud, call, f"regions/{region}", f"regions/{region}/addresses/{name}",
                  lambda: cloud.state["addresses"].pop(key, None))


@handles("compute.routers.get", "compute.routers.get")
def get_router(cloud, call):
    region, name = call.params["region"], call.params["router"]
    if f"{region}/{name}" not in cloud.state["routers"]:
        raise not_found(call, f"regions/{region}/routers/{name}")
    return public(cloud.state["routers"][f"{region}/{name}"])


@handles("compute.routers.insert", "compute.routers.create")
def insert_router(cloud, call):
    region, name = call.params["region"], call.body["name"]
    network = call.body["network"].rpartition("/")[2]
    if network not in cloud.state["networks"]:
        raise GoogleError(404, f"The resource 'projects/{cloud.options.project}/global/networks/"
                               f"{network}' was not found")
    link = f"{LINK}{cloud.options.project}/regions/{region}"
    router = {"kind": "compute#router", "id": "7", **call.body, "region": link,
              "network": f"{LINK}{cloud.options.project}/global/networks/{network}",
              "selfLink": f"{link}/routers/{name}"}
    return start(cloud, call, f"regions/{region}", f"regions/{region}/routers/{name}",
                 lambda: cloud.state["routers"].setdefault(f"{region}/{name}", router), kind="insert")


@handles("compute.routers.delete", "compute.routers.delete")
def delete_router(cloud, call):
    region, name = call.params["region"], call.params["router"]
    key = f"{region}/{name}"
    if key not in cloud.state["routers"]:
        raise not_found(call, f"regions/{region}/routers/{name}")
    return start(cloud, call, f"regions/{region}", f"regions/{region}/routers/{name}",
                 lambda: cloud.state["routers"].pop(key, None))


def _machine(cloud, zone, name):
    cpus, memory, kind, count = catalog.MACHINES[name]
    shown = {"kind": "compute#machineType", "name": name, "guestCpus": cpus,
             "memoryMb": int(memory * 1024), "zone": zone, "isSharedCpu": False,
             "architecture": "X86_64",
             "selfLink": f"{LINK}{cloud.options.project}/zones/{zone}/machineTypes/{name}"}
    if kind:
        shown["accelerators"] = [{"guestAcceleratorType": kind, "guestAcceleratorCount": count}]
    return shown
