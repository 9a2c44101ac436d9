#!/usr/bin/env python3
"""Jobs on a real Kubernetes whose packages are in an image that a container engine has made: buildah.

    cluster_engine_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import base64
import gzip
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import cloud_build
import cluster
import image_registry
from engine_case import IN_IMAGE, EngineTestCase

PROGRAMS = sys.argv[1:4]
HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
FUNCTION = f"name: packed\nfunction: app:main\npython: '{IN_IMAGE}'\n"
APP = """
import sys, humanize
def main():
    return {"prefix": sys.prefix, "version": humanize.__version__}
"""
IMPORTABLE = """
import importlib.metadata, pkgutil, site, sys
def main():
    found = [f"{one.metadata['Name']} {one.version}" for one in importlib.metadata.distributions()]
    return {"prefix": sys.prefix, "packages": sorted(found), "path": [path for path in sys.path if "site-packages" in path],
            "modules": sorted(module.name for module in pkgutil.iter_modules(site.getsitepackages()))}
"""
PACKAGES = "humanize==4.9.0\nidna==3.7\ntabulate==0.9.0\n"
WRONG = f"humanize==4.9.0 --hash=sha256:{'0' * 64}\n"  # its own lock, and no such file anywhere
GZIP = b"\x1f\x8b"
INDEX_PASSWORD = "s3cret-index"
# Passes all on, and notes how it was called.
NOTING = """#!/bin/sh
tr '\\0' '\\n' < /proc/$$/cmdline >> {notes}
tr '\\0' '\\n' < /proc/$$/environ >> {notes}
exec {buildah} "$@"
"""


class PackagesTestCase(EngineTestCase):
    programs = PROGRAMS

    def left(self, machine=None):
        """Files with secrets, and logs, that lie in the cache folder."""
        cache = (machine or self.machine).folder / ".cache/kinetic"
        return [path for part in ("secrets", "logs") for path in cache.glob(f"{part}/*") if path.name != ".lock"]


class Jobs(PackagesTestCase):
    def test_a_function_imports_what_its_file_names(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job("--id", "first")
        value = json.loads(done.stdout)
        self.assertEqual(value, {"prefix": "/opt/kinetic/environment", "version": "4.9.0"})
        self.assertIn("build: 1 package, built", done.stderr)
        [tag] = self.registry.tags("team/environments")
        record = json.loads(self.bucket.read("team/jobs/first/record.json"))
        self.assertTrue(record["environment_image"].startswith(f"{self.registry.host}/team/environments:{tag}@sha256:"))
        self.assertEqual(self.left(), [])
        self.machine.environment["PATH"] = "/nowhere"  # no engine is needed for what is there
        done = self.run_job("--id", "second")
        self.assertEqual(json.loads(done.stdout), value)
        self.assertIn("build: 1 package, unchanged", done.stderr)

    def test_no_job_is_sent_when_its_image_cannot_be_made(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt=WRONG)
        done = self.run_job(code=120)
        self.assertIn("THESE PACKAGES DO NOT MATCH THE HASHES", done.stderr)
        [log] = self.left()
        self.assertIn(f"the whole log: {log}", done.stderr)
        self.assertIn("THESE PACKAGES DO NOT MATCH THE HASHES", log.read_text())
        self.assertEqual(self.jobs(), [])

    def test_no_engine_is_installed(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt=WRONG)
        for engine, names in (("auto", "buildah, podman, docker"), ("podman", "podman")):
            done = self.machine.run("run", "job.yaml", extra={"PATH": "/nowhere", "KINETIC_CONTAINER_ENGINE": engine})
            self.assertEqual(done.returncode, 120, done.stderr)
            self.assertIn(f"looked for {names} on the path", done.stderr)
            self.assertIn("environments=layers", done.stderr)
        self.assertEqual(self.jobs(), [])

    def test_an_interrupt_while_it_is_made_sends_no_job(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        client = self.start("stopped")
        cluster.wait_for("buildah", lambda: any(name == "buildah" for name, _ in self.machine.processes().values()))
        client.send_signal(signal.SIGINT)
        _, said = client.communicate(timeout=60)
        self.assertEqual(client.returncode, 130, said)
        self.assertEqual(self.machine.await_quiet(), {})
        self.assertEqual(self.left(), [])
        self.assertEqual(self.jobs(), [])

    def test_all_ways_give_the_same(self):
        """What can be imported, and where: by archives, and in an image made by each of those who make them."""
        service = cloud_build.CloudBuild(self.folder / "build", self.bucket.url, engine=self.engine)
        self.addCleanup(service.stop)
        images = {}
        values = {}
        for form in ("archives", "layers", "engine", "cloud-build"):
            machine = self.engine_machine(f"by-{form}", place=form, environments=form, project="p",
                                          build_endpoint=service.url,
                                          environment_images=f"{self.registry.host}/{form}")
            machine.environment["KINETIC_ACCESS_TOKEN"] = service.token
            machine.job(FUNCTION, app_py=IMPORTABLE, requirements_txt=PACKAGES)
            values[form] = json.loads(self.run_job(machine=machine).stdout)
            if form != "archives":
                [tag] = self.registry.tags(form)
                images[form] = (tag, self.registry.image(form, tag)[1]["config"]["Labels"])
        self.assertEqual(values["archives"]["packages"], ["humanize 4.9.0", "idna 3.7", "tabulate 0.9.0"])
        self.assertEqual(values["archives"]["prefix"], "/opt/kinetic/environment")
        self.assertEqual({"humanize", "idna", "tabulate"} - set(values["archives"]["modules"]), set())
        for form in ("layers", "engine", "cloud-build"):
            self.assertEqual(values[form], values["archives"], form)
            tag, labels = images[form]
            self.assertEqual(tag, images["layers"][0], form)
            # An engine adds one with its own version.
            self.assertEqual(labels | images["layers"][1], labels, form)
        self.assertIn("dev.kinetic.environment", images["layers"][1])  # the key


class Images(PackagesTestCase):
    """The command; nothing runs."""

    def note_calls(self, machine):
        """Puts a buildah before the real one that notes how it is called.   @returns where"""
        notes = machine.folder / "calls"
        program = machine.folder / "bin/buildah"
        program.parent.mkdir()
        program.write_text(NOTING.format(notes=notes, buildah=shutil.which("buildah")))
        program.chmod(0o755)
        machine.environment["PATH"] = f"{program.parent}:{machine.environment['PATH']}"
        return notes

    def texts(self, tag):
        """All that can be read in an image: of its manifest, its configuration, and its layers."""
        document, config, layers = self.registry.image("team/environments", tag)
        yield document
        yield json.dumps(config).encode()
        for layer in layers:
            yield gzip.decompress(layer) if layer.startswith(GZIP) else layer

    def test_the_password_of_an_index_is_kept(self):
        index = subprocess.Popen([sys.executable, HERE / "private_index.py", INDEX_PASSWORD], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(index.communicate)
        port = index.stdout.readline().strip()
        notes = self.note_calls(self.machine)
        self.machine.environment["INDEX_LOGIN"] = f"ana:{INDEX_PASSWORD}"
        self.machine.job(FUNCTION, app_py=APP, requirements_txt=f"--index-url http://${{INDEX_LOGIN}}@127.0.0.1:{port}/simple"
                         "\n--trusted-host 127.0.0.1\nkinetic-private-sample\n")
        done = self.machine.run("image", "build", "job.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(INDEX_PASSWORD, done.stdout + done.stderr)
        [tag] = self.registry.tags("team/environments")
        texts = list(self.texts(tag))
        self.assertTrue(any(b"kinetic_private_sample.py" in text for text in texts))
        for text in texts:
            self.assertNotIn(INDEX_PASSWORD.encode(), text)
        # It is in the environment of kinetic's caller, and so in buildah's; never in its arguments.
        arguments = [line for line in notes.read_text().splitlines() if not line.startswith("INDEX_LOGIN=")]
        self.assertIn("--secret", arguments)
        self.assertNotIn(INDEX_PASSWORD, "\n".join(arguments))
        self.assertEqual(self.left(), [])

    def test_a_login_of_kinetics_is_shown_to_the_engine(self):
        closed = self.new_registry("closed", auth=image_registry.basic_auth(self.folder))
        images = f"{closed.host}/team/environments"
        machine = self.engine_machine("login", environment_images=images)
        notes = self.note_calls(machine)
        machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
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
        self.assertEqual(self.left(machine), [])

    def test_a_changed_lock_is_another_image(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        first = self.build()
        self.assertFalse(self.build()["built"])
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.10.0\n")
        other = self.build()
        self.assertTrue(other["built"])
        self.assertNotEqual(first["tag"], other["tag"])
        texts = list(self.texts(other["tag"]))
        self.assertTrue(any(b"humanize-4.10.0.dist-info" in text for text in texts))
        self.assertFalse(any(b"humanize-4.9.0.dist-info" in text for text in texts))

    def test_two_at_once_make_one_image(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        notes = self.note_calls(self.machine)
        clients = [self.machine.start("image", "build", "job.yaml", "--json") for _ in range(2)]
        answers = []
        for client in clients:
            out, said = client.communicate(timeout=120)
            self.assertEqual(client.returncode, 0, said)
            answers.append(json.loads(out))
        self.assertEqual(answers[0]["reference"], answers[1]["reference"])
        self.assertEqual(notes.read_text().splitlines().count("build"), 1)


class Digits(PackagesTestCase):
    """The example, with hundreds of megabytes of packages."""

    def test_it_learns(self):
        shutil.copytree(EXAMPLES / "digits", self.machine.project, dirs_exist_ok=True)
        job = self.machine.project / "job.yaml"
        job.write_text(job.read_text() + f"python: '{IN_IMAGE}'\n")
        done = self.run_job("--arg", "epochs=3")
        self.assertGreater(json.loads(done.stdout)["accuracy"], 0.8)


if __name__ == "__main__":
    cluster.need_root()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
