"""Jobs like those of kinetic: the collector is a native sidecar of the program."""

import copy

PYTHON = "kinetic.test/python:1"
COLLECT = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: exit(0)); time.sleep(3600)"
POLICY = [
    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    {"action": "Count", "onExitCodes": {"containerName": "main", "operator": "In", "values": [200]}},
    {"action": "FailJob", "onExitCodes": {"containerName": "main", "operator": "NotIn", "values": [0]}},
]


def python(code):
    return ["/usr/bin/python3", "-c", code]


def job(code="import time; time.sleep(3600)", **pod):
    """Returns a Job whose program is Python code, with more pod fields by name."""
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "wanted", "labels": {"app.kubernetes.io/managed-by": "kinetic"}},
            "spec": {"backoffLimit": 2, "podReplacementPolicy": "Failed",
                     "podFailurePolicy": {"rules": copy.deepcopy(POLICY)},
                     "template": {"spec": {
                         "restartPolicy": "Never", "terminationGracePeriodSeconds": 2,
                         "initContainers": [{"name": "collector", "image": PYTHON, "restartPolicy": "Always",
                                             "command": python(COLLECT)}],
                         "containers": [{"name": "main", "image": PYTHON, "command": python(code)}], **pod}}}}


def job_with(code="import time; time.sleep(3600)", pod=None, collector=None, spec=None, **main):
    """Returns the same with more fields of its parts."""
    made = job(code, **(pod or {}))
    made["spec"].update(spec or {})
    template = made["spec"]["template"]["spec"]
    template["containers"][0].update(main)
    template["initContainers"][0].update(collector or {})
    return made


def limits(**resources):
    """limits(tpu=4, memory="64Mi")"""
    named = {{"tpu": "google.com/tpu"}.get(key, key): str(value) for key, value in resources.items()}
    return {"limits": named, "requests": dict(named)}
