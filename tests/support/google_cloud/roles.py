"""Permissions of the roles that a caller can have. An excerpt of Google's tables."""

import fnmatch

CONTAINER = ("container.clusters.*", "container.operations.*")
ACCOUNTS = ("iam.serviceAccounts.create", "iam.serviceAccounts.delete",
            "iam.serviceAccounts.get", "iam.serviceAccounts.list", "iam.serviceAccounts.update",
            "iam.serviceAccounts.getIamPolicy", "iam.serviceAccounts.setIamPolicy")
PROJECT_VIEW = ("resourcemanager.projects.get", "resourcemanager.projects.list")
OBJECT_USE = ("storage.objects.create", "storage.objects.delete", "storage.objects.get",
              "storage.objects.list", "storage.objects.update",
              "storage.multipartUploads.*", "storage.folders.*", "storage.managedFolders.create",
              "storage.managedFolders.delete", "storage.managedFolders.get",
              "storage.managedFolders.list")

ROLES = {
    "roles/owner": ("*",),
    "roles/editor": ("artifactregistry.repositories.create", "artifactregistry.repositories.delete",
                     "artifactregistry.repositories.get", "artifactregistry.repositories.list",
                     "artifactregistry.repositories.update",
                     "artifactregistry.repositories.*Artifacts", "cloudquotas.*", "compute.*",
                     *CONTAINER, "iam.serviceAccounts.actAs", "iam.serviceAccounts.create",
                     "iam.serviceAccounts.delete", "iam.serviceAccounts.get",
                     "iam.serviceAccounts.list", "iam.serviceAccounts.update",
                     "resourcemanager.projects.get", "resourcemanager.projects.getIamPolicy",
                     "serviceusage.*", "storage.buckets.create", "storage.buckets.delete",
                     "storage.buckets.list", "billing.resourceCosts.get"),
    "roles/viewer": ("artifactregistry.repositories.get", "artifactregistry.repositories.list",
                     "cloudquotas.quotas.get", "compute.*.get", "compute.*.list",
                     "container.clusters.get", "container.clusters.list",
                     "container.operations.get", "container.operations.list",
                     "iam.serviceAccounts.get", "iam.serviceAccounts.list",
                     "resourcemanager.projects.get", "resourcemanager.projects.getIamPolicy",
                     "serviceusage.services.get", "serviceusage.services.list",
                     "storage.buckets.list"),
    "roles/container.admin": ("container.*", *PROJECT_VIEW),
    "roles/container.clusterViewer": ("container.clusters.connect", "container.clusters.get",
                                      "container.clusters.list", *PROJECT_VIEW),
    "roles/container.clusterAdmin": (*CONTAINER, *PROJECT_VIEW),
    "roles/container.defaultNodeServiceAccount": (
        "logging.logEntries.create", "monitoring.timeSeries.create",
        "monitoring.metricDescriptors.*", "autoscaling.sites.writeMetrics"),
    "roles/container.nodeServiceAccount": (
        "logging.logEntries.create", "monitoring.timeSeries.create"),
    "roles/compute.viewer": ("compute.*.get", "compute.*.list", *PROJECT_VIEW,
                             "serviceusage.services.get", "serviceusage.services.list"),
    "roles/storage.admin": ("storage.*", *PROJECT_VIEW),
    "roles/storage.objectUser": (*OBJECT_USE, *PROJECT_VIEW),
    "roles/storage.objectAdmin": ("storage.objects.*", *OBJECT_USE, *PROJECT_VIEW),
    "roles/storage.objectViewer": ("storage.objects.get", "storage.objects.list", *PROJECT_VIEW),
    "roles/storage.objectCreator": ("storage.objects.create", *PROJECT_VIEW),
    "roles/storage.bucketViewer": ("storage.buckets.get", "storage.buckets.list"),
    "roles/storage.legacyBucketReader": ("storage.buckets.get", "storage.objects.list",
                                         "storage.multipartUploads.list"),
    "roles/storage.legacyBucketWriter": (
        "storage.buckets.get", "storage.objects.list", "storage.objects.create",
        "storage.objects.delete"),
    "roles/storage.legacyBucketOwner": (
        "storage.buckets.get", "storage.buckets.getIamPolicy", "storage.buckets.setIamPolicy",
        "storage.buckets.update", "storage.objects.list", "storage.objects.create",
        "storage.objects.delete"),
    "roles/storage.legacyObjectReader": ("storage.objects.get",),
    "roles/storage.legacyObjectOwner": (
        "storage.objects.get", "storage.objects.getIamPolicy", "storage.objects.setIamPolicy",
        "storage.objects.update"),
    "roles/artifactregistry.admin": ("artifactregistry.*",),
    "roles/artifactregistry.reader": (
        "artifactregistry.repositories.get", "artifactregistry.repositories.list",
        "artifactregistry.repositories.downloadArtifacts"),
    "roles/artifactregistry.writer": (
        "artifactregistry.repositories.get", "artifactregistry.repositories.list",
        "artifactregistry.repositories.downloadArtifacts",
        "artifactregistry.repositories.uploadArtifacts"),
    "roles/iam.serviceAccountAdmin": (*ACCOUNTS, *PROJECT_VIEW),
    "roles/iam.serviceAccountUser": ("iam.serviceAccounts.actAs", "iam.serviceAccounts.get",
                                     "iam.serviceAccounts.list", *PROJECT_VIEW),
    "roles/iam.workloadIdentityUser": ("iam.serviceAccounts.getAccessToken",
                                       "iam.serviceAccounts.get", "iam.serviceAccounts.list"),
    "roles/resourcemanager.projectIamAdmin": (
        "resourcemanager.projects.get", "resourcemanager.projects.getIamPolicy",
        "resourcemanager.projects.setIamPolicy"),
    "roles/serviceusage.serviceUsageAdmin": ("serviceusage.*",),
    "roles/serviceusage.serviceUsageConsumer": (
        "serviceusage.services.get", "serviceusage.services.list", "serviceusage.services.use"),
    "roles/cloudquotas.viewer": ("cloudquotas.quotas.get",),
    "roles/logging.logWriter": ("logging.logEntries.create",),
    "roles/monitoring.metricWriter": ("monitoring.timeSeries.create",
                                      "monitoring.metricDescriptors.*"),
    "roles/monitoring.viewer": ("monitoring.timeSeries.list",),
}
# Members of a bucket's policy that stand for all with such a role of the project
CONVENIENCE = {"projectOwner": "roles/owner", "projectEditor": "roles/editor",
               "projectViewer": "roles/viewer"}


def includes(role, permission):
    """Returns whether a role has a permission."""
    return any(fnmatch.fnmatchcase(permission, pattern) for pattern in ROLES.get(role, ()))
