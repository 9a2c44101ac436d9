"""Rows about many jobs, the cost of a pod, and a followed log."""

import concurrent.futures
import json
import statistics
import urllib.parse
import urllib.request

from cluster_place import wait_for
from cluster_row import Line, milliseconds, times
from cluster_rows import in_turn, median
from container_times import ContainerTimes
from job_rows import LAST_MICROSECOND

JOBS = 1000
LINES = 1_000_000
# Waits for the follower, then writes at full speed.
PRINTING = f"""import sys, time
time.sleep(4)
for i in range({LINES}):
    sys.stdout.write('line %d of the log, as a program writes it\\n' % i)
"""
PODS = 12


def put_entry(place, name, metadata):
    """Creates an object without content, such as an index entry."""
    parts = [("application/json", json.dumps({"name": name, "metadata": metadata})), ("text/plain", "")]
    body = "".join(f"--part\r\nContent-Type: {kind}\r\n\r\n{text}\r\n" for kind, text in parts) + "--part--\r\n"
    request = urllib.request.Request(f"{place.bucket.url}/upload/storage/v1/b/bucket/o?uploadType=multipart",
                                     body.encode(), {"Content-Type": "multipart/related; boundary=part"})
    urllib.request.urlopen(request, timeout=60).close()


def make_jobs(place):
    """Creates accepted Jobs that never start, each with an index entry in the store. They name another controller,
    so that they stay pending."""
    manifests = json.loads(place.machine.run("run", "job.yaml", "--dry-run", "--json").stdout)["manifests"]
    text = json.dumps(next(each for each in manifests if each["kind"] == "Job"))
    job_id = json.loads(text)["metadata"]["labels"]["kinetic.dev/job-id"]
    first = place.kinetic("run", "--detach", "job.yaml").line.split()[0]
    place.machine.run("wait", first)
    metadata = next(item["metadata"] for item in place.bucket.list("team/index/") if item["metadata"]["id"] == first)

    def make(number):
        itself, created = f"{number:0{len(job_id)}d}", int(metadata["created"]) - number
        job = json.loads(text.replace(job_id, itself))
        job["spec"]["managedBy"] = "kinetic.test/nobody"
        place.api.create(place.jobs_path(), job)
        entry = {key: metadata[key] for key in ("name", "owner", "target", "function")}
        entry |= {"id": itself, "state": "queued", "created": str(created), "attempt": "0"}
        put_entry(place, f"team/index/{LAST_MICROSECOND - created:016d}-{itself}", entry)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(make, range(1, JOBS)))


def ps(place):
    make_jobs(place)
    listed = place.kinetic("ps", "--all").lines - 1
    if listed != JOBS:
        raise RuntimeError(f"kinetic ps lists {listed} jobs of {JOBS}")
    trace = place.folder / "trace"
    place.kinetic("ps", "--all", "--trace", trace)
    requests = [json.loads(line) for line in trace.read_text().splitlines()]
    ours, its = in_turn(9, (lambda: place.kinetic("ps", "--all"), 1), (lambda: place.kubectl("get", "jobs"), 1))
    if its[0].lines < JOBS - 1:
        raise RuntimeError(f"kubectl lists {its[0].lines} jobs of {JOBS}")
    took, its_took = (median(run.until_line for run in runs) for runs in (ours, its))
    cpu, its_cpu = (median(run.cpu for run in runs) for runs in (ours, its))
    asked = ", ".join(f"{request['method']} {urllib.parse.urlsplit(request['url']).path.rsplit('/', 1)[1]}"
                      for request in requests)
    yield Line(f"kinetic ps --all of {JOBS} jobs, of which {JOBS - 1} wait in the cluster", "<= 1 s, <= 3 requests",
               f"{milliseconds(took)}, {milliseconds(cpu)} CPU, {len(requests)} requests, "
               f"{max(run.peak for run in ours):.0f} MB",
               f"kubectl get jobs: {milliseconds(its_took)}, {milliseconds(its_cpu)} CPU", times(its_took / took),
               took <= 1 and len(requests) <= 3, asked)


def bare_pod(image, main, collector):
    """Returns a pod like a job's: a container and a sidecar."""
    return {"spec": {"backoffLimit": 0, "template": {"spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 30,
        "initContainers": [{"name": "collector", "image": image, "restartPolicy": "Always", "command": collector}],
        "containers": [{"name": "main", "image": image, "command": main}]}}}}


IDLE = ["python3", "-c", "import signal; signal.signal(signal.SIGTERM, lambda *_: exit(0)); signal.pause()"]


def pod(place):
    """Measures the overhead of kinetic's two programs in a pod without faults."""
    place.machine.job("name: nothing\nrun: /bin/true\ndependencies: null\nbundle: {root: .}\n")
    place.kinetic("run", "job.yaml")
    times_of = {"ours": [], "bare": []}
    with ContainerTimes(place) as containers:
        for number in range(PODS):
            for kind in times_of:
                if kind == "ours":
                    name = "kinetic-" + place.kinetic("run", "--detach", "job.yaml").line.split()[0]
                else:
                    name = f"bare-{number}"
                    job = bare_pod(place.cluster.images["python"], ["/bin/true"], IDLE)
                    place.api.create(place.jobs_path(), job | {"metadata": {"name": name}})
                times_of[kind].append(containers.of(name))
                place.remove_job(name)
    ours, bare = ({part: statistics.median(each[part] for each in of) for part in of[0]}
                  for of in (times_of["ours"], times_of["bare"]))
    own = ours["hook"] + ours["main"] - bare["main"]
    yield Line("a fault-free pod's own cost: launcher and collector", "<= 150 ms", milliseconds(own),
               f"the same two containers, doing nothing: {milliseconds(bare['main'])}", "-", own <= 0.15,
               f"{milliseconds(ours['hook'])} until the launcher is installed, {milliseconds(ours['main'])} in the "
               f"job's container; the collector ends {milliseconds(ours['after'])} after that, one that does nothing "
               f"{milliseconds(bare['after'])}; the whole pod {milliseconds(ours['whole'])} and "
               f"{milliseconds(bare['whole'])}, {PODS} of each")


def lines(place):
    place.machine.job("name: lines\nrun: python3 p.py\ndependencies: null\nbundle: {root: .}\n", p_py=PRINTING)
    place.machine.run("run", "job.yaml", "--detach")

    def ours():
        run = place.kinetic("run", "job.yaml")
        if run.lines != LINES:
            raise RuntimeError(f"kinetic printed {run.lines} lines")
        return run

    numbers = iter(range(100))

    def theirs():
        name = f"printing-{next(numbers)}"
        container = {"name": "main", "image": place.cluster.images["python"], "command": ["python3", "-c", PRINTING]}
        place.api.create(place.pods_path(), {"metadata": {"name": name}, "spec": {
            "restartPolicy": "Never", "containers": [container]}})
        wait_for("the pod runs", lambda: place.api.get(place.pods_path(f"/{name}"))["status"]["phase"] == "Running")
        run = place.kubectl("logs", "-f", name)
        place.api.delete(place.pods_path(f"/{name}"))
        return run

    mine, its = in_turn(3, (ours, 1), (theirs, 1))
    rate, its_rate = (median(run.lines / run.streamed for run in runs) for runs in (mine, its))
    lost = [LINES - run.lines for run in its]
    cpu, its_cpu = (median(run.cpu for run in runs) for runs in (mine, its))
    peak = max(run.peak for run in mine)
    yield Line(f"{LINES:,} lines followed", ">= kubectl logs -f, none lost, <= 40 MB",
               f"{rate:,.0f} lines/s, {cpu:.1f} s CPU, {peak:.0f} MB, none lost",
               f"kubectl logs -f: {its_rate:,.0f} lines/s, {its_cpu:.1f} s CPU, lost {lost}", times(rate / its_rate),
               rate >= its_rate and peak <= 40)


def status(place):
    place.machine.job("name: sleeping\nrun: sleep 600\ndependencies: null\nbundle: {root: .}\n")
    job = place.kinetic("run", "--detach", "job.yaml").line.split()[0]
    place.machine.await_state(job, {"running"})
    ours, its = in_turn(21, (lambda: place.kinetic("status", job), 1),
                        (lambda: place.kubectl("get", "job", f"kinetic-{job}"), 1))
    trace = place.folder / "trace"
    place.kinetic("status", job, "--trace", trace)
    requests = len(trace.read_text().splitlines())
    place.remove_job(f"kinetic-{job}")
    took, its_took = (median(run.until_line for run in runs) for runs in (ours, its))
    cpu, its_cpu = (median(run.cpu for run in runs) for runs in (ours, its))
    yield Line("kinetic status of a running job", ">= 2x", f"{milliseconds(took)}, {milliseconds(cpu)} CPU",
               f"kubectl get job: {milliseconds(its_took)}, {milliseconds(its_cpu)} CPU",
               f"{its_took / took:.1f}x ({its_cpu / cpu:.1f}x CPU)", its_took / took >= 2, f"{requests} requests in 2 round trips")
