"""Loads the handlers of all services and what exists in a new project."""

from . import (  # noqa: F401
    artifact_registry, billing, cloud_quotas, clusters, compute, compute_operations, folder_methods,
    networks, node_pools, objects, resource_manager, service_accounts, service_usage, storage)


def load(cloud):
    options = cloud.options
    cloud.iam.create(f"projects/{options.project}",
                     [{"role": "roles/owner", "members": list(options.owners)}])
    for service in options.enabled:
        cloud.state["services"][service.removesuffix(".googleapis.com")] = 0.0
    networks.load(cloud)
