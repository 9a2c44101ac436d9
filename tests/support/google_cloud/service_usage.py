"""Service Usage: the services of the project."""

from . import long_running
from .calls import handles
from .errors import GoogleError, error_info

PREFIX = "serviceusage.services."
DOMAIN = ".googleapis.com"
# Services that can be enabled; a made-up name is an error
KNOWN = ("artifactregistry", "autoscaling", "cloudbilling", "cloudbuild", "cloudquotas",
         "cloudresourcemanager", "compute", "container", "containerfilesystem", "gkeconnect",
         "gkehub", "iam", "iamcredentials", "logging", "monitoring", "oslogin", "pubsub",
         "secretmanager", "serviceusage", "storage", "storage-api", "storage-component", "sts",
         "tpu")
PAID = ("artifactregistry", "cloudbuild", "compute", "container", "secretmanager", "tpu")
NEEDED = {"container": ("compute",)}  # enabled along


@handles(PREFIX + "get", "serviceusage.services.get")
def get(cloud, call):
    return _shown(cloud, call.name.rpartition("/")[2])


@handles(PREFIX + "batchGet", "serviceusage.services.get")
def batch_get(cloud, call):
    names = call.lists["names"]
    if len(names) > 30:
        raise GoogleError(400, "at most 30 services can be read in one request")
    for name in names:
        if not name.startswith((call.name + "/", f"projects/{cloud.options.number}/")):
            raise GoogleError(400, f"name {name} is not below the parent {call.name}")
    return {"services": [_shown(cloud, name.rpartition("/")[2]) for name in names]}


@handles(PREFIX + "batchEnable", "serviceusage.services.enable")
def batch_enable(cloud, call):
    services = call.body["serviceIds"]
    if not 1 <= len(services) <= 20:
        raise GoogleError(400, "between 1 and 20 services can be enabled in one request")
    for service in services:
        _known(service)
    lacking = [_known(service) for service in services
               if not cloud.is_enabled(_known(service))]
    response = {"@type": "type.googleapis.com/google.api.serviceusage.v1."
                         "BatchEnableServicesResponse",
                "services": [_shown(cloud, service) for service in services]}
    if not lacking:
        return {"name": "operations/noop.DONE_OPERATION", "done": True, "response": response}
    _check_billing(cloud, lacking)

    def finish():
        at = cloud.clock.now() + cloud.options.enable_delay
        for service in lacking:
            for name in (service, *NEEDED.get(service, ())):
                cloud.state["services"].setdefault(name, at)

    prefix = f"operations/acf.p2-{cloud.options.number}-"
    return long_running.start(cloud, call, "batchEnable", finish, prefix, lambda: {
        **response, "services": [_shown(cloud, service) for service in services]})


@handles("serviceusage.operations.get")
def get_operation(cloud, call):
    if call.name == "operations/noop.DONE_OPERATION":
        return {"name": call.name, "done": True, "response": {}}
    return long_running.get(cloud, call)


def _known(service):
    """Returns "container" of "container.googleapis.com"."""
    name = service.removesuffix(DOMAIN)
    if not service.endswith(DOMAIN) or name not in KNOWN:
        raise GoogleError(403, f"Not found or permission denied for service(s): {service}.",
                          details=[error_info("SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED",
                                              "serviceusage.googleapis.com", services=service)])
    return name


def _check_billing(cloud, lacking):
    paid = ",".join(f"{name}{DOMAIN}" for name in lacking if name in PAID)
    if paid and not cloud.options.billing:
        raise GoogleError(400, (
            f"Billing account for project '{cloud.options.number}' is not found. Billing must be "
            f"enabled for activation of service(s) '{paid}' to proceed."),
            "FAILED_PRECONDITION", details=[error_info(
                "UREQ_PROJECT_BILLING_NOT_FOUND", "serviceusage.googleapis.com", services=paid)])


def _shown(cloud, service):
    is_enabled = _known(service) in cloud.state["services"]  # before calls are permitted
    return {"name": f"projects/{cloud.options.number}/services/{service}",
            "parent": f"projects/{cloud.options.number}", "config": {"name": service},
            "state": "ENABLED" if is_enabled else "DISABLED"}
