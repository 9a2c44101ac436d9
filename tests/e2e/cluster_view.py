"""Records the Jobs and pods of a namespace and compares them with kinetic's reports."""

import http.client
import json
import ssl
import threading
import urllib.parse

from cluster import ApiError, wait_for

_KINDS = {"jobs": "/apis/batch/v1/namespaces/{}/jobs", "pods": "/api/v1/namespaces/{}/pods"}
_REAPPEAR = 0.5  # seconds between connection attempts


class View:
    """The last state of each Job and pod of a namespace, including deleted ones. Watches like
    `kubectl get --watch` and reconnects to the API server."""

    def __init__(self, cluster, namespace):
        self._cluster, self._namespace = cluster, namespace
        self._address = urllib.parse.urlsplit(cluster.server).netloc
        self._context = ssl.create_default_context(cafile=str(cluster.ca_file))
        self._lock = threading.Lock()
        self._seen = {kind: {} for kind in _KINDS}
        self._over = threading.Event()
        for kind, path in _KINDS.items():
            threading.Thread(target=self._follow, args=(kind, path.format(namespace)), daemon=True).start()

    def stop(self):
        self._over.set()

    def job(self, name):
        """Returns the newest Job of that name."""
        with self._lock:
            named = [each for each in self._seen["jobs"].values() if each["metadata"]["name"] == name]
        return max(named, key=lambda job: job["metadata"]["creationTimestamp"], default=None)

    def pods(self, job):
        """Returns the pods of a Job in order of creation."""
        with self._lock:
            found = [each for each in self._seen["pods"].values()
                     if each["metadata"].get("labels", {}).get("job-name") == job]
        return sorted(found, key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]))

    def _follow(self, kind, path):
        while not self._over.is_set():
            try:
                self._watch(kind, path)
            except (ApiError, OSError, http.client.HTTPException, ValueError):
                self._over.wait(_REAPPEAR)

    def _watch(self, kind, path):
        listed = self._cluster.api.get(path)
        for item in listed["items"]:
            self._note(kind, item)
        connection = http.client.HTTPSConnection(self._address, timeout=60, context=self._context)
        try:
            connection.request("GET", f"{path}?watch=1&resourceVersion={listed['metadata']['resourceVersion']}",
                               headers={"Authorization": f"Bearer {self._cluster.token}"})
            with connection.getresponse() as answer:
                while not self._over.is_set() and (line := answer.readline()):
                    change = json.loads(line)
                    if change["type"] == "ERROR":
                        return
                    self._note(kind, change["object"])
        finally:
            connection.close()

    def _note(self, kind, item):
        with self._lock:
            self._seen[kind][item["metadata"]["uid"]] = item


def main_of(pod):
    """Returns the state of the job's container: {"running": …}, {"terminated": …}, {"waiting": …} or {}."""
    statuses = pod["status"].get("containerStatuses", [])
    return next((each.get("state", {}) for each in statuses if each["name"] == "main"), {})


def holds(thing, condition):
    return any(each["type"] == condition and each["status"] == "True"
               for each in thing["status"].get("conditions", []))


def _pending(status, job, pods):
    return not pods or "running" not in main_of(pods[-1])


def _running(status, job, pods):
    last = pods[-1] if pods else None
    return last and last["status"]["phase"] in ("Running", "Pending") and main_of(last)


def _succeeded(status, job, pods):
    return not holds(job, "Failed") and main_of(pods[-1]).get("terminated", {"exitCode": 0})["exitCode"] == 0


def _failed(status, job, pods):
    """Exit codes 200 to 203 are the launcher's own."""
    end = main_of(pods[-1]).get("terminated") if pods else None
    if holds(job, "Complete"):
        return False
    return end is None or end["exitCode"] in (status["exit_code"], 200, 201, 202, 203) or status["exit_code"] in (
        121, 123, 124)


def _preempted(status, job, pods):
    """The pod was disrupted, deleted, or removed with its Job."""
    if holds(job, "Complete"):
        return False
    return not pods or holds(pods[-1], "DisruptionTarget") or "deletionTimestamp" in pods[-1]["metadata"] or \
        "deletionTimestamp" in job["metadata"]


def _cancelled(status, job, pods):
    return job["spec"].get("suspend") and "kinetic.dev/stopped" in job["metadata"]["annotations"]


def _lost(status, job, pods):
    return not holds(job, "Complete")


_RULES = {"pending": _pending, "running": _running, "succeeded": _succeeded, "failed": _failed,
          "preempted": _preempted, "cancelled": _cancelled, "lost": _lost}


def agrees(machine, view, job, attempts=None, seconds=60):
    """Returns the output of `kinetic status` once it agrees with the Job and pods of the API server. Both are read
    at different times, so a running job may need several reads. `attempts` is the expected number of pods."""
    name, last = f"kinetic-{job}", {}

    def look():
        status = machine.answer("status", job)
        found, pods = view.job(name), view.pods(name)
        last.update(status=status, job=found and found["status"], pods=[pod["status"] for pod in pods])
        if not found or not _RULES[status["state"]](status, found, pods):
            return None
        return status if attempts is None or len(pods) == status["attempt"] == attempts else None
    try:
        return wait_for("agreement", look, seconds)
    except AssertionError:
        if not last:
            raise
        raise AssertionError(f"kinetic and the cluster do not agree on {job}: {json.dumps(last, indent=1)}") from None
