"""Kubernetes Engine: how a cluster begins, changes and ends."""

import hashlib

from . import disks, node_pools, nodes
from .catalog import region_of, zones_of
from .errors import OperationFailed

VERSION = "1.36.3-gke.1105000"
FINGERPRINT = "a9dc16a7"
OVERLAP = ("Retry budget exhausted (5 attempts): Google Compute Engine: Invalid IPCidrRange: "
           "10.4.0.0/14 conflicts with existing subnetwork 'gke-other-subnet' in region 'us-west4'.")
# Fields of ClusterUpdate whose name in Cluster differs
UPDATED = {"desiredClusterAutoscaling": "autoscaling"}


def new(cloud, wanted, location):
    options, zones = cloud.options, zones_of(cloud.options)
    digest = hashlib.sha256(f"{wanted['name']}{location}{cloud.random_bits()}".encode()).hexdigest()
    kept = {key: value for key, value in wanted.items()
            if key not in ("nodePools", "initialNodeCount", "nodeConfig")}
    own = f"projects/{options.project}"
    kind = "zones" if location in zones else "locations"
    locations = [location] if location in zones else zones_of(options, location)
    return {"network": "default", "subnetwork": "default", "locations": locations, **kept,
            "id": digest, "location": location, "zone": location, "status": "PROVISIONING",
            "createTime": cloud.clock.text(), "currentMasterVersion": VERSION,
            "initialClusterVersion": VERSION, "currentNodeVersion": VERSION,
            "labelFingerprint": FINGERPRINT, "resourceLabels": wanted.get("resourceLabels", {}),
            "selfLink": f"https://container.googleapis.com/v1/{own}/{kind}/{location}/clusters/"
                        f"{wanted['name']}", "etag": digest[:8]}


def finish_create(cloud, name, made, fault):
    cluster = cloud.state["clusters"][name]
    try:
        if fault == "cidr_overlap":
            raise OperationFailed("FAILED_PRECONDITION", OVERLAP)
        for pool_name, pool in made:
            nodes.provision(cloud, pool_name, pool, fault)
    except Exception:
        cluster["status"] = "ERROR"
        raise
    cluster["status"] = "RUNNING"
    _add_endpoints(cloud, cluster)
    disks.add_firewalls(cloud, cluster)


def fail_create(cluster, made):
    cluster["status"] = "ERROR"
    for _, pool in made:
        pool["status"] = "ERROR"


def _add_endpoints(cloud, cluster):
    options, region = cloud.options, region_of(cluster["location"])
    by_address = cluster.get("controlPlaneEndpointsConfig", {}).get("ipEndpointsConfig", {}).get("enabled", True)
    if by_address:
        cluster["endpoint"] = options.endpoint
    cluster["masterAuth"] = {"clusterCaCertificate": options.ca_certificate}
    config = cluster.setdefault("controlPlaneEndpointsConfig", {})
    config.setdefault("dnsEndpointConfig", {})["endpoint"] = options.dns_endpoint or (
        f"gke-{cluster['id'][:32]}-{options.number}.{region}.gke.goog")
    config.setdefault("ipEndpointsConfig", {"enabled": True, "enablePublicEndpoint": True})


def finish_delete(cloud, name):
    cluster = cloud.state["clusters"].pop(name)
    for pool_name in list(node_pools.of(cloud, name)):
        disks.remove_nodes(cloud, cloud.state["nodePools"].pop(pool_name))
    disks.remove_cluster(cloud, cluster)


def finish_update(cloud, cluster, desired):
    (field, value), = desired.items()
    name = UPDATED.get(field, field[7].lower() + field[8:])
    old = cluster.get(name)
    cluster[name] = {**old, **value} if isinstance(old, dict) else value
    cluster["status"] = "RUNNING"
    _add_endpoints(cloud, cluster)


def set_labels(cluster, labels):
    cluster["resourceLabels"] = labels
    cluster["labelFingerprint"] = hashlib.sha256(str(labels).encode()).hexdigest()[:8]
