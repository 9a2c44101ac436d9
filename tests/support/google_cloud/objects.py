"""Cloud Storage: objects, kept here or by another server (option `objects`)."""

import base64
import dataclasses
import re
import urllib.error
import urllib.parse
import urllib.request
import zlib

from .admission import require
from .calls import Later, Raw, handles
from .errors import GoogleError
from .multipart import media_of
from .state import page, public

HOP = ("host", "content-length", "connection", "transfer-encoding")
UNMET = "At least one of the pre-conditions you specified did not hold."
# Methods beyond those below that are only passed on to the other server
PASSED = {"storage.objects.compose": "storage.objects.create",
          "storage.objects.rewrite": "storage.objects.create",
          "storage.objects.patch": "storage.objects.update",
          "storage.objects.update": "storage.objects.update"}


def _object_method(method, permission):
    """Registers a method that the other server does if there is one."""
    def register(function):
        @handles(method)
        def handle(cloud, call):
            bucket = _bucket(cloud, call)
            require(cloud, call, permission)
            _check_sources(cloud, call)
            if cloud.options.objects:
                return Later(lambda: forward(cloud, call))
            return function(cloud, call, bucket)
        return handle
    return register


def _unsupported(_, call, __):
    raise GoogleError(501, f"{call.method} needs the option `objects`")


def _check_sources(cloud, call):
    """Requires the permission to read the objects that a request copies."""
    sources = [(call.params["bucket"], source["name"])
               for source in (call.body or {}).get("sourceObjects", [])]
    if "sourceObject" in call.params:
        sources.append((call.params["sourceBucket"], call.params["sourceObject"]))
    for bucket, name in sources:
        read = dataclasses.replace(call, params={"bucket": bucket, "object": name})
        require(cloud, read, "storage.objects.get")


for _method, _permission in PASSED.items():
    _object_method(_method, _permission)(_unsupported)


@_object_method("storage.objects.list", "storage.objects.list")
def list_all(_, call, bucket):
    prefix, delimiter = call.query.get("prefix", ""), call.query.get("delimiter")
    names, prefixes = [], set()
    for name in sorted(name for name in bucket["_objects"] if name.startswith(prefix)):
        head, found, _ = name[len(prefix):].partition(delimiter) if delimiter else ("", "", "")
        if found:
            prefixes.add(prefix + head + delimiter)
        else:
            names.append(name)
    shown, token = page(names, call.query, "maxResults", 1000)
    return {"kind": "storage#objects",
            **({"items": [public(bucket["_objects"][name]) for name in shown]} if shown else {}),
            **({"prefixes": sorted(prefixes)} if prefixes else {}),
            **({"nextPageToken": token} if token else {})}


@_object_method("storage.objects.get", "storage.objects.get")
def get(_, call, bucket):
    found = _find(call, bucket)
    if call.query.get("alt") == "media":
        return Raw(200, [("Content-Type", found["contentType"])],
                   base64.b64decode(found["_content"]))
    return public(found)


@_object_method("storage.objects.delete", "storage.objects.delete")
def delete(_, call, bucket):
    _check_generation(call, _find(call, bucket))
    del bucket["_objects"][call.params["object"]]


@_object_method("storage.objects.insert", "storage.objects.create")
def insert(cloud, call, bucket):
    if call.query.get("uploadType") not in ("media", "multipart"):
        raise GoogleError(501, "resumable uploads need the option `objects`")
    name = call.query.get("name") or (call.body or {}).get("name")
    if not name:
        raise GoogleError(400, "Required")
    old = bucket["_objects"].get(name)
    _check_generation(call, old)
    if old:
        require(cloud, call, "storage.objects.delete")
    kind, content = media_of(call)
    generation, now = str(int(cloud.clock.now() * 1e6) + len(cloud.log)), cloud.clock.text()
    bucket["_objects"][name] = {
        "kind": "storage#object", **(call.body or {}), "name": name, "bucket": bucket["name"],
        "id": f"{bucket['name']}/{name}/{generation}", "generation": generation,
        "metageneration": "1", "contentType": kind, "size": str(len(content)),
        "storageClass": bucket["storageClass"], "timeCreated": now, "updated": now,
        "etag": f"{zlib.crc32(content):08x}", "_content": base64.b64encode(content).decode()}
    return public(bucket["_objects"][name])


def has_any(cloud, call, bucket):
    """Returns whether a bucket has objects."""
    if not cloud.options.objects:
        return bool(bucket["_objects"])
    answer = _ask(cloud, call, "GET", f"/storage/v1/b/{bucket['name']}/o?maxResults=1")
    return b'"items"' in answer.content


def create_bucket(cloud, call):
    """Creates a bucket in the other server too."""
    if cloud.options.objects:
        _ask(cloud, call, "POST", call.target, call.raw)


def delete_bucket(cloud, call):
    if cloud.options.objects:
        _ask(cloud, call, "DELETE", f"/storage/v1/b/{call.params['bucket']}")


def forward(cloud, call):
    """Passes a request on to the other server."""
    return _ask(cloud, call, call.verb, call.target, call.raw)


def _ask(cloud, call, verb, target, content=None):
    headers = {name: value for name, value in call.headers.items() if name.lower() not in HOP}
    base = cloud.options.objects.rstrip("/")
    request = urllib.request.Request(base + target, content or None, headers, method=verb)
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        given = [(name, _own(call, value) if name.lower() == "location" else value)
                 for name, value in answer.headers.items()
                 if name.lower() not in (*HOP, "date", "server")]
        return Raw(answer.status, given, answer.read())


def _own(call, location):
    """Returns the location of an upload session at this server."""
    path = re.sub(r"^https?://[^/]+", "", location)
    return f"http://{call.headers.get('Host')}/storage.googleapis.com{path}"


def _bucket(cloud, call):
    name = call.params.get("bucket") or call.params.get("destinationBucket")
    if name not in cloud.state["buckets"]:
        raise GoogleError(404, "The specified bucket does not exist.")
    call.params.setdefault("bucket", name)
    call.params.setdefault("object", call.params.get("destinationObject"))
    return cloud.state["buckets"][name]


def _find(call, bucket):
    name = call.params["object"]
    if name not in bucket["_objects"]:
        raise GoogleError(404, f"No such object: {bucket['name']}/{name}")
    return bucket["_objects"][name]


def _check_generation(call, found):
    wanted = call.query.get("ifGenerationMatch")
    if wanted is not None and wanted != (found["generation"] if found else "0"):
        raise GoogleError(412, UNMET)
