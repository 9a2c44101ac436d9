"""A machine that submits jobs to the test cluster, with a store in a Cloud Storage test server."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from bucket import Bucket, BucketMachine
from cluster import ClusterTestCase, command
from cluster_view import View, agrees
from machine import TERMINAL

PROFILE = "lab"


class ClusterMachine(BucketMachine):
    """@param where         namespace of the jobs
    @param runner_image  name as it was imported
    @param settings      of the profile, added to or replacing the defaults; None: not set"""

    def __init__(self, folder, kinetic, runner, bucket, cluster, where, runner_image, place="team", **settings):
        super().__init__(folder, kinetic, runner, bucket, place)
        del self.environment["KINETIC_STORE"]
        # Clients must not need another program: no Python, kubectl or gcloud.
        self.environment["PATH"] = "/nowhere"
        port = bucket.url.rsplit(":", 1)[1]
        profile = {"kind": "kubernetes", "kubeconfig": cluster.kubeconfig, "namespace": where,
                   "store": f"gs://bucket/{place}", "runner_endpoint": f"http://{cluster.address}:{port}",
                   "runner_credentials": "none", "runner_image": runner_image,
                   "image": cluster.images["python"]} | settings
        words = [word for key, value in profile.items() if value is not None
                 for word in ("--set", f"{key}={value}")]
        made = self.run("profile", "create", PROFILE, "--use", *words)
        assert made.returncode == 0, made.stderr

    def write(self, files):
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def job(self, text, **files):
        """Writes job.yaml and other files, named with "_" instead of "."."""
        self.write({"job.yaml": text, **{name.replace("_", ".", 1): body for name, body in files.items()}})

    def answer(self, *arguments, code=0):
        """Returns the --json output of a command."""
        done = self.run(*arguments, "--json")
        assert done.returncode == code, f"{arguments}: {done.returncode}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    def await_state(self, job, states, seconds=180):
        """Returns the job's status once it is in one of these states."""
        deadline = time.monotonic() + seconds
        while True:
            status = self.answer("status", job)
            if status["state"] in states:
                return status
            assert time.monotonic() < deadline, f"{job} is {status['state']}, not {states}: {status}"
            time.sleep(0.1)

    def await_end(self, job, seconds=180):
        return self.await_state(job, TERMINAL, seconds)


def import_runner(kinetic, runner):
    """Imports the runner image into the nodes and returns its name, which identifies its content."""
    with tempfile.TemporaryDirectory(prefix="kinetic-image-") as folder:
        file = pathlib.Path(folder) / "runner.tar"
        made = subprocess.run([kinetic, "image", "runner", "--output", file, "--runner", runner,
                               "--ref", "kinetic.test/runner", "--json"],
                              capture_output=True, text=True, check=False, env={"HOME": folder, "PATH": "/usr/bin"})
        if made.returncode != 0:
            raise RuntimeError(made.stdout + made.stderr)
        command("import", file)
        return json.loads(made.stdout)["name"]


class JobsTestCase(ClusterTestCase):
    """Each test has its own namespace, bucket and machine."""

    programs = ()  # KINETIC, RUNNER, GCS_SERVER
    needs_runner = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runner_image = import_runner(*cls.programs[:2]) if cls.needs_runner else "kinetic.test/runner:none"

    def setUp(self):
        super().setUp()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-cluster-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.bucket = Bucket(self.programs[2], self.folder, host="0.0.0.0")
        self.addCleanup(self.bucket.stop)
        self.machine = self.new_machine("here")
        self.view = View(self.cluster, self.namespace)
        self.addCleanup(self.view.stop)

    def new_machine(self, name, **settings):
        kinetic, runner = self.programs[:2]
        return ClusterMachine(self.folder / name, kinetic, runner, self.bucket, self.cluster, self.namespace,
                              self.runner_image, **settings)

    def agrees(self, job, attempts=None):
        """Returns the status of a job after checking that it agrees with the cluster."""
        return agrees(self.machine, self.view, job, attempts)

    def start(self, job, *arguments):
        """Starts a client that follows its job."""
        process = self.machine.start("run", "job.yaml", "--id", job, *arguments)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_job(self, *arguments, code=0, machine=None):
        """Runs job.yaml of a machine to its end and checks the exit code."""
        done = (machine or self.machine).run("run", "job.yaml", *arguments, seconds=600)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def rotated(self, job):
        """Returns the rotated log files of a job's collector."""
        state = pathlib.Path(self.cluster.state)
        logs = [path for pod in self.view.pods(f"kinetic-{job}")
                for path in state.glob(f"nodes/*/podlogs/*_{pod['metadata']['uid']}/collector/*")]
        return [path.name for path in logs if path.name != "0.log"]

    def jobs(self):
        return [item["metadata"]["name"] for item in self.api.get(self.batch("jobs"))["items"]]

    def secrets(self):
        return [each["metadata"]["name"] for each in self.api.get(self.core("secrets"))["items"]]

    def pods(self):
        return self.api.get(self.core("pods"))["items"]

    def remaining_pods(self):
        """Returns pods that are not being deleted. Deletion may take the kubelet some time."""
        return [pod for pod in self.pods() if "deletionTimestamp" not in pod["metadata"]]

    def pods_made(self, job):
        events = self.api.get(self.core(f"events?fieldSelector=involvedObject.name={job},reason=SuccessfulCreate"))
        return sum(event.get("count") or 1 for event in events["items"])


def numbered(text):
    """Returns the numbers of "line N" in a log."""
    return [int(found) for found in re.findall(r"^line (\d+)$", text, re.MULTILINE)]
