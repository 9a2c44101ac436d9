"""Rows about arrays on a cluster. Pods of fake nodes run nothing: the objects that the runners of their tasks would
store are there before they end."""

import concurrent.futures
import json
import threading
import time
import urllib.parse

from cluster_more_rows import put_entry
from cluster_place import command, wait_for
from cluster_row import Line, milliseconds, times
from cluster_rows import median

TASKS, FLEET, PARALLEL = 1000, 10_000, 500
FOREIGN_EVENTS, FOREIGN_PODS = 50_000, 2000
FAKE_NODES = 100
ON_FAKE_NODES = {"nodeSelector": {"kinetic.test/fake": "true"},
                 "tolerations": [{"key": "kinetic.test/fake", "operator": "Exists"}]}
FUNCTION = "def f(x):\n    return x\n"
JOB = "name: tasks\nfunction: f:f\ndependencies: null\nbundle: {root: .}\n"


def job_of(tasks, parallel, labels=None):
    pod = {"spec": ON_FAKE_NODES, "metadata": {"labels": labels or {}}}
    return JOB + f"array: {{over: {{x: {{range: {tasks}}}}}, parallel: {parallel}}}\npod: {json.dumps(pod)}\n"


def end_tasks(place, job, tasks):
    """Creates what the runners of all tasks would leave in the listing of ended tasks."""
    record = json.loads(place.bucket.read(f"team/jobs/{job}/record.json"))

    def end(task):
        put_entry(place, f"team/jobs/{job}/ended/{task:06}",
                  {"id": job, "nonce": record["nonce"], "state": "succeeded", "attempt": "1", "exit_code": "0",
                   "started": str(time.time_ns() // 1000), "finished": str(time.time_ns() // 1000), "value": str(task)})

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(end, range(tasks)))


def traced(place, *words, far=False):
    """Runs a command; returns it and its requests."""
    trace = place.folder / "trace"
    trace.unlink(missing_ok=True)
    run = place.kinetic(*words, "--trace", trace, far=far)
    return run, [json.loads(line) for line in trace.read_text().splitlines()]


def kinds(requests):
    """Returns how many requests of which kind there were."""
    names = [f"{each['method']} {urllib.parse.urlsplit(each['url']).path.rsplit('/', 1)[1]}" for each in requests]
    return ", ".join(f"{names.count(name)} {name}" for name in dict.fromkeys(names))


def submitted(place):
    """A job of 1,000 tasks until the cluster has accepted it, with distant servers."""
    place.machine.job(job_of(TASKS, 1, {"kinetic.test/still": "true"}), f_py=FUNCTION)
    place.kinetic("run", "--detach", "job.yaml")
    runs = []
    for _ in range(5):
        run, requests = traced(place, "run", "--detach", "job.yaml", far=True)
        runs.append(run)
        place.remove_job("kinetic-" + run.line.split()[0])
    took = median(run.until_line for run in runs)
    yield Line(f"{TASKS:,} tasks accepted, {milliseconds(place.round_trip)} round trips", "<= 10 requests, <= 1 s",
               f"{milliseconds(took)}, {len(requests)} requests, {milliseconds(median(run.cpu for run in runs))} CPU",
               "-", "-", took <= 1 and len(requests) <= 10, kinds(requests))


def bare_job(image, name):
    return {"metadata": {"name": name}, "spec": {
        "completions": FLEET, "parallelism": PARALLEL, "completionMode": "Indexed", "backoffLimitPerIndex": 3,
        "template": {"spec": {**ON_FAKE_NODES, "restartPolicy": "Never",
                              "containers": [{"name": "main", "image": image}]}}}}


def bare(place, name):
    """Returns how long a bare Indexed Job takes."""
    begin = time.monotonic()
    place.api.create(place.jobs_path(), bare_job(place.cluster.images["python"], name))

    def is_complete():
        time.sleep(0.5)
        conditions = place.api.get(place.jobs_path(name))["status"].get("conditions", ())
        return any(each["type"] == "Complete" and each["status"] == "True" for each in conditions)

    wait_for("the bare Job", is_complete, 7200)
    took = time.monotonic() - begin
    remove_fleet(place, name)
    return took


def remove_fleet(place, name):
    place.api.delete(place.jobs_path(f"{name}?propagationPolicy=Background"))
    wait_for(f"{name} gone", lambda: not place.api.get(place.pods_path("?limit=1"))["items"], 3600)


def fleet(place):
    """10,000 tasks on fake nodes, from the submission until a client has seen them all end."""
    command("kwok", FAKE_NODES, "--label", "kubernetes.io/arch=amd64")
    place.machine.job(job_of(FLEET, PARALLEL), f_py=FUNCTION)
    its = bare(place, "bare")
    begin = time.monotonic()
    job = place.kinetic("run", "--detach", "job.yaml").line.split()[0]
    ending = threading.Thread(target=end_tasks, args=(place, job, FLEET))
    ending.start()
    waited = place.kinetic("wait", job)
    took = time.monotonic() - begin
    ending.join()
    wait_for("no pod is left", lambda: not place.api.get(place.pods_path("?limit=1"))["items"], 3600)
    yield Line(f"{FLEET:,} tasks on {FAKE_NODES} fake nodes, {PARALLEL} at a time, to the end", ">= 0.9x",
               f"{took:.0f} s; the client {waited.cpu:.1f} s CPU, {waited.peak:.0f} MB",
               f"a bare Indexed Job: {its:.0f} s", times(its / took), its / took >= 0.9)
    command("kwok", 0)


def large(place):
    """Commands of an array of 10,000 tasks, all of which have left results, and 100 of which have pods."""
    command("kwok", FAKE_NODES, "--label", "kubernetes.io/arch=amd64")
    place.machine.job(job_of(FLEET, 100, {"kinetic.test/still": "true"}), f_py=FUNCTION)
    job = place.kinetic("run", "--detach", "job.yaml").line.split()[0]
    end_tasks(place, job, FLEET)
    wait_for("pods", lambda: place.api.get(place.jobs_path("kinetic-" + job))["status"].get("active") == 100, 600)
    for words in (("status", job), ("results", job)):
        run, requests = traced(place, *words)
        took = run.until_line + run.streamed
        yield Line(f"kinetic {words[0]} of {FLEET:,} tasks", "<= 15 requests, <= 1 s, <= 60 MB",
                   f"{milliseconds(took)}, {len(requests)} requests, {run.peak:.0f} MB, {milliseconds(run.cpu)} CPU",
                   "-", "-", len(requests) <= 15 and took <= 1 and run.peak <= 60, kinds(requests))
    place.kinetic("cancel", job)
    wait_for("no pod is left", lambda: not place.api.get(place.pods_path("?limit=1"))["items"], 600)
    command("kwok", 0)


def add_foreign_objects(place):
    """Creates pods that nothing schedules, and events about them."""
    def pod(number):
        return {"metadata": {"name": f"foreign-{number}"}, "spec": {
            "schedulerName": "none", "containers": [{"name": "main", "image": "none"}]}}

    def event(number):
        about = {"kind": "Pod", "name": f"foreign-{number % FOREIGN_PODS}", "namespace": place.namespace}
        return {"metadata": {"name": f"foreign-{number}"}, "involvedObject": about, "reason": "Foreign",
                "message": "of another user's pod", "type": "Normal"}

    place.api.create_all(place.pods_path(), map(pod, range(FOREIGN_PODS)))
    place.api.create_all(f"/api/v1/namespaces/{place.namespace}/events", map(event, range(FOREIGN_EVENTS)))


def foreign(place):
    """A run in an empty namespace, and beside the pods and events of others."""
    def used():
        runs = [traced(place, "run", "job.yaml") for _ in range(3)]
        took = median(run.until_line for run, _ in runs)
        requests = runs[-1][1]
        return took, len(requests), sum(each["received_bytes"] for each in requests), kinds(requests)

    place.machine.job(JOB + "args: {x: 1}\n", f_py=FUNCTION)
    used()
    alone = used()
    add_foreign_objects(place)
    beside = used()
    texts = [f"{milliseconds(took)}, {requests} requests, {received / 1000:.0f} kB"
             for took, requests, received, _ in (beside, alone)]
    yield Line(f"a run beside {FOREIGN_EVENTS:,} events and {FOREIGN_PODS:,} pods of others", "as alone",
               texts[0], f"alone: {texts[1]}", times(beside[2] / alone[2]), beside[2] < 1.2 * alone[2], beside[3])
