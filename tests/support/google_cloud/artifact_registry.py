"""Artifact Registry: repositories."""

import copy
import re

from . import labels, long_running
from .calls import handles
from .catalog import regions
from .errors import GoogleError
from .state import page, public

PREFIX = "artifactregistry.projects.locations."
REPOSITORIES = PREFIX + "repositories."
TYPE = "type.googleapis.com/google.devtools.artifactregistry.v1."
NAME = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
MULTI = ("us", "europe", "asia")


@handles(PREFIX + "list")
def list_locations(cloud, call):
    found = [{"name": f"{call.name}/locations/{location}", "locationId": location}
             for location in (*MULTI, *regions(cloud.options))]
    return {"locations": found}


@handles(REPOSITORIES + "create", "artifactregistry.repositories.create")
def create(cloud, call):
    identifier, location = call.query["repositoryId"], call.part("locations")
    if location not in (*MULTI, *regions(cloud.options)):
        raise GoogleError(403, f"Permission denied on 'locations/{location}' (or it may not "
                               "exist).")
    if not NAME.fullmatch(identifier):
        raise GoogleError(400, f"invalid repository ID \"{identifier}\": must match "
                               f"{NAME.pattern}")
    _check(call.body)
    name = f"{call.name}/repositories/{identifier}"
    if name in cloud.state["repositories"] or _is_being_created(cloud, name):
        raise GoogleError(409, "the repository already exists")
    repository = _new(cloud, call.body, name, location)

    def finish():
        cloud.state["repositories"][name] = repository
        cloud.iam.create(name)

    return _start(cloud, call, "createRepository", name, finish,
                  lambda: {"@type": TYPE + "Repository", **public(repository)})


@handles(REPOSITORIES + "get", "artifactregistry.repositories.get")
def get(cloud, call):
    return public(find(cloud, call.name))


@handles(REPOSITORIES + "list", "artifactregistry.repositories.list")
def list_all(cloud, call):
    found = [public(one) for name, one in sorted(cloud.state["repositories"].items())
             if name.startswith(call.name + "/")]
    found, token = page(found, call.query)
    return {**({"repositories": found} if found else {}),
            **({"nextPageToken": token} if token else {})}


@handles(REPOSITORIES + "patch", "artifactregistry.repositories.update")
def patch(cloud, call):
    repository = find(cloud, call.name)
    labels.check(call.body.get("labels", {}))
    for field in call.query["updateMask"].split(","):
        first, _, rest = field.strip().partition(".")
        if first in ("format", "mode", "name"):
            raise GoogleError(400, f"field {first} is immutable")
        if rest:
            repository.setdefault(first, {})[rest] = call.body.get(first, {}).get(rest)
        elif first in call.body:
            repository[first] = call.body[first]
        else:
            repository.pop(first, None)
    repository["updateTime"] = cloud.clock.text()
    return public(repository)


@handles(REPOSITORIES + "delete", "artifactregistry.repositories.delete")
def delete(cloud, call):
    find(cloud, call.name)

    def finish():
        cloud.state["repositories"].pop(call.name, None)
        cloud.iam.delete(call.name)

    return _start(cloud, call, "deleteRepository", call.name, finish,
                  lambda: {"@type": "type.googleapis.com/google.protobuf.Empty"})


@handles(REPOSITORIES + "getIamPolicy", "artifactregistry.repositories.getIamPolicy")
def get_policy(cloud, call):
    find(cloud, call.name)
    return cloud.iam.policy(call.name, int(call.query.get("options.requestedPolicyVersion") or 1))


@handles(REPOSITORIES + "setIamPolicy", "artifactregistry.repositories.setIamPolicy")
def set_policy(cloud, call):
    find(cloud, call.name)
    return cloud.iam.set(call.name, call.body["policy"])


@handles(PREFIX + "operations.get")
def get_operation(cloud, call):
    return long_running.get(cloud, call)


def find(cloud, name):
    if name not in cloud.state["repositories"]:
        raise GoogleError(404, "Requested entity was not found.")
    return cloud.state["repositories"][name]


def _check(wanted):
    labels.check(wanted.get("labels", {}))
    mode = wanted.get("mode", "STANDARD_REPOSITORY")
    if mode == "REMOTE_REPOSITORY" and not wanted.get("remoteRepositoryConfig"):
        raise GoogleError(400, "remote repositories must have a remote repository config")
    if mode == "STANDARD_REPOSITORY" and wanted.get("remoteRepositoryConfig"):
        raise GoogleError(400, "only remote repositories can have a remote repository config")
    for key, policy in wanted.get("cleanupPolicies", {}).items():
        if policy.get("id") != key:
            raise GoogleError(400, f"cleanup policy id \"{policy.get('id')}\" does not match its "
                                   f"key \"{key}\"")


def _new(cloud, wanted, name, location):
    now, identifier = cloud.clock.text(), name.rpartition("/")[2]
    return {"mode": "STANDARD_REPOSITORY", **copy.deepcopy(wanted), "name": name,
            "createTime": now, "updateTime": now, "registryUri":
                f"{cloud.options.registry or location + '-docker.pkg.dev'}/"
                f"{cloud.options.project}/{identifier}"}


def _is_being_created(cloud, name):
    return bool(cloud.operations.running(service="artifactregistry", target=name,
                                         verb="createRepository"))


def _start(cloud, call, verb, target, finish, response):
    prefix = f"projects/{cloud.options.project}/locations/{call.part('locations')}/operations/"
    metadata = {"@type": TYPE + "OperationMetadata"}
    return long_running.start(cloud, call, verb, finish, prefix, response, metadata,
                              target=target, verb=verb)
