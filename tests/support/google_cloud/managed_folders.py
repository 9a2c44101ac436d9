"""Cloud Storage: managed folders, whose policies apply to the objects below them."""


def names(cloud, bucket, prefix=""):
    """Returns the managed folders of a bucket, each with a "/" at its end."""
    known = (key.partition("/") for key in cloud.state["managedFolders"])
    return sorted(name for owner, _, name in known if owner == bucket and name.startswith(prefix))


def policies(cloud, call):
    """Returns the policies of the managed folders that an object or a listing is below."""
    bucket = call.params["bucket"]
    if "managedFolder" in call.params:
        place = call.params["managedFolder"]
    elif call.method == "storage.objects.list":
        place = call.query.get("prefix", "")
    else:
        place = call.params.get("object") or call.query.get("name") or \
            (call.body or {}).get("name") or ""
    return [policy(bucket, name) for name in names(cloud, bucket) if place.startswith(name)]


def policy(bucket, name):
    return f"buckets/{bucket}/managedFolders/{name}"
