#!/usr/bin/env python3
"""Jobs on Kubernetes in images of their own Dockerfiles, built by buildah and by Cloud Build.

    cluster_dockerfile_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import base64
import json
import shutil
import signal
import sys
import unittest

import cluster
from image_case import EngineTestCase  # before the modules of tests/support

import cloud_build
import image_registry

PROGRAMS = sys.argv[1:4]
JOB = "name: own\nfunction: app:main\nimage: {dockerfile: docker/Dockerfile}\ndependencies: null\n"
APP = """
import os
def main():
    return {"greeting": open("/greeting.txt").read(), "variable": os.environ["GREETED"]}
"""
COPIES = "COPY greeting.txt /greeting.txt\nENV GREETED=yes\n"
# Records its arguments and environment and runs buildah.
NOTING = """#!/bin/sh
tr '\\0' '\\n' < /proc/$$/cmdline >> {notes}
tr '\\0' '\\n' < /proc/$$/environ >> {notes}
exec {buildah} "$@"
"""


class DockerfileTestCase(EngineTestCase):
    programs = PROGRAMS

    def own_job(self, text, greeting="hello", machine=None, **files):
        machine = machine or self.machine
        machine.job(JOB, app_py=APP)
        docker = machine.project / "docker"
        docker.mkdir(exist_ok=True)
        (docker / "Dockerfile").write_text(f"FROM {self.base}\n{text}")
        (docker / "greeting.txt").write_text(greeting)
        for name, content in files.items():
            (docker / name.replace("_", ".", 1)).write_text(content)

    def tags(self):
        return self.registry.tags("team/environments")

    def cloud_machine(self):
        """@returns a machine that builds with Cloud Build, and the service"""
        service = cloud_build.CloudBuild(self.folder / "build", self.bucket.url, engine=self.engine)
        self.addCleanup(service.stop)
        machine = self.engine_machine("by-cloud", container_engine="cloud-build", project="p",
                                      build_endpoint=service.url)
        machine.environment["KINETIC_ACCESS_TOKEN"] = service.token
        return machine, service


class Jobs(DockerfileTestCase):
    def test_job_runs_in_image_of_dockerfile(self):
        self.own_job(COPIES)
        done = self.run_job("--id", "first")
        self.assertEqual(json.loads(done.stdout), {"greeting": "hello", "variable": "yes"})
        self.assertIn("build: Dockerfile", done.stderr)
        self.assertIn("built", done.stderr)
        [tag] = self.tags()
        self.assertTrue(tag.startswith("dockerfile-"))
        record = json.loads(self.bucket.read("team/jobs/first/record.json"))
        self.assertTrue(record["environment_image"].startswith(f"{self.registry.host}/team/environments:{tag}@sha256:"))
        path = self.machine.environment["PATH"]
        self.machine.environment["PATH"] = "/nowhere"  # an existing image needs no engine
        self.assertIn("unchanged", self.run_job().stderr)
        (self.machine.project / "app.py").write_text(APP + "# the code is in the bundle\n")
        self.assertIn("unchanged", self.run_job().stderr)
        self.machine.environment["PATH"] = path
        (self.machine.project / "docker/greeting.txt").write_text("another")
        self.assertEqual(json.loads(self.run_job().stdout)["greeting"], "another")
        self.assertEqual(len(self.tags()), 2)

    def test_missing_engine_is_reported(self):
        self.own_job(COPIES)
        for engine, names in (("auto", "buildah, podman, docker"), ("podman", "podman")):
            done = self.machine.run("run", "job.yaml", extra={"PATH": "/nowhere", "KINETIC_CONTAINER_ENGINE": engine})
            self.assertEqual(done.returncode, 120, done.stderr)
            self.assertIn(f"searched PATH for {names}", done.stderr)
            self.assertIn("container_engine=cloud-build", done.stderr)
        self.assertEqual(self.jobs(), [])

    def test_failed_build_submits_no_job(self):
        self.own_job("RUN echo this is why >&2; exit 7\n")
        done = self.run_job(code=120)
        self.assertIn("this is why", done.stderr)
        [log] = self.leftover_files()
        self.assertIn(f"full log: {log}", done.stderr)
        self.assertIn("this is why", log.read_text())
        self.own_job(COPIES)
        (self.machine.project / "docker/Dockerfile").unlink()
        done = self.run_job(code=2)
        self.assertIn("job.yaml:3:21: image.dockerfile: found ", done.stderr)
        self.assertIn("expected a Dockerfile", done.stderr)
        self.assertEqual(self.jobs(), [])
        self.assertEqual(self.machine.answer("image", "ls"), [])

    def test_profile_without_image_repository_is_rejected(self):
        machine = self.new_machine("placeless")
        self.own_job(COPIES, machine=machine)
        done = self.run_job(code=2, machine=machine)
        self.assertIn("job.yaml:3:21: image.dockerfile: the profile sets no repository", done.stderr)
        self.assertIn("environment_images", done.stderr)

    def test_dry_run_builds_nothing(self):
        self.own_job(COPIES)
        done = self.run_job("--dry-run", "--json")
        self.assertIn(f"{self.registry.host}/team/environments:dockerfile-", done.stdout)
        self.assertEqual(self.machine.answer("image", "ls"), [])


class Interrupted(DockerfileTestCase):
    """Builds by Cloud Build, and builds that the user interrupts."""

    def test_cloud_build_makes_same_image(self):
        machine, service = self.cloud_machine()
        ignored = {"_dockerignore": "*.bin\n", "large_bin": "x" * 1000}
        self.own_job(COPIES, machine=machine, **ignored)
        done = self.run_job(machine=machine)
        self.assertEqual(json.loads(done.stdout), {"greeting": "hello", "variable": "yes"})
        [tag] = self.tags()
        asked = len(service.requests)
        self.assertIn("unchanged", self.run_job(machine=machine).stderr)
        self.assertEqual(len(service.requests), asked)
        self.own_job(COPIES, **ignored)
        self.assertFalse(self.build()["built"])
        self.assertEqual(self.tags(), [tag])

    def test_interrupted_cloud_build_submits_no_job(self):
        machine, service = self.cloud_machine()
        self.own_job(COPIES, machine=machine)
        service.held.set()
        client = machine.start("run", "job.yaml")
        cluster.wait_for("a build", lambda: service.builds)
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=60)
        self.assertEqual(client.returncode, -signal.SIGINT, said)
        self.assertEqual(service.statuses(), ["CANCELLED"])
        self.assertEqual(self.jobs(), [])

    def test_interrupted_engine_build_submits_no_job(self):
        self.own_job("RUN sleep 600\n")
        client = self.machine.start("run", "job.yaml")
        cluster.wait_for("buildah", lambda: any(name == "buildah" for name, _ in self.machine.processes().values()))
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=60)
        self.assertEqual(client.returncode, -signal.SIGINT, said)
        self.assertEqual(self.machine.await_quiet(), {})
        self.assertEqual(self.leftover_files(), [])
        self.assertEqual(self.jobs(), [])


class Images(DockerfileTestCase):
    """The `image` commands. No job runs."""

    def test_unused_changes_make_no_new_image(self):
        self.own_job(COPIES, _dockerignore="*.log\n", some_log="1")
        first = self.build()
        self.assertTrue(first["built"])
        self.assertEqual(first["base"], self.base)
        self.own_job(COPIES, _dockerignore="*.log\n", some_log="2")
        self.assertFalse(self.build()["built"])
        self.own_job("RUN touch /here\n")
        self.assertTrue(self.build()["built"])
        self.own_job("RUN touch /here\n", greeting="nobody copies it")
        self.assertFalse(self.build()["built"])
        self.own_job("COPY app.py /app.py\n")
        job = self.machine.project / "job.yaml"
        job.write_text(JOB.replace("docker/Dockerfile", "docker/Dockerfile, context: ."))
        self.assertTrue(self.build()["built"])

    def test_rebuild_on_request(self):
        self.own_job("RUN date +%N > /when\n")
        first = self.build()
        again = self.machine.answer("image", "build", "job.yaml", "--renew")
        self.assertTrue(again["built"])
        self.assertEqual(again["tag"], first["tag"])
        [listed] = self.machine.answer("image", "ls")
        self.assertEqual(listed["reference"], again["reference"])
        self.machine.answer("image", "rm", first["tag"])
        self.assertEqual(self.machine.answer("image", "ls"), [])

    def test_git_repository_in_context_is_warned_of(self):
        self.own_job(COPIES)
        (self.machine.project / "docker/.git").mkdir()
        done = self.machine.run("image", "build", "job.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("add .git to .dockerignore", done.stderr)

    def test_engine_receives_registry_login(self):
        closed = self.new_registry("closed", auth=image_registry.basic_auth(self.folder))
        machine = self.engine_machine("login", environment_images=f"{closed.host}/team/environments")
        notes = machine.folder / "calls"
        program = machine.folder / "bin/buildah"
        program.parent.mkdir()
        program.write_text(NOTING.format(notes=notes, buildah=shutil.which("buildah")))
        program.chmod(0o755)
        machine.environment["PATH"] = f"{program.parent}:{machine.environment['PATH']}"
        self.own_job(COPIES, machine=machine)
        self.assertEqual(machine.run("image", "build", "job.yaml").returncode, 120)
        self.assertFalse(notes.exists(), "the registry is asked first")
        config = machine.folder / ".docker/config.json"
        config.parent.mkdir()
        login = f"{image_registry.USER}:{image_registry.PASSWORD}"
        encoded = base64.b64encode(login.encode()).decode()
        config.write_text(json.dumps({"auths": {closed.host: {"auth": encoded}}}))
        self.assertTrue(self.build(machine)["built"])
        for secret in (image_registry.PASSWORD, encoded):
            self.assertNotIn(secret, notes.read_text())
        self.assertIn("--authfile", notes.read_text())
        self.assertEqual(self.leftover_files(machine), [])

    def test_two_clients_make_one_image(self):
        self.own_job(COPIES)
        clients = [self.machine.start("image", "build", "job.yaml", "--json") for _ in range(2)]
        answers = []
        for client in clients:
            out, said = client.communicate(timeout=120)
            self.assertEqual(client.returncode, 0, said)
            answers.append(json.loads(out))
        self.assertEqual(answers[0]["reference"], answers[1]["reference"])
        self.assertEqual([answer["built"] for answer in answers].count(True), 1)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
