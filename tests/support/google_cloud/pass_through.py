"""Requests of Cloud Storage that only the server of objects knows: upload sessions and batches."""

import re
import urllib.parse

from .admission import require
from .calls import Later, handles
from .errors import GoogleError
from .objects import forward

SESSION = re.compile(r"/(?:resumable/)?upload/storage/v1/b/([^/]+)/o")
PART = re.compile(rb"^(GET|DELETE|PATCH|POST) (?:https?://[^/ ]+)?/storage/v1/b/([^/? ]+)/o/"
                  rb"([^/? ]+)", re.M)
PERMISSIONS = {"GET": "get", "DELETE": "delete", "PATCH": "update", "POST": "create"}
BATCH = {"id": "storage.batch", "path": "batch/storage/v1"}


def find(verb, path, query):
    """Returns the method and the path parameters of such a request, or None."""
    if verb == "POST" and path == "/batch/storage/v1":
        return BATCH, {}
    found = SESSION.fullmatch(path)
    if found and "upload_id" in urllib.parse.parse_qs(query):
        return {"id": "storage.uploadSession", "path": ""}, {"bucket": found[1]}
    return None


@handles("storage.uploadSession")
def upload_session(cloud, call):
    """The secret identifier of the session is the permission."""
    return Later(lambda: forward(cloud, call))


@handles("storage.batch")
def batch(cloud, call):
    """Refuses the whole batch if one part is not permitted. Google refuses that part only."""
    parts = PART.findall(call.raw)
    if not parts:
        raise GoogleError(400, "the stand-in knows batches of object requests only")
    for verb, bucket, name in parts:
        call.params = {"bucket": bucket.decode(), "object": urllib.parse.unquote(name.decode())}
        require(cloud, call, f"storage.objects.{PERMISSIONS[verb.decode()]}")
    call.params = {}
    return Later(lambda: forward(cloud, call))
