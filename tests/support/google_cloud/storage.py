"""Cloud Storage: buckets and their policies. objects.py has the objects."""

import re

from . import labels, managed_folders, objects
from .admission import require
from .calls import handles
from .errors import GoogleError
from .state import page, public

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]")
LOCATION = re.compile(r"US|EU|ASIA|NAM4|EUR[4578]|ASIA1|[A-Z]+-[A-Z]+\d+")
WEEK = "604800"
UNMET = "At least one of the pre-conditions you specified did not hold."


@handles("storage.buckets.insert", "storage.buckets.create")
def insert(cloud, call):
    wanted, name = call.body, call.body["name"]
    if not NAME.fullmatch(name) or "google" in name or name.startswith("goog"):
        raise GoogleError(400, f"Invalid bucket name: '{name}'")
    if not LOCATION.fullmatch(wanted.get("location", "US").upper()):
        raise GoogleError(400, "The specified location constraint is not valid.")
    labels.check(wanted.get("labels", {}))
    if name in cloud.options.taken_buckets:
        raise GoogleError(409, "The requested bucket name is not available. The bucket namespace "
                               "is shared by all users of the system. Please select a different "
                               "name and try again.")
    if name in cloud.state["buckets"]:
        raise GoogleError(409, "Your previous request to create the named bucket succeeded and "
                               "you already own it.")
    if not cloud.options.billing:
        raise GoogleError(403, "The billing account for the owning project is disabled in state "
                               "absent", reason="accountDisabled")
    cloud.state["buckets"][name] = _new(cloud, wanted)
    cloud.iam.create(f"buckets/{name}", _default_bindings(cloud.options.project))
    objects.create_bucket(cloud, call)
    return _shown(cloud, call, name)


@handles("storage.buckets.get")
def get(cloud, call):
    find(cloud, call, "storage.buckets.get")
    return _shown(cloud, call, call.params["bucket"])


@handles("storage.buckets.list", "storage.buckets.list")
def list_all(cloud, call):
    prefix = call.query.get("prefix", "")
    names = sorted(name for name in cloud.state["buckets"] if name.startswith(prefix))
    found, token = page(names, call.query, "maxResults", 1000)
    return {"kind": "storage#buckets",
            **({"items": [_shown(cloud, call, name) for name in found]} if found else {}),
            **({"nextPageToken": token} if token else {})}


@handles("storage.buckets.patch")
def patch(cloud, call):
    bucket = find(cloud, call, "storage.buckets.update")
    _check_generation(call, bucket)
    labels.check(call.body.get("labels") or {})
    _merge(bucket, call.body)
    bucket["metageneration"] = str(int(bucket["metageneration"]) + 1)
    bucket["updated"] = cloud.clock.text()
    return _shown(cloud, call, call.params["bucket"])


@handles("storage.buckets.delete")
def delete(cloud, call):
    bucket, name = find(cloud, call, "storage.buckets.delete"), call.params["bucket"]
    _check_generation(call, bucket)
    if objects.has_any(cloud, call, bucket):
        raise GoogleError(409, "The bucket you tried to delete is not empty.")
    if managed_folders.names(cloud, name):
        raise GoogleError(409, "The bucket you tried to delete has managed folders.")
    objects.delete_bucket(cloud, call)
    del cloud.state["buckets"][name]
    cloud.iam.delete(f"buckets/{name}")


@handles("storage.buckets.getIamPolicy")
def get_policy(cloud, call):
    find(cloud, call, "storage.buckets.getIamPolicy")
    version = int(call.query.get("optionsRequestedPolicyVersion") or 1)
    return _policy(call, cloud.iam.policy(f"buckets/{call.params['bucket']}", version))


@handles("storage.buckets.setIamPolicy")
def set_policy(cloud, call):
    bucket = find(cloud, call, "storage.buckets.setIamPolicy")
    uniform = bucket["iamConfiguration"]["uniformBucketLevelAccess"]["enabled"]
    if not uniform and any("condition" in one for one in call.body.get("bindings", [])):
        raise GoogleError(412, "To use IAM Conditions, uniform bucket-level access must be "
                               "enabled on the bucket.")
    wanted = {key: call.body[key] for key in ("etag", "bindings", "version") if key in call.body}
    name = f"buckets/{call.params['bucket']}"
    try:
        return _policy(call, cloud.iam.set(name, wanted, 412, "FAILED_PRECONDITION"))
    except GoogleError as error:
        if error.code == 412:
            raise GoogleError(412, UNMET) from None
        raise


@handles("storage.buckets.testIamPermissions")
def test_permissions(cloud, call):
    find(cloud, call)
    chain = [f"buckets/{call.params['bucket']}", f"projects/{cloud.options.project}"]
    granted = [permission for permission in call.lists.get("permissions", [])
               if cloud.iam.allows(call.caller, permission, chain)]
    return {"kind": "storage#testIamPermissionsResponse", "permissions": granted}


def find(cloud, call, permission=None):
    """Returns a bucket of the project after a check of the caller's permission on it."""
    name = call.params["bucket"]
    if name in cloud.options.taken_buckets:
        raise GoogleError(403, f"{call.caller.partition(':')[2]} does not have {permission} access "
                               f"to the Google Cloud Storage bucket. Permission '{permission}' "
                               "denied on resource (or it may not exist).")
    if name not in cloud.state["buckets"]:
        raise GoogleError(404, "The specified bucket does not exist.")
    if permission:
        require(cloud, call, permission)
    return cloud.state["buckets"][name]


def _new(cloud, wanted):
    now, seconds = cloud.clock.text(), WEEK
    given = wanted.get("softDeletePolicy", {}).get("retentionDurationSeconds")
    seconds = seconds if given is None else given
    if seconds != "0" and not int(WEEK) <= int(seconds) <= 7776000:
        raise GoogleError(400, "Soft delete policy retention duration must be 0 or between 7 and "
                               "90 days.")
    iam = wanted.get("iamConfiguration", {})
    uniform = {"enabled": False, **iam.get("uniformBucketLevelAccess", {})}
    return {**wanted, "kind": "storage#bucket", "id": wanted["name"],
            "location": wanted.get("location", "US").upper(),
            "locationType": "region" if "-" in wanted.get("location", "US") else "multi-region",
            "storageClass": wanted.get("storageClass", "STANDARD"),
            "projectNumber": cloud.options.number, "timeCreated": now, "updated": now,
            "metageneration": "1", "generation": str(int(cloud.clock.now() * 1e6)),
            "softDeletePolicy": {"retentionDurationSeconds": seconds, "effectiveTime": now},
            "iamConfiguration": {"publicAccessPrevention": "inherited", **iam,
                                 "uniformBucketLevelAccess": uniform,
                                 "bucketPolicyOnly": uniform},
            "selfLink": f"https://www.googleapis.com/storage/v1/b/{wanted['name']}",
            "_objects": {}}


def _default_bindings(project):
    return [{"role": f"roles/storage.{role}", "members": [f"{kind}:{project}" for kind in kinds]}
            for role, kinds in (("legacyBucketOwner", ("projectEditor", "projectOwner")),
                                ("legacyBucketReader", ("projectViewer",)),
                                ("legacyObjectOwner", ("projectEditor", "projectOwner")),
                                ("legacyObjectReader", ("projectViewer",)))]


def _merge(old, new):
    """Applies a JSON merge patch."""
    for key, value in new.items():
        if value is None:
            old.pop(key, None)
        elif isinstance(value, dict) and isinstance(old.get(key), dict):
            _merge(old[key], value)
        else:
            old[key] = value


def _check_generation(call, bucket):
    wanted = call.query.get("ifMetagenerationMatch", bucket["metageneration"])
    if wanted != bucket["metageneration"]:
        raise GoogleError(412, UNMET)


def _shown(cloud, call, name):
    bucket = cloud.state["buckets"][name]
    return {**public(bucket), "etag": f"CA{bucket['metageneration']}="}


def _policy(call, policy):
    return {"kind": "storage#policy",
            "resourceId": f"projects/_/buckets/{call.params['bucket']}", **policy}
