"""Required fields that the discovery documents do not mark: by method id, dotted names.

Query parameters have the prefix "?".
"""

POOL = "container.projects.locations.clusters.nodePools."
CLUSTER = "container.projects.locations.clusters."
REPOSITORY = "artifactregistry.projects.locations.repositories."

REQUIRED = {
    CLUSTER + "create": ("cluster", "cluster.name"),
    CLUSTER + "update": ("update",),
    CLUSTER + "setResourceLabels": ("labelFingerprint",),
    POOL + "create": ("nodePool", "nodePool.name"),
    POOL + "setSize": ("nodeCount",),
    POOL + "setAutoscaling": ("autoscaling",),
    REPOSITORY + "create": ("?repositoryId", "format"),
    REPOSITORY + "patch": ("?updateMask",),
    REPOSITORY + "setIamPolicy": ("policy",),
    "iam.projects.serviceAccounts.create": ("accountId",),
    "iam.projects.serviceAccounts.patch": ("updateMask", "serviceAccount"),
    "iam.projects.serviceAccounts.setIamPolicy": ("policy",),
    "cloudresourcemanager.projects.setIamPolicy": ("policy",),
    "cloudresourcemanager.projects.testIamPermissions": ("permissions",),
    "serviceusage.services.batchEnable": ("serviceIds",),
    "serviceusage.services.batchGet": ("?names",),
}


def missing(call):
    """Returns the required fields that a request lacks."""
    found = []
    for field in REQUIRED.get(call.method, ()):
        if field.startswith("?"):
            value = call.query.get(field[1:])
        else:
            value = call.body
            for word in field.split("."):
                value = value.get(word) if isinstance(value, dict) else None
        if value is None or value == "":
            found.append(field.lstrip("?"))
    return found
