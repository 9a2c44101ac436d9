"""The default network of a new project."""

from .catalog import regions
from .disks import LINK


def load(cloud):
    project = LINK + cloud.options.project
    network = f"{project}/global/networks/default"
    cloud.state["networks"]["default"] = {
        "kind": "compute#network", "id": "1", "name": "default", "autoCreateSubnetworks": True,
        "selfLink": network, "subnetworks": []}
    for index, region in enumerate(regions(cloud.options)):
        link = f"{project}/regions/{region}/subnetworks/default"
        cloud.state["networks"]["default"]["subnetworks"].append(link)
        cloud.state["subnetworks"][f"{region}/default"] = {
            "kind": "compute#subnetwork", "id": str(index + 2), "name": "default",
            "network": network, "ipCidrRange": f"10.{128 + 2 * index}.0.0/20",
            "region": f"{project}/regions/{region}", "selfLink": link}
