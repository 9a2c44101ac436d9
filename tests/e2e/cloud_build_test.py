#!/usr/bin/env python3
"""Images of Dockerfiles, built by the stand-in for Cloud Build without a cluster. Builds are real.

    cloud_build_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
import unittest

from image_case import NoClusterTestCase  # before the modules of tests/support

import cloud_build
import image_registry
from bucket import Bucket
from counting_proxy import Counter, CountingProxy, FaultsAtEveryRequest

PROGRAMS = [os.path.abspath(word) for word in sys.argv[1:4]]
TOKEN = image_registry.GOOGLE_TOKEN
JOB = "name: own\nrun: 'true'\nimage: {dockerfile: docker/Dockerfile}\n"
BUILDS = "RUN echo made > /made\n"
FAILS = "RUN echo this is why >&2; exit 7\n"
TIMEOUT = 120  # seconds
REFUSED, CANCELLED = 120, -signal.SIGINT


class CloudBuildCase(NoClusterTestCase):
    """Each test has its own Cloud Build. All tests share the storage of its engine."""

    programs = PROGRAMS
    bucket_token = TOKEN

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if missing := cloud_build.missing():
            raise RuntimeError(missing)
        cls.engine = cloud_build.Engine(cls.folder / "engine")
        cls.addClassCleanup(cls.engine.remove)

    def setUp(self):
        super().setUp()
        self.service = cloud_build.CloudBuild(self.folder / self.place, self.bucket.url, TOKEN, token=TOKEN,
                                              engine=self.engine)
        self.addCleanup(self.service.stop)
        self.machine = self.new_machine("here")

    def new_machine(self, name, place=None, **settings):
        machine = super().new_machine(name, place, **{"container_engine": "cloud-build", "project": "p",
                                                      "build_endpoint": self.service.url} | settings)
        machine.environment["KINETIC_ACCESS_TOKEN"] = TOKEN
        machine.job(JOB)
        self.write_dockerfile(BUILDS, machine)
        return machine

    def write_dockerfile(self, steps, machine=None):
        (machine or self.machine).write({"docker/Dockerfile": f"FROM {self.base}\n{steps}"})

    def refused(self, *words, code=REFUSED, machine=None, extra=None):
        """@returns stderr"""
        done = (machine or self.machine).run("image", "build", "job.yaml", extra=extra)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertNotIn(TOKEN, done.stderr)
        return done.stderr

    def begin(self, machine=None):
        process = (machine or self.machine).start("image", "build", "job.yaml", "--json")
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def ended(self, process, code=0):
        out, said = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, code, said)
        return json.loads(out) if code == 0 else out + said

    def wait_for(self, condition, *details):
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), deadline, (self.service.requests, self.service.statuses(), *details))
            time.sleep(0.02)

    def status_requests(self):
        """Returns the number of status requests for builds."""
        return sum(request.startswith("GET") and "?" not in request for request in self.service.requests)


class Images(CloudBuildCase):
    def test_image_is_built_once(self):
        made = self.build()
        self.assertTrue(made["built"])
        self.assertEqual(self.service.statuses(), ["SUCCESS"])
        _, config, _ = self.registry.image(self.place, made["tag"])
        self.assertEqual(config["config"]["Labels"]["dev.kinetic.environment"], made["key"])
        self.assertFalse(self.build()["built"])
        self.assertEqual(len(self.service.builds), 1)

    def test_source_and_log_are_stored(self):
        self.build()
        [build] = self.service.builds.values()
        order = build.shown()
        self.assertEqual(order["logsBucket"], f"gs://bucket/{self.place}/builds/logs")
        stored = self.bucket.objects(f"{self.place}/builds/")
        self.assertIn(f"logs/log-{build.id}.txt", stored)
        self.assertIn(order["source"]["storageSource"]["object"].removeprefix(f"{self.place}/builds/"), stored)
        self.assertEqual(self.bucket.objects(f"{self.place}/jobs/"), set())

    def test_log_appears_on_terminal(self):
        self.service.held_before_push.set()
        output = bytearray()
        client = self.start_on_terminal(output)
        self.wait_for(lambda: [build for build in self.service.builds.values() if build.has_done_steps()])
        [build] = self.service.builds
        # The client repaints the last line that it has read until the build continues.
        self.wait_for(lambda: self.last_log_line(build) in output.decode(errors="replace"), output)
        self.service.held_before_push.clear()
        self.assertEqual(client.wait(TIMEOUT), 0, output)

    def start_on_terminal(self, output):
        """Starts a build with stderr on a pseudo-terminal, and a thread that appends what is written to `output`."""
        screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))  # 200 columns
        environment = {**self.machine.environment, "TERM": "xterm"}
        client = subprocess.Popen([PROGRAMS[0], "image", "build", "job.yaml"], cwd=self.machine.project, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)

        def read():
            with contextlib.suppress(OSError):  # Linux reports the end of a pseudo-terminal as EIO
                while piece := os.read(screen, 1 << 16):
                    output.extend(piece)
            os.close(screen)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        for cleanup in (reader.join, client.wait, client.kill):  # in reverse
            self.addCleanup(cleanup)
        return client

    def last_log_line(self, build):
        """Returns the last non-empty complete line of a build's stored log."""
        complete, _, _ = self.bucket.read(f"{self.place}/builds/logs/log-{build}.txt").decode().rpartition("\n")
        return [line for line in complete.splitlines() if line.strip()][-1]

    def test_build_uses_settings_of_profile(self):
        machine = self.new_machine("other", build_region="europe-west4", build_machine="e2-highcpu-8", build_timeout="7m",
                                   build_service_account="builds@p.iam.gserviceaccount.com")
        self.build(machine)
        [build] = self.service.builds.values()
        order = build.shown()
        self.assertIn("/locations/europe-west4/", order["name"])
        self.assertEqual(order["options"], {"logging": "GCS_ONLY", "machineType": "E2_HIGHCPU_8"})
        self.assertEqual(order["timeout"], "420s")
        self.assertEqual(order["serviceAccount"], "projects/p/serviceAccounts/builds@p.iam.gserviceaccount.com")


class Failures(CloudBuildCase):
    def test_failed_build_is_reported_with_step_and_last_lines(self):
        self.write_dockerfile(FAILS)
        self.refused("step build (gcr.io/cloud-builders/docker) failed with exit code", "this is why",
                     "https://console.cloud.google.com/cloud-build/")

    def test_each_status_has_its_own_error(self):
        for status, words in (("TIMEOUT", "build_timeout"), ("EXPIRED", "timed out in the queue"),
                              ("INTERNAL_ERROR", "internal error in Cloud Build"),
                              ("CANCELLED", "the build was cancelled")):
            self.service.ends_as.append(status)
            self.refused(words)

    def test_build_timeout(self):
        self.service.held.set()
        process = self.begin()
        self.wait_for(lambda: self.service.builds)
        [build] = self.service.builds.values()
        build.resource["timeout"] = "0.1s"
        self.service.held.clear()
        self.assertIn("the build exceeded its timeout", self.ended(process, code=REFUSED))

    def test_missing_permission_is_named(self):
        self.service.is_disabled = True
        self.refused("gcloud services enable cloudbuild.googleapis.com --project=123")
        self.service.is_disabled = False
        self.service.denies = True
        self.refused("roles/cloudbuild.builds.editor")
        self.refused("the access token was rejected", extra={"KINETIC_BUILD_ENDPOINT": self.another_service().url})

    def another_service(self):
        service = cloud_build.CloudBuild(self.folder / self.place / "other", self.bucket.url, token="another",
                                         engine=self.engine)
        self.addCleanup(service.stop)
        return service

    def test_custom_endpoint_receives_no_default_credential(self):
        (self.folder / "open").mkdir()
        self.bucket = Bucket(PROGRAMS[2], self.folder / "open")
        self.addCleanup(self.bucket.stop)
        machine = self.new_machine("found")
        del machine.environment["KINETIC_ACCESS_TOKEN"]
        found = machine.folder / ".config/gcloud/application_default_credentials.json"
        found.parent.mkdir(parents=True)
        found.write_text(json.dumps({"type": "authorized_user", "client_id": "c", "client_secret": "s",
                                     "refresh_token": "r"}))
        self.refused("401 Request had invalid authentication credentials", machine=machine)
        self.assertEqual(len(self.service.requests), 1)

    def test_incomplete_profile_is_rejected_before_any_request(self):
        for name, change, words in (("project", {"project": None}, "but no project"),
                                    ("store", {"store": "/tmp/nowhere"}, "set a bucket in the profile")):
            self.refused(words, code=2, machine=self.new_machine(name, **change))
        self.assertEqual(self.service.requests, [])
        done = self.machine.run("profile", "create", "slow", "--set", "build_timeout=0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("1 to 1440 minutes", done.stderr)


class Clients(CloudBuildCase):
    """Several clients of one build, interrupts and kills."""

    def setUp(self):
        super().setUp()
        self.service.held.set()

    def both_listed(self):
        """Returns whether two clients have listed builds. A single client does so at most twice."""
        return sum("?filter" in request for request in self.service.requests) >= 3

    def begin_both(self):
        """@returns a client that has started the build, and one that follows it"""
        first = self.begin()
        self.wait_for(lambda: self.status_requests() > 0)
        other = self.begin(self.new_machine("other"))
        self.wait_for(self.both_listed)
        status_requests = self.status_requests()
        self.wait_for(lambda: self.status_requests() >= status_requests + 4)
        return first, other

    def test_two_clients_follow_one_build(self):
        first, other = self.begin_both()
        self.service.held.clear()
        self.assertEqual(self.ended(first)["reference"], self.ended(other)["reference"])
        self.assertEqual(self.service.statuses(), ["SUCCESS"])

    def test_two_clients_make_one_image(self):
        first, other = self.begin(), self.begin(self.new_machine("other"))
        self.wait_for(self.both_listed)
        self.wait_for(lambda: self.status_requests() >= 4)
        self.service.held.clear()
        self.assertEqual(self.ended(first)["reference"], self.ended(other)["reference"])
        self.assertEqual(self.service.statuses().count("SUCCESS"), 1)
        self.assertEqual(len(self.registry.tags(self.place)), 1)

    def test_interrupt_cancels_own_build(self):
        process = self.begin()
        self.wait_for(lambda: self.status_requests() > 0)
        process.send_signal(signal.SIGINT)
        self.ended(process, code=CANCELLED)
        self.assertEqual(self.service.statuses(), ["CANCELLED"])

    def test_interrupt_does_not_cancel_build_of_another_client(self):
        first, other = self.begin_both()
        other.send_signal(signal.SIGINT)
        self.ended(other, code=CANCELLED)
        self.assertEqual(self.service.statuses(), ["QUEUED"])
        self.service.held.clear()
        self.ended(first)

    def test_cancelled_build_of_another_client_is_restarted(self):
        first, other = self.begin_both()
        first.send_signal(signal.SIGINT)
        self.ended(first, code=CANCELLED)
        self.service.held.clear()
        self.ended(other)
        self.assertEqual(self.service.statuses(), ["CANCELLED", "SUCCESS"])

    def test_build_of_killed_client_is_followed(self):
        process = self.begin()
        self.wait_for(lambda: self.status_requests() > 0)
        process.kill()
        process.wait()
        other = self.begin(self.new_machine("other"))
        status_requests = self.status_requests()
        self.wait_for(lambda: self.status_requests() > status_requests)
        self.service.held.clear()
        self.ended(other)
        self.assertEqual(self.service.statuses(), ["SUCCESS"])


class Faults(FaultsAtEveryRequest, CloudBuildCase):
    """A fault at every request to Cloud Build."""

    def setUp(self):
        super().setUp()
        self.counter, self.machines = Counter(), 0
        self.door = CountingProxy(self.service.url, self.counter)
        self.addCleanup(self.door.stop)

    def begin_at(self, repository, place):
        self.machines += 1
        machine = self.new_machine(f"machine-{self.machines}", build_endpoint=self.door.url,
                                   environment_images=f"{self.registry.host}/{repository}", place=place)
        return self.begin(machine)

    def inject_at_every_request(self, strike, survives):
        """Calls `strike` with the client at each request; it returns what happens to the request. If the client does
        not survive, another one builds the image."""
        self.counter.arm(None, False, None)
        self.ended(self.begin_at(f"{self.place}/first", f"{self.place}-first"))
        count = len(self.counter.requests)
        self.assertGreaterEqual(count, 4)  # list, create, list, get
        struck = set()
        for number in range(min(count, 5)):
            for answered in (False, True):
                with self.subTest(request=number, answered=answered):
                    name = f"{self.place}/at-{number}-{answered}".lower()
                    client = None

                    def act():
                        struck.add(number)
                        while client is None:
                            time.sleep(0.01)
                        return strike(client)
                    self.counter.arm(number, answered, act)
                    before = len(self.service.builds)
                    client = self.begin_at(name, f"{name}-store")
                    if survives:
                        self.assertTrue(self.ended(client)["built"])
                        # libcurl repeats requests that fail on a reused connection.
                        self.assertEqual(self.service.statuses()[before:].count("SUCCESS"), 1)
                        self.assertLessEqual(set(self.service.statuses()[before:]), {"SUCCESS", "CANCELLED"})
                    else:
                        client.communicate(timeout=TIMEOUT)
                        self.counter.arm(None, False, None)
                        self.ended(self.begin_at(name, f"{name}-store"))
                    self.assertEqual(len(self.registry.tags(name)), 1)
        self.assertTrue({0, 1, 2, 3} <= struck, struck)

    def test_bucket_faults(self):
        counter = Counter()
        door = CountingProxy(self.bucket.url, counter)
        self.addCleanup(door.stop)
        for what, meant in (("source", lambda request: request.startswith("POST") and ".tar.gz" in request),
                            ("log", lambda request: request.startswith("GET") and "log-" in request)):
            for act in (None, 503):
                for answered in (False, True):
                    with self.subTest(what=what, act=act, answered=answered):
                        struck = []
                        counter.arm(meant, answered, lambda: struck.append(what) or act)
                        repository = f"{self.place}/{what}-{act}-{answered}".lower()
                        machine = self.new_machine(f"{what}-{act}-{answered}", place=f"{repository}-store",
                                                   environment_images=f"{self.registry.host}/{repository}")
                        machine.environment["STORAGE_EMULATOR_HOST"] = door.url
                        self.assertTrue(self.build(machine)["built"])
                        self.assertEqual(struck, [what])


if __name__ == "__main__":
    cloud_build.need_builds()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
