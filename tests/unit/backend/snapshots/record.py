#!/usr/bin/env python3
"""Provokes situations on a real cluster (tests/support/cluster) and records what its servers report.

    tests/unit/backend/snapshots/record.py [NAME ...]

Each situation is a namespace with one Job, brought into its state and written to NAME.json beside this file: the
job, its pods, their events, the nodes, the quotas, the pods of others and the server's time. The names of pods and
nodes are as they were; what only fills pages (managedFields, images of nodes) is left out.
"""

import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import registry
from manifests import job, job_with

CLUSTER = HERE.parents[2] / "support/cluster/cluster"
TIMEOUT = 60


def cluster(*words):
    return subprocess.run([CLUSTER, *words], check=True, stdout=subprocess.PIPE).stdout.decode()


def kubectl(*words, feed=None, check=True):
    done = subprocess.run([KUBECTL, "--kubeconfig", KUBECONFIG, *words], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, input=feed)
    if check and done.returncode != 0:
        raise SystemExit(f"kubectl {' '.join(words)}: {done.stderr.decode()}")
    return done.stdout


def apply(space, *objects):
    for each in objects:
        kubectl("-n", space, "apply", "-f", "-", feed=json.dumps(each).encode())


def items(space, what, *more):
    return json.loads(kubectl("-n", space, "get", what, "-o", "json", *more))["items"]


def tidy(thing):
    """Returns the object without irrelevant fields."""
    thing.get("metadata", {}).pop("managedFields", None)
    annotations = thing.get("metadata", {}).get("annotations", {})
    annotations.pop("kubectl.kubernetes.io/last-applied-configuration", None)
    if thing.get("kind") == "Node":
        thing["status"] = {key: thing["status"][key] for key in ("allocatable", "conditions") if key in thing["status"]}
    return thing


def observe(space):
    jobs = items(space, "jobs")
    pods = items(space, "pods", "-l", "job-name=wanted")
    uids = {each["metadata"]["uid"] for each in jobs + pods}
    events = [each for each in items(space, "events") if each["involvedObject"]["name"].startswith("wanted")]
    others = [each for each in json.loads(kubectl("get", "pods", "-A", "-o", "json"))["items"]
              if each["metadata"]["uid"] not in uids and each["metadata"]["namespace"].startswith("why-")]
    now = json.loads(kubectl("create", "-f", "-", "-o", "json", feed=json.dumps({
        "apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview",
        "metadata": {}}).encode()))["metadata"]["creationTimestamp"]
    wanted = [each for each in jobs if each["metadata"]["name"] == "wanted"]
    return {"job": tidy(wanted[0]) if wanted else None, "pods": [tidy(each) for each in pods],
            "events": [tidy(each) for each in events],
            "nodes": [tidy(each) for each in json.loads(kubectl("get", "nodes", "-o", "json"))["items"]],
            "name_space": tidy(json.loads(kubectl("get", "namespace", space, "-o", "json"))),
            "quotas": [tidy(each) for each in items(space, "resourcequotas")],
            "other_pods": [tidy(each) for each in others], "now": now}


def event(seen, reason, text=""):
    return any(each["reason"] == reason and text in each["message"] for each in seen["events"])


def condition(thing, kind, status="True"):
    return any(each["type"] == kind and each["status"] == status
               for each in thing.get("status", {}).get("conditions", []))


def container(seen, name, state, reason=None):
    for pod in seen["pods"]:
        status = pod.get("status", {})
        for each in status.get("containerStatuses", []) + status.get("initContainerStatuses", []):
            found = each["state"].get(state)
            if each["name"] == name and found is not None and (reason is None or found.get("reason") == reason):
                return True
    return False


def ended(seen):
    return seen["job"] and (condition(seen["job"], "Failed") or condition(seen["job"], "Complete"))


def unschedulable(seen):
    return event(seen, "FailedScheduling")


def running(seen):
    return container(seen, "main", "running")


def until(space, there):
    """Returns the objects as soon as `there` holds. Fails if it never does."""
    end = time.monotonic() + TIMEOUT
    while True:
        seen = observe(space)
        if there(seen):
            return seen
        if time.monotonic() > end:
            print(json.dumps(seen, indent=1)[:6000], file=sys.stderr)
            raise SystemExit(f"{space}: it did not come to that within {TIMEOUT} s")
        time.sleep(0.3)


def record(name, provoke):
    space = f"why-{name.replace('_', '-')}"
    kubectl("delete", "namespace", space, "--ignore-not-found", "--wait")
    kubectl("create", "namespace", space)
    seen = provoke(space)
    (HERE / f"{name}.json").write_text(json.dumps(seen, indent=1, sort_keys=True) + "\n")
    kubectl("-n", space, "delete", "jobs,pods", "--all", "--force", "--grace-period=0", "--wait=false", check=False)
    kubectl("delete", "namespace", space, "--ignore-not-found", "--wait=false")
    print(name)


def main(names):
    global KUBECTL, KUBECONFIG
    about = json.loads(cluster("describe"))
    KUBECTL, KUBECONFIG = about["kubectl"], about["kubeconfig"]
    import provoke
    with registry.serving() as port:
        provoke.REGISTRY = f"localhost:{port}"
        for name, function in provoke.SITUATIONS.items():
            if not names or name in names:
                record(name, function)


if __name__ == "__main__":
    sys.modules["record"] = sys.modules["__main__"]
    main(sys.argv[1:])
