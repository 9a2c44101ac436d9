"""Checks of a request before its method runs: caller, project, service, billing, permission."""

import base64
import fnmatch
import json
import re

from . import managed_folders
from .errors import GoogleError, error_info, help_link
from .roles import includes

UNAUTHENTICATED = ("Request had invalid authentication credentials. Expected OAuth 2 access token, "
                   "login cookie or other valid authentication credential. See "
                   "https://developers.google.com/identity/sign-in/web/devconsole-project.")
NEED_BILLING = ("artifactregistry", "compute", "container")
TITLES = {"container": "Kubernetes Engine API", "storage": "Google Cloud Storage JSON API",
          "iam": "Identity and Access Management (IAM) API"}
REPOSITORY = re.compile(r"projects/[^/]+/locations/[^/]+/repositories/[^/]+")
ACCOUNT = re.compile(r"projects/[^/]+/serviceAccounts/[^/]+")


def caller_of(cloud, headers):
    """Returns the principal of the bearer token."""
    token = (headers.get("Authorization") or "").removeprefix("Bearer ")
    if pod := pod_principal(cloud.options, token):
        return pod
    if token not in cloud.options.tokens:
        raise GoogleError(401, UNAUTHENTICATED, details=[error_info(
            "ACCESS_TOKEN_TYPE_UNSUPPORTED" if token else "CREDENTIALS_MISSING")])
    return cloud.options.tokens[token]


def pod_principal(options, token):
    """Returns the principal of a pod's Kubernetes token, as Workload Identity does; signatures are not checked."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        subject = json.loads(base64.urlsafe_b64decode(parts[1] + "==")).get("sub", "")
    except ValueError:
        return None
    if not (found := re.fullmatch(r"system:serviceaccount:([^:]+):([^:]+)", subject)):
        return None
    return (f"principal://iam.googleapis.com/projects/{options.number}/locations/global/workloadIdentityPools/"
            f"{options.project}.svc.id.goog/subject/ns/{found[1]}/sa/{found[2]}")


def check(cloud, call, title, permission):
    """Admits a call or raises GoogleError."""
    _check_quota_project(cloud, call)
    _check_service(cloud, call, title)
    _check_project(cloud, call)
    if not cloud.options.billing and call.service in NEED_BILLING:
        raise _billing_disabled(cloud, call.service)
    if permission:
        require(cloud, call, permission)
    _check_constraints(cloud, call)


def require(cloud, call, permission, chain=None, resource=None):
    """Raises Google's 403 of the service if the caller lacks a permission."""
    chain = chain or chain_of(cloud, call)
    allowed = cloud.iam.allows(call.caller, permission, chain, condition_name(cloud, call))
    if (call.fault or "").startswith("permission:"):
        allowed = allowed and not includes(call.fault.removeprefix("permission:"), permission)
    if not allowed:
        raise denied(call, permission, resource or call.name)


def chain_of(cloud, call):
    """Returns the resources whose policies apply, the most specific first."""
    project = f"projects/{cloud.options.project}"
    if call.service == "storage" and "bucket" in call.params:
        return [*managed_folders.policies(cloud, call), f"buckets/{call.params['bucket']}", project]
    for pattern in (REPOSITORY, ACCOUNT):
        if found := pattern.match(call.name):
            return [found[0], project]
    return [project]


def condition_name(cloud, call):
    """Returns the resource as IAM conditions see it. Google does not document how they see those of GKE."""
    if call.service == "container":
        form = cloud.options.gke_condition_names
        return "" if form == "none" else call.name.replace("/locations/", f"/{form}/")
    if call.service != "storage" or "bucket" not in call.params:
        return call.name
    name = f"projects/_/buckets/{call.params['bucket']}"
    object_name = call.params.get("object") or _inserted(call)
    return f"{name}/objects/{object_name}" if object_name else name


def denied(call, permission, resource):
    """Returns the 403 of a service."""
    who = call.caller.partition(":")[2] or call.caller
    full = f"//{call.service}.googleapis.com/{resource}"
    messages = {
        "container": f"Required \"{permission}\" permission(s) for \"{resource}\".",
        "compute": f"Required '{permission}' permission for '{resource}'",
        "storage": f"{who} does not have {permission} access to the Google Cloud Storage "
                   f"{'object' if '.objects.' in permission else 'bucket'}. Permission "
                   f"'{permission}' denied on resource (or it may not exist)."}
    message = messages.get(call.service, f"Permission '{permission}' denied on resource '{full}' "
                                         "(or it may not exist).")
    return GoogleError(403, message, details=[error_info(
        "IAM_PERMISSION_DENIED", "iam.googleapis.com", permission=permission, resource=resource)])


def _inserted(call):
    if call.method != "storage.objects.insert":
        return None
    return call.query.get("name") or (call.body or {}).get("name")


def _check_quota_project(cloud, call):
    """A caller that names a quota project needs serviceusage.services.use on it, and it needs the service."""
    named = call.headers.get("x-goog-user-project")
    project = named or cloud.options.login_project
    if not project:
        return
    own = project in (cloud.options.project, cloud.options.number)
    chain = [f"projects/{cloud.options.project}"]
    allowed = cloud.iam.allows(call.caller, "serviceusage.services.use", chain) if own else \
        project in cloud.options.quota_projects
    if allowed and not own:
        other = cloud.options.quota_projects[project]
        if call.service not in other["enabled"]:
            raise _service_disabled(call.service, call.service, project, other["number"])
    if named and not allowed:
        raise GoogleError(403, (
            f"Caller does not have required permission to use project {project}. Grant the caller "
            "the roles/serviceusage.serviceUsageConsumer role, or a custom role with the "
            "serviceusage.services.use permission, by visiting https://console.developers.google"
            f".com/iam-admin/iam/project?project={project} and then retry. Propagation of the new "
            "permission may take a few minutes."), details=[error_info(
                "USER_PROJECT_DENIED", service=f"{call.service}.googleapis.com",
                consumer=f"projects/{project}")])


def _check_service(cloud, call, title):
    if cloud.is_enabled(call.service):
        return
    raise _service_disabled(call.service, title, cloud.options.project, cloud.options.number)


def _service_disabled(name, title, project, number):
    service, title = f"{name}.googleapis.com", TITLES.get(name, title)
    url = f"https://console.developers.google.com/apis/api/{service}/overview?project={project}"
    message = (f"{title} has not been used in project {project} before or it is "
               f"disabled. Enable it by visiting {url} then retry. If you enabled this API "
               "recently, wait a few minutes for the action to propagate to our systems and retry.")
    return GoogleError(403, message, reason="accessNotConfigured", details=[
        error_info("SERVICE_DISABLED", service=service, consumer=f"projects/{number}",
                   serviceTitle=title, activationUrl=url, containerInfo=number),
        help_link("Google developers console API activation", url)])


def _check_project(cloud, call):
    words = call.name.split("/")
    named = words[1] if words[0] == "projects" else call.query.get("project")
    if named in (None, "-", "_", cloud.options.project):
        if named and cloud.options.project_state != "ACTIVE" and \
                call.service != "cloudresourcemanager":
            raise GoogleError(403, f"Project '{named}' is not active.", details=[error_info(
                "CONSUMER_INVALID", service=f"{call.service}.googleapis.com",
                consumer=f"projects/{cloud.options.number}")])
        return
    raise denied(call, HIDDEN.get(call.service, "resourcemanager.projects.get"), call.name)


HIDDEN = {"container": "container.clusters.list", "compute": "compute.projects.get",
          "storage": "storage.buckets.create"}


def _billing_disabled(cloud, service):
    project = cloud.options.project
    url = f"https://console.developers.google.com/billing/enable?project={project}"
    return GoogleError(403, (
        f"This API method requires billing to be enabled. Please enable billing on project "
        f"#{project} by visiting {url} then retry. If you enabled billing for this project "
        "recently, wait a few minutes for the action to propagate to our systems and retry."),
        details=[help_link("Google developers console billing", url), error_info(
            "BILLING_DISABLED", service=f"{service}.googleapis.com",
            consumer=f"projects/{cloud.options.number}")])


def _check_constraints(cloud, call):
    for pattern, name in cloud.options.constraints.items():
        if fnmatch.fnmatchcase(call.method, pattern):
            code = 412 if call.service in ("storage", "compute") else 400
            raise GoogleError(
                code, f"Constraint constraints/{name} violated for projects/"
                      f"{cloud.options.project}.", "FAILED_PRECONDITION")
