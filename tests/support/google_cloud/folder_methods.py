"""Cloud Storage: methods of managed folders."""

from . import managed_folders
from .admission import require
from .calls import handles
from .errors import GoogleError
from .state import page, public
from .storage import find as find_bucket


@handles("storage.managedFolders.insert")
def insert(cloud, call):
    name = _name(call.body.get("name", ""))
    bucket = find_bucket(cloud, call)
    require(cloud, call, "storage.managedFolders.create")
    if not bucket["iamConfiguration"]["uniformBucketLevelAccess"]["enabled"]:
        raise GoogleError(412, "Managed folders need uniform bucket-level access.")
    if not name.strip("/") or len(name) > 1024:
        raise GoogleError(400, "Invalid managed folder name.")
    key = f"{bucket['name']}/{name}"
    if key in cloud.state["managedFolders"]:
        raise GoogleError(409, "The managed folder you tried to create already exists.")
    now = cloud.clock.text()
    cloud.state["managedFolders"][key] = {
        "kind": "storage#managedFolder", "id": key, "name": name, "bucket": bucket["name"],
        "createTime": now, "updateTime": now, "metageneration": "1"}
    cloud.iam.create(managed_folders.policy(bucket["name"], name))
    return public(cloud.state["managedFolders"][key])


@handles("storage.managedFolders.get")
def get(cloud, call):
    return public(_find(cloud, call, "storage.managedFolders.get"))


@handles("storage.managedFolders.list")
def list_all(cloud, call):
    bucket = find_bucket(cloud, call)
    require(cloud, call, "storage.managedFolders.list")
    names = managed_folders.names(cloud, bucket["name"], call.query.get("prefix", ""))
    shown, token = page(names, call.query, "pageSize", 1000)
    items = [public(cloud.state["managedFolders"][f"{bucket['name']}/{name}"]) for name in shown]
    return {"kind": "storage#managedFolders", **({"items": items} if items else {}),
            **({"nextPageToken": token} if token else {})}


@handles("storage.managedFolders.delete")
def delete(cloud, call):
    """The stand-in treats each folder as one with objects."""
    found = _find(cloud, call, "storage.managedFolders.delete")
    if call.query.get("allowNonEmpty") != "true":
        raise GoogleError(409, "The managed folder you tried to delete is not empty.")
    del cloud.state["managedFolders"][found["id"]]
    cloud.iam.delete(managed_folders.policy(found["bucket"], found["name"]))


@handles("storage.managedFolders.getIamPolicy")
def get_policy(cloud, call):
    found = _find(cloud, call, "storage.managedFolders.getIamPolicy")
    version = int(call.query.get("optionsRequestedPolicyVersion") or 1)
    return _policy(found, cloud.iam.policy(_policy_name(found), version))


@handles("storage.managedFolders.setIamPolicy")
def set_policy(cloud, call):
    found = _find(cloud, call, "storage.managedFolders.setIamPolicy")
    wanted = {key: call.body[key] for key in ("etag", "bindings", "version") if key in call.body}
    for binding in wanted.get("bindings", []):
        if ".legacy" in binding.get("role", "") or binding.get("role") == "roles/storage.admin":
            raise GoogleError(400, f"Role {binding['role']} is not supported for this resource.")
    return _policy(found, cloud.iam.set(_policy_name(found), wanted, 412, "FAILED_PRECONDITION"))


def _find(cloud, call, permission):
    bucket = find_bucket(cloud, call)
    call.params["managedFolder"] = name = _name(call.params["managedFolder"])
    require(cloud, call, permission)
    found = cloud.state["managedFolders"].get(f"{bucket['name']}/{name}")
    if not found:
        raise GoogleError(404, "The specified managed folder does not exist.")
    return found


def _name(name):
    return name if name.endswith("/") else name + "/"


def _policy_name(folder):
    return managed_folders.policy(folder["bucket"], folder["name"])


def _policy(folder, policy):
    return {"kind": "storage#policy",
            "resourceId": f"projects/_/buckets/{folder['bucket']}/managedFolders/{folder['name']}",
            **policy}
