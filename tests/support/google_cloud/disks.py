"""What a cluster creates in Compute Engine: boot disks of nodes and firewall rules."""

import re

from .catalog import region_of

LINK = "https://www.googleapis.com/compute/v1/projects/"


def adjust(cloud, name, pool):
    """Creates and deletes boot disks so that each node of a pool has one."""
    wanted = {}
    cluster = pool["_cluster"].rpartition("/")[2]
    for zone in pool["locations"]:
        for index in range(pool["_size"]):
            disk = f"gke-{cluster}-{pool['name']}-{_digest(name)}-{index:04x}"[:63]
            wanted[f"{zone}/{disk}"] = _disk(cloud, pool, zone, disk, cluster)
    for key in [key for key, disk in cloud.state["disks"].items() if disk.get("_pool") == name]:
        if key not in wanted:
            del cloud.state["disks"][key]
    for key, disk in wanted.items():
        cloud.state["disks"].setdefault(key, {**disk, "_pool": name})


def remove_nodes(cloud, pool):
    """Deletes the boot disks of a deleted pool."""
    name = f"{pool['_cluster']}/nodePools/{pool['name']}"
    pool["_size"] = 0
    adjust(cloud, name, pool)


def add_firewalls(cloud, cluster):
    for kind in ("all", "vms", "inkubelet", "exkubelet"):
        name = f"gke-{cluster['name']}-{cluster['id'][:8]}-{kind}"
        cloud.state["firewalls"][name] = {
            "kind": "compute#firewall", "id": _id(cloud), "name": name,
            "network": f"{LINK}{cloud.options.project}/global/networks/default",
            "_cluster": cluster["id"]}


def remove_cluster(cloud, cluster):
    """Deletes firewall rules, and leaves behind what the option `orphan` names."""
    for name in [name for name, rule in cloud.state["firewalls"].items()
                 if rule.get("_cluster") == cluster["id"]]:
        del cloud.state["firewalls"][name]
    if cloud.options.orphan == "disk":
        _leave_disk(cloud, cluster)
    elif cloud.options.orphan == "address":
        _leave_address(cloud, cluster)


def _leave_disk(cloud, cluster):
    zone, name = cluster["locations"][0], f"pvc-{_digest(cluster['id'])}"
    pool = {"config": {"diskSizeGb": 10, "diskType": "pd-balanced"}}
    cloud.state["disks"][f"{zone}/{name}"] = _disk(cloud, pool, zone, name, cluster["name"])


def _leave_address(cloud, cluster):
    region, name = region_of(cluster["location"]), f"k8s-fw-{_digest(cluster['id'])}"
    cloud.state["addresses"][f"{region}/{name}"] = {
        "kind": "compute#address", "id": _id(cloud), "name": name, "status": "RESERVED",
        "address": "203.0.113.77", "addressType": "EXTERNAL",
        "creationTimestamp": cloud.clock.text(),
        "labels": {"goog-k8s-cluster-name": cluster["name"]},
        "region": f"{LINK}{cloud.options.project}/regions/{region}"}


def _disk(cloud, pool, zone, name, cluster):
    place = f"{LINK}{cloud.options.project}/zones/{zone}"
    config = pool["config"]
    return {"kind": "compute#disk", "id": _id(cloud), "name": name, "status": "READY",
            "creationTimestamp": cloud.clock.text(), "sizeGb": str(config["diskSizeGb"]),
            "zone": place, "type": f"{place}/diskTypes/{config['diskType']}",
            "labels": {"goog-k8s-cluster-name": cluster, "goog-k8s-cluster-location": zone},
            "selfLink": f"{place}/disks/{name}"}


def _digest(text):
    return f"{abs(hash_of(text)):08x}"


def hash_of(text):
    """Returns a number that is the same in each run, unlike hash()."""
    number = 0
    for character in re.sub(r"\W", "", text):
        number = (number * 131 + ord(character)) % (1 << 32)
    return number


def _id(cloud):
    return str(cloud.random_bits(62))
