"""The situations. Each brings a Job of its namespace into a state and returns the observed objects."""

import json
import time

from manifests import PYTHON, job, job_with, limits, python
from record import apply, cluster, condition, container, ended, event, kubectl, observe, running, unschedulable, until

REGISTRY = ""
OTHER_POOL = {"nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                              "cloud.google.com/gke-tpu-topology": "2x2"}}
ON_N2 = {"nodeSelector": {"kubernetes.io/hostname": "n2"},
         "tolerations": [{"key": "dedicated", "operator": "Exists"}]}


def seen_after(wanted, there):
    """A situation that needs only a Job."""
    def provoke(space):
        apply(space, wanted() if callable(wanted) else wanted)
        return until(space, there)
    return provoke


def pulls(image, reason):
    return seen_after(lambda: job_with(image=image.replace("REGISTRY", REGISTRY), imagePullPolicy="Always"),
                      lambda seen: container(seen, "main", "waiting", reason))


def other(name, **pod):
    """A pod of another user that uses resources."""
    container = {"name": "c", "image": PYTHON, "command": python("import time; time.sleep(3600)"), "resources": limits(tpu=4)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [container], "terminationGracePeriodSeconds": 0, **pod}}


def taken(space):
    """Another user has all chips of n1."""
    apply(space, other("somebody", nodeSelector={"kubernetes.io/hostname": "n1"}))
    kubectl("-n", space, "wait", "--for=condition=Ready", "pod/somebody", "--timeout=60s")
    apply(space, job_with(resources=limits(tpu=2)))
    return until(space, unschedulable)


def cordoned(space):
    kubectl("cordon", "n2")
    apply(space, job(**ON_N2))
    try:
        return until(space, unschedulable)
    finally:
        kubectl("uncordon", "n2")


def quota(hard, **wants):
    def provoke(space):
        apply(space, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": hard}})
        until(space, lambda seen: seen["quotas"] and seen["quotas"][0].get("status"))
        collector = {"resources": limits(cpu="100m", memory="64Mi")}
        if wants.pop("taken", False):
            somebody = other("somebody", nodeSelector={"kubernetes.io/hostname": "n1"})
            somebody["spec"]["containers"][0]["resources"] = limits(cpu="700m", memory="64Mi")
            apply(space, somebody)
        apply(space, job_with(resources=limits(**wants), collector=collector))
        return until(space, lambda seen: event(seen, "FailedCreate"))
    return provoke


def restricted(space):
    kubectl("label", "namespace", space, "pod-security.kubernetes.io/enforce=restricted")
    apply(space, job())
    return until(space, lambda seen: event(seen, "FailedCreate"))


def policy_refusal(space):
    """An admission policy of the cluster that rejects pods of this namespace."""
    match = {"matchConstraints": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": space}},
                                  "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                                                     "resources": ["pods"]}]}}
    apply("default", {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
                      "metadata": {"name": "why-owner"},
                      "spec": {**match, "validations": [{"expression": "'team' in object.metadata.labels",
                                                         "message": "pods must have the label team"}]}},
          {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
           "metadata": {"name": "why-owner"}, "spec": {"policyName": "why-owner", "validationActions": ["Deny"]}})
    time.sleep(2)
    apply(space, job())
    try:
        return until(space, lambda seen: event(seen, "FailedCreate"))
    finally:
        kubectl("delete", "validatingadmissionpolicybinding,validatingadmissionpolicy", "why-owner")


def webhook_away(space):
    hook = {"name": "pods.why.test", "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 2,
            "clientConfig": {"url": "https://127.0.0.1:1/pods"},
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": space}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}
    apply("default", {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                      "metadata": {"name": "why-hook"}, "webhooks": [hook]})
    time.sleep(1)
    apply(space, job())
    try:
        return until(space, lambda seen: event(seen, "FailedCreate"))
    finally:
        kubectl("delete", "validatingwebhookconfiguration", "why-hook")


def preempted(space):
    apply(space, {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "why-high"},
                  "value": 1000})
    apply(space, job_with(resources=limits(tpu=4), pod={"terminationGracePeriodSeconds": 20, "nodeSelector": {"kubernetes.io/hostname": "n1"}}))
    until(space, running)
    apply(space, other("high", priorityClassName="why-high", nodeSelector={"kubernetes.io/hostname": "n1"}))
    return until(space, lambda seen: seen["pods"] and condition(seen["pods"][0], "DisruptionTarget"))


def drained(space):
    apply(space, job(terminationGracePeriodSeconds=20))
    name = until(space, running)["pods"][0]["metadata"]["name"]
    kubectl("create", "--raw", f"/api/v1/namespaces/{space}/pods/{name}/eviction", "-f", "-", feed=json.dumps(
        {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": space}}).encode())
    return until(space, lambda seen: seen["pods"] and condition(seen["pods"][0], "DisruptionTarget"))


def kubelet_stopped(gone):
    """The kubelet of n2 is stopped: its node becomes not ready, and then its pods are evicted."""
    def provoke(space):
        soon = [{"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1 if gone else 300}
                for key in ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")]
        pod = {**ON_N2, "tolerations": ON_N2["tolerations"][:0] + soon +
               [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}]}
        apply(space, job(**pod))
        until(space, running)
        cluster("node-stop", "n2", "--kubelet")
        try:
            if gone:
                return until(space, lambda seen: seen["pods"] and condition(seen["pods"][0], "DisruptionTarget"))
            return until(space, lambda seen: any(
                each["metadata"]["name"] == "n2" and condition(each, "Ready", "Unknown") for each in seen["nodes"]))
        finally:
            cluster("node-start", "n2")
    return provoke


def pod_deleted(space):
    apply(space, job("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)",
                     terminationGracePeriodSeconds=10))
    name = until(space, running)["pods"][0]["metadata"]["name"]
    kubectl("-n", space, "delete", "pod", name, "--wait=false")
    return until(space, lambda seen: seen["pods"] and "deletionTimestamp" in seen["pods"][0]["metadata"])


def job_deleted(space):
    apply(space, job("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)",
                     terminationGracePeriodSeconds=10))
    until(space, running)
    kubectl("-n", space, "delete", "job", "wanted", "--wait=false", "--cascade=foreground")
    return until(space, lambda seen: seen["job"] and "deletionTimestamp" in seen["job"]["metadata"])


def namespace_deleted(space):
    """No pod can be created while the namespace is being deleted."""
    apply(space, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "holds", "finalizers": ["why.test/hold"]}})
    suspended = job_with(spec={"suspend": True})
    suspended["metadata"]["finalizers"] = ["why.test/hold"]
    apply(space, suspended)
    until(space, lambda seen: seen["job"])
    kubectl("delete", "namespace", space, "--wait=false")
    seen = until(space, lambda seen: seen["job"] and "deletionTimestamp" in seen["job"]["metadata"])
    for what in ("job/wanted", "configmap/holds"):
        kubectl("-n", space, "patch", what, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    return seen


def autoscaler(*events, wants=None):
    """The scheduler's messages are real. The autoscaler's are copies of messages observed on GKE."""
    def provoke(space):
        apply(space, wants or job_with(resources=limits(tpu=8)))
        pod = until(space, unschedulable)["pods"][0]["metadata"]
        now = kubectl("-n", space, "get", "pod", pod["name"], "-o", "jsonpath={.metadata.creationTimestamp}").decode()
        for number, (kind, reason, message) in enumerate(events):
            then = now[:-3] + f"{(int(now[-3:-1]) + number) % 60:02d}Z" if number == 0 else after(now, number)
            kubectl("-n", space, "create", "-f", "-", feed=json.dumps({
                "apiVersion": "v1", "kind": "Event", "metadata": {"name": f"scale.{number}", "namespace": space},
                "involvedObject": {"kind": "Pod", "namespace": space, "name": pod["name"], "uid": pod["uid"], "apiVersion": "v1"},
                "type": kind, "reason": reason, "message": message, "count": number + 1,
                "firstTimestamp": then, "lastTimestamp": then,
                "source": {"component": "cluster-autoscaler"}}).encode())
        return observe(space)
    return provoke


def after(stamp, seconds):
    then = time.mktime(time.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ")) + seconds
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.localtime(then))


def kueue(place, *conditions):
    """Kueue is not installed. Its CRD is, with objects and messages like those of Kueue 0.19."""
    def provoke(space):
        apply("default", WORKLOADS)
        kubectl("wait", "--for=condition=Established", "crd/workloads.kueue.x-k8s.io", "--timeout=30s")
        wanted = job_with(spec={"suspend": True}, resources=limits(tpu=4))
        wanted["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team-a"
        apply(space, wanted)
        made = until(space, lambda seen: seen["job"])["job"]["metadata"]
        apply(space, {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
                      "metadata": {"name": "job-wanted-1a2b3", "labels": {"kueue.x-k8s.io/job-uid": made["uid"]}},
                      "spec": {"queueName": "team-a"}})
        status = {"conditions": [{"type": kind, "status": state, "reason": reason, "message": message,
                                  "lastTransitionTime": made["creationTimestamp"]}
                                 for kind, state, reason, message in conditions]}
        kubectl("-n", space, "patch", "workloads.kueue.x-k8s.io", "job-wanted-1a2b3", "--subresource=status",
                "--type=merge", "-p", json.dumps({"status": status}))
        seen = observe(space)
        seen["workload"] = json.loads(kubectl("-n", space, "get", "workloads.kueue.x-k8s.io", "job-wanted-1a2b3", "-o", "json"))
        seen["workload"]["metadata"].pop("managedFields", None)
        seen["pending_workloads"] = {"kind": "PendingWorkloadsSummary", "items": [
            {"metadata": {"name": "job-wanted-1a2b3"}, "positionInLocalQueue": place}]}
        return seen
    return provoke


WORKLOADS = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
             "metadata": {"name": "workloads.kueue.x-k8s.io",
                          "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/kueue"}},
             "spec": {"group": "kueue.x-k8s.io", "scope": "Namespaced",
                      "names": {"kind": "Workload", "plural": "workloads", "singular": "workload"},
                      "versions": [{"name": "v1beta2", "served": True, "storage": True, "subresources": {"status": {}},
                                    "schema": {"openAPIV3Schema": {"type": "object",
                                                                   "x-kubernetes-preserve-unknown-fields": True}}}]}}
UP = ("Normal", "TriggeredScaleUp", "pod triggered scale-up: [{https://www.googleapis.com/compute/v1/projects/p/zones/"
      "us-west4-a/instanceGroups/gke-kn-tpu-8-grp 0->1 (max: 3)}]")
FAILED = "Node scale up in zones us-west4-a associated with this pod failed: {} Pod is at risk of not being scheduled."
BACKOFF = ("Normal", "NotTriggerScaleUp", "pod didn't trigger scale-up: 1 in backoff after failed scale-up")
MISFIT = ("Normal", "NotTriggerScaleUp", "pod didn't trigger scale-up: 3 node(s) didn't match Pod's node affinity/selector")
AT_BOUND = ("Normal", "NotTriggerScaleUp", "pod didn't trigger scale-up: 2 node(s) didn't match Pod's node "
            "affinity/selector, 1 max node group size reached")

TRAPPED = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: time.sleep(6) or exit(0)); time.sleep(3600)"
def env_from(kind, name, key="k"):
    return [{"name": "X", "valueFrom": {f"{kind}KeyRef": {"name": name, "key": key}}}]


def mounted(volume):
    return job_with(pod={"volumes": [{"name": "v", **volume}]}, volumeMounts=[{"name": "v", "mountPath": "/v"}])


def key_absent(space):
    apply(space, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"other": "x"}},
          job_with(env=env_from("secret", "s")))
    return until(space, lambda seen: container(seen, "main", "waiting", "CreateContainerConfigError"))


SITUATIONS = {
    # Normal states.
    "running": seen_after(job(), running),
    "suspended": seen_after(job_with(spec={"suspend": True}), lambda seen: seen["job"] and condition(seen["job"], "Suspended")),
    "gated": seen_after(job(schedulingGates=[{"name": "why.test/gate"}]), lambda seen: seen["pods"]),
    "succeeded": seen_after(job("pass"), ended),
    "collecting": seen_after(job_with("pass", collector={"command": python(TRAPPED)}, pod={"terminationGracePeriodSeconds": 30}),
                             lambda seen: container(seen, "main", "terminated")),
    # Kueue.
    "queued": kueue(2, ("QuotaReserved", "False", "Pending", "couldn't assign flavors to pod set main: insufficient unused "
                        "quota for google.com/tpu in flavor v5e, 4 more needed")),
    "queue_not_found": kueue(0, ("QuotaReserved", "False", "Inadmissible", "LocalQueue team-a doesn't exist")),
    "queue_checks": kueue(0, ("QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue tpus"),
                          ("Admitted", "False", "UnsatisfiedChecks", "The workload has not all checks ready")),
    "queue_evicted": kueue(4, ("QuotaReserved", "False", "Pending", "Preempted to accommodate a workload"),
                           ("Evicted", "True", "Preempted", "Preempted to accommodate a workload (UID: 7f) due to "
                            "prioritization in the ClusterQueue")),
    # No node.
    "too_large": seen_after(job_with(resources=limits(tpu=8)), unschedulable),
    "memory_too_large": seen_after(job_with(resources=limits(memory="900Gi", cpu=64)), unschedulable),
    "taken": taken,
    "tainted": seen_after(job(nodeSelector={"disk": "ssd"}), unschedulable),
    "cordoned": cordoned,
    "no_such_pool": seen_after(job_with(resources=limits(tpu=4), pod=OTHER_POOL), unschedulable),
    "no_such_label": seen_after(job(nodeSelector={"room": "cellar"}), unschedulable),
    "affinity": seen_after(job(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["nvme", "ram"]}]},
                              {"matchExpressions": [{"key": "kubernetes.io/arch", "operator": "NotIn", "values": ["amd64"]}]}]}}}),
                           unschedulable),
    "claim_absent": seen_after(mounted({"persistentVolumeClaim": {"claimName": "none"}}), unschedulable),
    "scaling_up": autoscaler(UP),
    "stockout": autoscaler(UP, ("Warning", "FailedScaleUp", FAILED.format("GCE out of resources.")), BACKOFF),
    "cloud_quota": autoscaler(UP, ("Warning", "FailedScaleUp", FAILED.format("GCE quota exceeded."))),
    "addresses": autoscaler(UP, ("Warning", "FailedScaleUp", FAILED.format("IP space exhausted."))),
    "backoff": autoscaler(BACKOFF),
    "at_bound": autoscaler(AT_BOUND),
    "misfit": autoscaler(MISFIT, wants=job_with(resources=limits(tpu=4), pod=OTHER_POOL)),
    # No pod.
    "quota_taken": quota({"requests.cpu": "1"}, cpu="500m", memory="64Mi", taken=True),
    "quota_never": quota({"requests.cpu": "1", "requests.memory": "1Gi"}, cpu="2", memory="4Gi"),
    "account_absent": seen_after(job(serviceAccountName="nobody"), lambda seen: event(seen, "FailedCreate")),
    "restricted": restricted,
    "policy_refusal": policy_refusal,
    "webhook_away": webhook_away,
    "namespace_deleted": namespace_deleted,
    # Images.
    "image_not_found": pulls("REGISTRY/absent:1", "ErrImagePull"),
    "image_absent_backoff": pulls("REGISTRY/absent:1", "ImagePullBackOff"),
    "image_private": pulls("REGISTRY/private:1", "ErrImagePull"),
    "image_denied": pulls("REGISTRY/denied:1", "ErrImagePull"),
    "registry_unavailable": pulls("localhost:1/x:1", "ErrImagePull"),
    "image_name": seen_after(job_with(image="Not/An:Image:Name"), lambda seen: container(seen, "main", "waiting", "InvalidImageName")),
    "image_never": seen_after(job_with(image="kinetic.test/none:1", imagePullPolicy="Never"),
                              lambda seen: container(seen, "main", "waiting", "ErrImageNeverPull")),
    "image_slow": seen_after(lambda: job_with(image=f"{REGISTRY}/slow:1", imagePullPolicy="Always"),
                             lambda seen: event(seen, "Pulling", "slow")),
    "collector_image_absent": seen_after(lambda: job_with(collector={"image": f"{REGISTRY}/absent:2", "imagePullPolicy": "Always"}),
                                         lambda seen: container(seen, "collector", "waiting", "ErrImagePull")),
    "architecture": pulls("REGISTRY/foreign:1", "ErrImagePull"),
    # Containers.
    "secret_not_found": seen_after(job_with(env=env_from("secret", "none")),
                                lambda seen: container(seen, "main", "waiting", "CreateContainerConfigError")),
    "key_absent": key_absent,
    "secret_volume_absent": seen_after(mounted({"secret": {"secretName": "none"}}), lambda seen: event(seen, "FailedMount")),
    "mount_fails": seen_after(mounted({"hostPath": {"path": "/nonexistent/folder", "type": "Directory"}}),
                              lambda seen: event(seen, "FailedMount")),
    "not_as_root": seen_after(job_with(securityContext={"runAsNonRoot": True}),
                              lambda seen: container(seen, "main", "waiting", "CreateContainerConfigError")),
    "crash_loop": seen_after(job_with(collector={"command": python("raise SystemExit('no store')")}),
                             lambda seen: event(seen, "BackOff") and container(seen, "collector", "terminated")),
    "no_such_program": seen_after(job_with(command=["/nonexistent/program"]), lambda seen: container(seen, "main", "terminated")),
    "empty_image": seen_after(job_with(image="kinetic.test/empty:1", command=["/bin/sh"]),
                              lambda seen: container(seen, "main", "terminated")),
    # Ends.
    "out_of_memory": seen_after(job_with("x = bytearray(400_000_000)", resources=limits(memory="64Mi")), ended),
    "out_of_memory_collecting": seen_after(job_with("x = bytearray(400_000_000)", resources=limits(memory="64Mi"),
                                                    collector={"command": python(TRAPPED)}, pod={"terminationGracePeriodSeconds": 30}),
                                           lambda seen: container(seen, "main", "terminated")),
    "exit_code": seen_after(job("exit(3)"), ended),
    "killed": seen_after(job("import os; os.kill(os.getpid(), 9) or os._exit(137)"), ended),
    "another_attempt": seen_after(job_with("exit(200)", spec={"backoffLimit": 0}), ended),
    "between_attempts": seen_after(job_with("exit(200)", spec={"backoffLimit": 5}),
                                   lambda seen: seen["job"] and seen["job"]["status"].get("failed", 0) > 1),
    "before_user_code": seen_after(job("exit(201)"), ended),
    "evicted_disk": seen_after(job_with("open('/v/x', 'wb').write(b'x' * 30_000_000); import time; time.sleep(3600)",
                                        pod={"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]},
                                        volumeMounts=[{"name": "v", "mountPath": "/v"}]),
                               lambda seen: any(each["status"].get("reason") == "Evicted" for each in seen["pods"])),
    "preempted": preempted,
    "drained": drained,
    "node_not_ready": kubelet_stopped(False),
    "node_lost": kubelet_stopped(True),
    "pod_deleted": pod_deleted,
    "job_deleted": job_deleted,
    "run_deadline": seen_after(job_with(spec={"activeDeadlineSeconds": 4}), ended),
    "pending_deadline": seen_after(job_with(spec={"activeDeadlineSeconds": 3}, resources=limits(tpu=8)), ended),
}
