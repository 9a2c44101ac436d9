#!/usr/bin/env python3
"""Packages that a pod installs for a client without Python, pip and uv.

    cluster_package_build_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import hashlib
import json
import os
import pathlib
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase
from image_case import FUNCTION, PYTHON, RegistryTestCase  # before the modules of tests/support

from delaying_proxy import DelayingProxy
from package_index import PackageIndex, module
from python_packages import wheel

PROGRAMS = sys.argv[1:4]
APP = """
import importlib.metadata, sys, first
def main():
    found = sorted(f"{one.metadata['Name']} {one.version}" for one in importlib.metadata.distributions())
    return {"packages": found, "file": first.__file__}
"""
BOTH = {"packages": ["first 1.0", "second 2.0"],
        "file": f"/opt/kinetic/environment/lib/python{PYTHON}/site-packages/first.py"}
WHEELS = (module("first", "1.0", ["second>=1"]), module("second", "1.0"), module("second", "2.0"))
PASSWORD = "s3cret-index-password"
MADE = "kinetic-packages-"


class PackageBuildTestCase(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.assertEqual(self.machine.environment["PATH"], "/nowhere")
        self.index = self.new_index()

    def new_index(self, **settings):
        index = PackageIndex(*WHEELS, address=self.cluster.address, **settings)
        self.addCleanup(index.close)
        return index

    def project(self, requirements="first\n", machine=None, job=FUNCTION, index=None):
        (machine or self.machine).job(job, app_py=APP, requirements_txt=(index or self.index).lines + requirements)

    def builds_created(self):
        """Returns the number of package build Jobs created."""
        events = self.api.get(self.core("events?fieldSelector=involvedObject.kind=Job,reason=SuccessfulCreate"))
        return len({event["involvedObject"]["uid"] for event in events["items"]
                    if event["involvedObject"]["name"].startswith(MADE)})

    def build_jobs(self):
        return [job for job in self.jobs() if job.startswith(MADE)]

    def left(self):
        """Returns the objects of package builds in the namespace."""
        pods = [pod["metadata"]["name"] for pod in self.remaining_pods() if pod["metadata"]["name"].startswith(MADE)]
        return self.build_jobs() + pods + [name for name in self.secrets() if name.startswith(MADE)]

    def await_cleanup(self):
        wait_for("nothing left", lambda: not self.left(), 60)
        return True


class Jobs(PackageBuildTestCase):
    def test_function_imports_packages_built_by_pod(self):
        self.project()
        done = self.run_job("--id", "first")
        self.assertEqual(json.loads(done.stdout), BOTH)
        self.assertIn("build: 2 packages, built", done.stderr)
        self.assertEqual(self.builds_created(), 1)
        self.assertTrue(self.await_cleanup())

        other = self.new_machine("other")
        self.project("# the same\nFirst\n", other)
        for machine, name in ((self.machine, "second"), (other, "third")):
            done = self.run_job("--id", name, machine=machine)
            self.assertEqual(json.loads(done.stdout), BOTH)
            self.assertIn("build: 2 packages, unchanged", done.stderr)
        self.assertEqual(self.builds_created(), 1)
        self.assertEqual(self.machine.run("gc").returncode, 0)

    def test_existing_lock_needs_packages_only(self):
        lines = [f"{file.split('-')[0]}=={file.split('-')[1]} --hash=sha256:{hashlib.sha256(wheel).hexdigest()}"
                 for file, wheel in (WHEELS[0], WHEELS[2])]
        self.project("\n".join(lines) + "\n")
        self.assertEqual(json.loads(self.run_job().stdout), BOTH)
        # The remaining package is stored.
        self.project(lines[1] + "\n", job=FUNCTION.replace("app:main", "none:main"))
        self.machine.write({"none.py": "import second\ndef main():\n    return 1\n"})
        self.run_job()
        self.assertEqual(self.builds_created(), 1)

    def test_restricted_namespace_builds_packages(self):
        self.cluster.kubectl("label", "namespace", self.namespace, "pod-security.kubernetes.io/enforce=restricted")
        self.project()
        self.assertEqual(json.loads(self.run_job().stdout), BOTH)

    def test_dry_run_names_package_build(self):
        self.project()
        plan = self.machine.answer("run", "job.yaml", "--dry-run")
        [name, _] = [manifest["metadata"]["name"] for manifest in plan["manifests"]]
        self.assertTrue(name.startswith(MADE), name)
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.bucket.objects("team/builds/"), set())
        self.run_job()
        self.assertEqual(len(self.machine.answer("run", "job.yaml", "--dry-run")["manifests"]), 1)


class Locks(PackageBuildTestCase):
    def test_lock_is_made_and_updated_without_packages(self):
        self.project("second<2\n")
        lock = self.machine.answer("lock", "job.yaml")
        self.assertEqual([package["version"] for package in lock["packages"]], ["1.0"])
        self.assertEqual(self.bucket.objects("team/packages/"), set())
        self.assertEqual(self.machine.answer("lock", "job.yaml")["manifest_key"], lock["manifest_key"])
        self.assertEqual(self.builds_created(), 1)
        renewed = self.machine.answer("lock", "job.yaml", "--renew")
        self.assertEqual(renewed["id"], lock["id"])
        self.assertNotEqual(renewed["resolved_at"], lock["resolved_at"])
        self.assertEqual(self.builds_created(), 2)

    def test_locked_option_builds_no_lock(self):
        self.project()
        self.assertIn("these dependencies have no lock", self.run_job("--locked", code=120).stderr)
        self.assertEqual(self.builds_created(), 0)


class Failures(PackageBuildTestCase):
    def test_conflict_is_reported_with_resolver_output(self):
        self.project("first==1.0\nsecond<1\n")
        done = self.run_job(code=120)
        self.assertIn("cannot resolve the dependencies (uv ", done.stderr)
        self.assertRegex(done.stderr, "second<1")
        self.assertRegex(done.stderr, "unsatisfiable")
        [log] = (self.machine.folder / ".cache/kinetic/logs").glob("cluster-*")
        self.assertIn(f"full log: {log}", done.stderr)
        self.assertNotIn("/kinetic/cache", done.stderr)
        self.assertRegex(log.read_text(), "unsatisfiable")
        self.assertTrue(self.await_cleanup())
        self.assertEqual(self.jobs(), [])
        # Failures are not shared: the next request builds again.
        self.run_job(code=120)
        self.assertEqual(self.builds_created(), 2)

    def test_index_unreachable_from_pods(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="--index-url http://127.0.0.1:9/simple\nfirst\n")
        done = self.run_job(code=120)
        self.assertIn("package_builds=here", done.stderr)

    def test_image_without_python(self):
        machine = self.new_machine("empty", image=self.cluster.images["empty"])
        self.project(machine=machine)
        done = self.run_job(code=120, machine=machine)
        self.assertIn(f"cannot build the packages in the image {self.cluster.images['empty']}: no python3", done.stderr)
        self.assertTrue(self.await_cleanup())

    def test_missing_image(self):
        machine = self.new_machine("absent", image="127.0.0.1:9/none:1")
        self.project(machine=machine)
        client = machine.start("run", "job.yaml")
        wait_for("its pod", lambda: self.build_jobs(), 60)
        client.send_signal(signal.SIGINT)
        self.assertEqual(client.communicate(timeout=60) and client.returncode, -signal.SIGINT)
        self.assertTrue(self.await_cleanup())

    def test_local_build_makes_no_pod(self):
        machine = self.new_machine("alone", package_builds="here")
        self.project(machine=machine)
        self.assertIn("no python3 on PATH", self.run_job(code=2, machine=machine).stderr)
        self.assertEqual(self.builds_created(), 0)


class Clients(PackageBuildTestCase):
    """Concurrent, interrupted and killed clients."""

    def follow(self, name):
        client = self.machine.start("run", "job.yaml", "--id", name)
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        return client

    def build_request_lookups(self):
        """Returns how often clients looked for a build request before storing it, which is just before they create
        the Job."""
        return sum(request["method"] == "GET" and "/o/team%2Fbuilds%2F" in request["target"]
                   and "alt=media" not in request["target"] for request in self.bucket.peek())

    def test_two_clients_share_one_pod(self):
        self.index.may_answer.clear()
        self.project()
        other = self.new_machine("other")
        self.project(machine=other)
        clients = [machine.start("run", "job.yaml") for machine in (self.machine, other)]
        self.index.asked.wait(120)
        # The remaining work of the pod takes longer than creating its Job.
        wait_for("both build requests", lambda: self.build_request_lookups() >= 2, 60)
        self.index.may_answer.set()
        for client in clients:
            out, said = client.communicate(timeout=180)
            self.assertEqual(client.returncode, 0, said)
            self.assertEqual(json.loads(out), BOTH)
        self.assertEqual(self.builds_created(), 1)
        self.assertTrue(self.await_cleanup())

    def test_interrupt_leaves_nothing(self):
        self.index.may_answer.clear()
        self.project()
        client = self.follow("stopped")
        self.assertTrue(self.index.asked.wait(120))
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=60)
        self.assertEqual(client.returncode, -signal.SIGINT, said)
        self.assertTrue(self.await_cleanup())
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.bucket.objects("team/jobs/"), set())

    def test_removed_build_is_restarted(self):
        self.index.may_answer.clear()
        self.project()
        client = self.follow("removed")
        self.assertTrue(self.index.asked.wait(120))
        [name] = self.build_jobs()
        self.cluster.kubectl("delete", "job", name, "-n", self.namespace, "--wait=false")
        self.index.may_answer.set()
        out, said = client.communicate(timeout=180)
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(json.loads(out), BOTH)
        self.assertEqual(self.builds_created(), 2)

    def test_build_ended_by_cluster_is_reported(self):
        self.index.may_answer.clear()
        self.project()
        client = self.follow("late")
        self.assertTrue(self.index.asked.wait(120))
        [name] = self.build_jobs()
        self.cluster.kubectl("patch", "job", name, "-n", self.namespace, "--type=merge",
                             "--patch", '{"spec": {"activeDeadlineSeconds": 1}}')
        _, said = client.communicate(timeout=120)
        self.assertEqual(client.returncode, 120, said)
        self.assertIn("the package build in the cluster failed", said)
        self.assertTrue(self.await_cleanup())

    def test_killed_client_does_not_block_the_next(self):
        self.index.may_answer.clear()
        self.project()
        client = self.follow("killed")
        self.assertTrue(self.index.asked.wait(120))
        client.kill()
        client.communicate()
        self.assertEqual(len(self.build_jobs()), 1)
        second = self.machine.start("run", "job.yaml", "--progress", "plain")
        wait_for("the second build request", lambda: self.build_request_lookups() >= 2, 60)
        self.index.may_answer.set()
        out, said = second.communicate(timeout=180)
        self.assertEqual(second.returncode, 0, said)
        self.assertEqual(json.loads(out), BOTH)
        self.assertEqual(self.builds_created(), 1)
        self.assertTrue(self.await_cleanup())


class Private(PackageBuildTestCase):
    def setUp(self):
        super().setUp()
        self.closed = self.new_index(login=f"ana:{PASSWORD}")

    def lines(self):
        return f"--index-url http://${{INDEX_LOGIN}}@{self.closed.place}\n--trusted-host {self.cluster.address}\nfirst\n"

    def shown(self):
        """Returns the readable state of the build in the cluster, except Secrets."""
        kinds = ("jobs", "pods", "events")
        texts = [json.dumps(self.api.get(self.batch(kind) if kind == "jobs" else self.core(kind))) for kind in kinds]
        for pod in self.pods():
            if pod["metadata"]["name"].startswith(MADE) and pod["status"]["phase"] == "Running":
                texts.append(self.log(pod["metadata"]["name"], "main"))
        return "\n".join(map(str, texts))

    def test_index_password_is_only_in_secret(self):
        self.closed.may_answer.clear()
        self.machine.job(FUNCTION, app_py=APP, requirements_txt=self.lines())
        self.machine.environment["INDEX_LOGIN"] = f"ana:{PASSWORD}"
        client = self.machine.start("run", "job.yaml", "--progress", "plain")
        self.addCleanup(client.kill)
        self.assertTrue(self.closed.asked.wait(120))
        [name] = self.build_jobs()
        [secret] = [one for one in self.api.get(self.core("secrets"))["items"] if one["metadata"]["name"].startswith(name)]
        [owner] = secret["metadata"]["ownerReferences"]
        self.assertEqual((owner["kind"], owner["name"]), ("Job", name))
        self.assertNotIn(PASSWORD, self.shown())
        self.closed.may_answer.set()
        out, said = client.communicate(timeout=180)
        self.assertEqual(client.returncode, 0, said)
        self.assertEqual(json.loads(out), BOTH)
        self.assertTrue(self.await_cleanup())
        self.assertNotIn(PASSWORD, out + said + self.shown())
        for item in self.bucket.list("team/"):
            self.assertNotIn(PASSWORD.encode(), self.bucket.read(item["name"]), item["name"])
        for path in self.machine.folder.rglob("*"):
            if path.is_file():
                self.assertNotIn(PASSWORD.encode(), path.read_bytes(), path)

    def test_wrong_index_password_is_not_reused(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt=self.lines())
        for password, code in (("wrong-password", 120), (PASSWORD, 0)):
            self.machine.environment["INDEX_LOGIN"] = f"ana:{password}"
            done = self.run_job(code=code)
            self.assertNotIn(password, done.stdout + done.stderr)


class Images(PackageBuildTestCase, RegistryTestCase):
    """Images of packages that a pod has built."""

    def test_client_appends_layers(self):
        machine = self.registry_machine("layers", environments="layers")
        machine.environment["PATH"] = "/nowhere"
        self.project(machine=machine)
        for expected in ("built", "unchanged"):
            done = self.run_job(machine=machine)
            self.assertEqual(json.loads(done.stdout), BOTH)
            self.assertIn(f"build: 2 packages, {expected}", done.stderr)
        self.assertEqual(len(self.registry.tags("team/environments")), 1)
        self.assertEqual(self.builds_created(), 1)


class Slow(PackageBuildTestCase):
    """A client with all programs and a slow connection to the store."""

    def test_slow_uplink_moves_build_to_cluster(self):
        large = wheel("large", [("large.py", ""), ("large.bin", os.urandom(150 << 20))])
        index = PackageIndex(*WHEELS, large, address=self.cluster.address)
        self.addCleanup(index.close)
        line = DelayingProxy(self.bucket.url, 0)
        self.addCleanup(line.stop)
        line.bytes_per_second = 500_000
        self.machine.environment |= {"PATH": os.environ["PATH"], "STORAGE_EMULATOR_HOST": line.url}
        self.project("large\nfirst\n", index=index)
        done = self.run_job()
        self.assertEqual(json.loads(done.stdout)["packages"], ["first 1.0", "large 1.0", "second 2.0"])
        self.assertIn("uploading the packages from this machine would take another ", done.stderr)
        self.assertEqual(self.builds_created(), 1)
        self.assertTrue(self.await_cleanup())


class Hostile(PackageBuildTestCase):
    def test_hostile_image_settings_do_not_affect_build(self):
        machine = self.new_machine("hostile", image=self.cluster.images["hostile"])
        self.project(machine=machine)
        self.assertEqual(json.loads(self.run_job(machine=machine).stdout), BOTH)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
