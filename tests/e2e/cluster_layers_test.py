#!/usr/bin/env python3
"""Jobs on Kubernetes with packages in an image that kinetic has built, in a real registry.

    cluster_layers_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import pathlib
import queue
import shutil
import sys
import unittest

import cluster
from cluster import wait_for
from image_case import FUNCTION, PYTHON, DigitsExample, RegistryTestCase  # before the modules of tests/support

import image_registry
from counting_proxy import Counter, CountingProxy, FaultsAtEveryRequest, make_identity

PROGRAMS = sys.argv[1:4]
APP = """
import sys, humanize
def main():
    return {"prefix": sys.prefix, "version": humanize.__version__, "file": humanize.__file__}
"""
IMPORTABLE = """
import importlib.metadata, pkgutil, site, sys
def main():
    found = [f"{one.metadata['Name']} {one.version}" for one in importlib.metadata.distributions()]
    return {"prefix": sys.prefix, "packages": sorted(found), "path": [path for path in sys.path if "site-packages" in path],
            "modules": sorted(module.name for module in pkgutil.iter_modules(site.getsitepackages()))}
"""


class LayersTestCase(RegistryTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.machine = self.layers_machine("layers")

    def layers_machine(self, name, **settings):
        return self.registry_machine(name, **{"environments": "layers"} | settings)

    def record(self, job):
        return json.loads(self.bucket.read(f"team/jobs/{job}/record.json"))


class Layers(LayersTestCase):
    def test_function_imports_packages(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job("--id", "first")
        value = json.loads(done.stdout)
        self.assertEqual(value, {"prefix": "/opt/kinetic/environment", "version": "4.9.0", "file":
                                 f"/opt/kinetic/environment/lib/python{PYTHON}/site-packages/humanize/__init__.py"})
        self.assertIn("build: 1 package, built", done.stderr)
        record = self.record("first")
        [tag] = self.registry.tags("team/environments")
        self.assertTrue(tag.startswith("cpu-"), tag)
        self.assertTrue(record["environment_image"].startswith(f"{self.registry.host}/team/environments:{tag}@sha256:"))
        self.assertNotIn("environment", record)

        stored = self.registry.stored("team/environments")
        done = self.run_job("--id", "second")
        self.assertEqual(json.loads(done.stdout), value)
        self.assertIn("build: 1 package, unchanged", done.stderr)
        self.assertEqual(self.registry.stored("team/environments"), stored)

    def test_image_is_valid_oci_image(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job()
        [tag] = self.registry.tags("team/environments")
        _, config, layers = self.registry.image("team/environments", tag)
        self.assertEqual(len(config["rootfs"]["diff_ids"]), len(layers))
        _, base, below = self.registry.image("base/python", PYTHON)
        self.assertEqual(layers[:len(below)], below)
        self.assertEqual(config["rootfs"]["diff_ids"][:len(below)], base["rootfs"]["diff_ids"])
        variables = dict(line.split("=", 1) for line in config["config"]["Env"])
        self.assertEqual(variables["VIRTUAL_ENV"], "/opt/kinetic/environment")
        self.assertTrue(variables["PATH"].startswith("/opt/kinetic/environment/bin:"), variables)
        # The image works as a plain `image:`.
        plain = self.new_machine("plain")
        plain.job(f"name: named\nrun: python -c 'import humanize; print(humanize.__version__)'\n"
                  f"image: {self.registry.host}/team/environments:{tag}\n")
        self.assertIn("4.9.0", self.run_job(machine=plain).stdout)

    def test_changed_package_adds_one_layer(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\nnumpy==1.26.4\n")
        self.run_job()
        stored = self.registry.stored("team/environments")
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.10.0\nnumpy==1.26.4\n")
        done = self.run_job()
        self.assertEqual(json.loads(done.stdout)["version"], "4.10.0")
        # One layer, the configuration and the manifest.
        self.assertEqual(len(self.registry.stored("team/environments") - stored), 3)

    def test_registry_outage(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.registry.stop()
        done = self.run_job(code=120)
        self.assertIn(self.registry.host, done.stderr)
        self.assertEqual(self.bucket.objects("team/jobs/"), set())
        auto = self.layers_machine("auto", environments="auto")
        auto.environment["KINETIC_IMAGE"] = self.cluster.images["python"]
        auto.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job(machine=auto)
        self.assertIn("cannot look up the image for the job's packages", done.stderr)

    def test_python_mismatch_is_reported_before_upload(self):
        self.machine.job(FUNCTION.replace(PYTHON, "3.12"), app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job(code=120)
        self.assertIn("3.12", done.stderr)
        self.assertIn(self.base.removesuffix(f":{PYTHON}"), done.stderr)
        self.assertEqual(self.bucket.objects("team/jobs/"), set())

    def test_missing_base_image(self):
        machine = self.layers_machine("absent", image=f"{self.registry.host}/base/none:1")
        machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job(code=2, machine=machine)
        self.assertIn(f"{self.registry.host}/base/none:1", done.stderr)


class Choice(LayersTestCase):
    """Images compared with archives, and the choice between them."""

    def test_archives_have_same_packages(self):
        """Compares importable packages and their paths."""
        values = {}
        for form in ("archives", "layers"):
            machine = self.layers_machine(f"by-{form}", place=form, environments=form)
            machine.job(FUNCTION, app_py=IMPORTABLE, requirements_txt="humanize==4.9.0\nidna==3.7\ntabulate==0.9.0\n")
            values[form] = json.loads(self.run_job(machine=machine).stdout)
        self.assertEqual(values["archives"], values["layers"])
        self.assertEqual(values["layers"]["packages"], ["humanize 4.9.0", "idna 3.7", "tabulate 0.9.0"])
        self.assertEqual(values["layers"]["prefix"], "/opt/kinetic/environment")
        self.assertEqual({"humanize", "idna", "tabulate"} - set(values["layers"]["modules"]), set())

    def test_explain_shows_changes_since_last_job(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job("--id", "first")
        self.assertEqual(self.machine.answer("env", "explain", "job.yaml")["changes"], [])
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.10.0\n")
        told = self.machine.answer("env", "explain", "job.yaml")
        self.assertEqual(told["since"], "first")
        self.assertEqual(told["changes"],
                         [{"input": "dependencies", "before": "humanize==4.9.0", "now": "humanize==4.10.0"}])

    def test_program_finds_packages_and_scripts(self):
        self.machine.job("name: shell\nrun: 'echo a,b | tabulate -s , && python -c \"import tabulate\" && "
                         f"echo $VIRTUAL_ENV'\npython: '{PYTHON}'\n", requirements_txt="tabulate==0.9.0\n")
        done = self.run_job()
        self.assertIn("a  b", done.stdout)
        self.assertIn("/opt/kinetic/environment", done.stdout)

    def test_auto_uses_existing_image(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job()
        auto = self.layers_machine("auto", environments="auto")
        auto.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job("--id", "image", machine=auto)
        self.assertIn("environment_image", self.record("image"))
        auto.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.10.0\n")
        self.run_job("--id", "archives", machine=auto)
        self.assertIn("environment", self.record("archives"))

    def test_auto_builds_image_on_repeated_use(self):
        auto = self.layers_machine("auto", environments="auto")
        auto.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        for job, form in (("first", "environment"), ("second", "environment"), ("third", "environment_image"),
                          ("fourth", "environment_image")):
            self.run_job("--id", job, machine=auto)
            self.assertIn(form, self.record(job), job)
        self.registry.stop()
        done = self.run_job("--id", "fifth", machine=auto)
        self.assertIn("environment", self.record("fifth"))
        self.assertIn("cannot look up the image for the job's packages", done.stderr)


class Pinned(LayersTestCase):
    """The base image, whose tag later refers to another image."""

    def test_base_image_stays_that_of_the_lock(self):
        machine = self.layers_machine("pinned", environments="archives")
        machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job("--id", "first", machine=machine)
        first = self.record("first")["environment_image"]
        self.assertRegex(first, f"^{self.base}@sha256:[0-9a-f]{{64}}$")
        self.cluster.push(self.cluster.images["hostile"], self.base)
        self.assertIn("unchanged", self.run_job("--id", "second", machine=machine).stderr)
        self.assertEqual(self.record("second")["environment_image"], first)
        machine.answer("lock", "job.yaml", "--renew")
        plan = machine.answer("run", "job.yaml", "--dry-run")
        self.assertNotIn(first, json.dumps(plan))
        self.assertIn(f"{self.base}@sha256:", json.dumps(plan))


class Images(LayersTestCase):
    """The `image` commands. No job runs."""

    def build(self, machine, code=0):
        machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\nidna==3.7\n")
        return machine.answer("image", "build", "job.yaml", code=code)

    def test_images_are_built_listed_and_removed(self):
        self.assertEqual(self.machine.answer("image", "ls"), [])
        made = self.build(self.machine)
        self.assertTrue(made["built"])
        self.assertEqual((made["python"], made["packages"], made["base"]), (PYTHON, 2, self.base))
        self.assertFalse(self.build(self.machine)["built"])
        [listed] = self.machine.answer("image", "ls")
        self.assertEqual(listed["reference"], made["reference"])
        self.assertEqual(self.bucket.objects("team/jobs/"), set())
        removed = self.machine.answer("image", "rm", made["tag"])
        self.assertEqual(removed["removed"], [made["reference"]])
        self.assertEqual(self.machine.answer("image", "ls"), [])
        again = self.machine.run("image", "rm", made["tag"])
        self.assertIn(f"no kinetic image is tagged {made['tag']}", again.stderr)

    def test_one_of_many_clients_builds(self):
        machines = [self.layers_machine(f"client-{number}") for number in range(3)]
        for machine in machines:
            machine.job(FUNCTION, app_py=APP, requirements_txt="idna==3.7\n")
        clients = [machine.start("image", "build", "job.yaml", "--json") for machine in machines]
        made = []
        for client in clients:
            out, said = client.communicate(timeout=120)
            self.assertEqual(client.returncode, 0, said)
            made.append(json.loads(out))
        self.assertEqual(sorted(each["built"] for each in made), [False, False, True])
        self.assertEqual(len({each["reference"] for each in made}), 1)
        self.assertEqual(self.bucket.objects("team/leases/"), set())

    def test_killed_builder_does_not_block(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="idna==3.7\n")
        client = self.machine.start("image", "build", "job.yaml", "--json")
        wait_for("its advisory lease", lambda: self.bucket.objects("team/leases/"), 60)
        client.kill()
        client.communicate()
        self.assertEqual(len(self.bucket.objects("team/leases/")), 1)
        self.assertTrue(self.machine.answer("image", "build", "job.yaml")["built"])
        self.assertEqual(self.bucket.objects("team/leases/"), set())

    def test_another_machine_builds_same_image(self):
        made = self.build(self.machine)
        stored = self.registry.stored("team/environments")
        self.machine.answer("image", "rm", made["tag"])
        other = self.layers_machine("other", place="elsewhere")  # with an empty store
        again = self.build(other)
        self.assertTrue(again["built"])
        self.assertEqual(again["reference"], made["reference"])
        self.assertEqual(self.registry.stored("team/environments"), stored)

    def test_image_lost_by_registry_is_rebuilt(self):
        made = self.build(self.machine)
        shutil.rmtree(self.registry.folder / "data/docker/registry/v2/repositories/team")
        self.assertEqual(self.build(self.machine)["reference"], made["reference"])

    def test_job_without_packages_has_no_image(self):
        self.machine.job(FUNCTION + "dependencies: null\n", app_py=APP)
        done = self.machine.run("image", "build", "job.yaml")
        self.assertEqual(done.returncode, 120, done.stderr)
        plain = self.new_machine("plain")
        plain.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.assertIn("environment_images", plain.run("image", "build", "job.yaml").stderr)


class Garbage(LayersTestCase):
    """Removal of images that are unused for a long time."""

    def build(self, machine=None, packages="idna==3.7\n"):
        machine = machine or self.machine
        machine.job(FUNCTION, app_py="def main():\n    return 1\n", requirements_txt=packages)
        return machine.answer("image", "build", "job.yaml")

    def collect(self, *options, machine=None):
        """Returns the number of removed and kept images, the removed names and the warnings."""
        done = (machine or self.machine).run("gc", "--json", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(done.stdout)
        found = {one["name"]: one for one in report["classes"]}.get("images", {"removed": 0, "kept": 0})
        names = [name for name in report["removed"] if "@sha256:" in name]
        self.assertEqual(len(names), found["removed"])
        return found["removed"], found["kept"], names, "".join(report["warnings"])

    def notes(self, place="team"):
        return [f"{place}/images/{name}" for name in self.bucket.objects(f"{place}/images/")]

    def lease(self, name):
        [item] = self.bucket.list(name)
        return item["customTime"]

    def age(self, days=31):
        [note] = self.notes()
        self.bucket.age(note, days)
        return note

    def test_unused_image_is_removed_with_record(self):
        made = self.build()
        self.assertEqual(self.collect()[:2], (0, 1))
        self.age(29)
        self.assertEqual(self.collect()[:2], (0, 1))
        self.age()
        self.assertEqual(self.collect("--dry-run")[:3], (1, 0, [made["reference"]]))
        self.assertEqual(len(self.machine.answer("image", "ls")), 1)
        self.assertEqual(self.collect()[:3], (1, 0, [made["reference"]]))
        self.assertEqual((self.machine.answer("image", "ls"), self.notes()), ([], []))
        self.assertEqual(self.build()["reference"], made["reference"])

    def test_image_of_kept_job_is_kept_and_touched(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job("--id", "first")
        note = self.age()
        self.assertEqual(self.collect()[:2], (0, 1))
        old = self.lease(note)
        self.bucket.requests()
        self.run_job("--id", "second")
        self.assertEqual(self.lease(note), old)  # it was recorded today; a job sends no further request
        self.assertFalse([one for one in self.bucket.requests() if "images%2F" in one["target"]])
        known, = (self.folder / "layers").rglob("known-environments/*")
        document = json.loads(known.read_text())
        self.assertGreater(document["noted"], 0)
        known.write_text(json.dumps(document | {"noted": document["noted"] - 2 * 86_400_000_000}))
        self.run_job("--id", "third")
        self.assertGreater(self.lease(note), old)
        self.age()
        for job in ("first", "second", "third"):
            self.assertEqual(self.machine.run("rm", job).returncode, 0)
        self.assertEqual(self.collect()[:2], (1, 0))

    def test_images_of_other_stores_are_kept(self):
        made = self.build()
        other = self.layers_machine("other", place="elsewhere")
        self.assertFalse(self.build(other)["built"])
        self.assertEqual(self.notes("elsewhere"), [])  # found, not built
        theirs = self.build(other, packages="tabulate==0.9.0\n")
        self.registry.put_manifest("team/environments", "cpu-000000000000",
                                   json.loads(self.registry.image("team/environments", theirs["tag"])[0]))
        self.age()
        self.assertEqual(self.collect()[:3], (1, 0, [made["reference"]]))
        self.assertEqual([one["tag"] for one in other.answer("image", "ls")], sorted(["cpu-000000000000", theirs["tag"]]))

    def test_reassigned_tag_is_kept(self):
        made = self.build()
        note = self.age()
        theirs = self.build(self.layers_machine("other", place="elsewhere"), packages="tabulate==0.9.0\n")
        self.registry.put_manifest("team/environments", made["tag"],
                                   json.loads(self.registry.image("team/environments", theirs["tag"])[0]))
        self.assertEqual(self.collect()[:2], (0, 0))
        self.assertNotIn(note, self.notes())
        self.assertEqual(len(self.machine.answer("image", "ls")), 2)

    def test_registry_without_delete_is_a_warning(self):
        closed = image_registry.Registry(self.registry.folder, deletes=False)  # serves the same images
        self.addCleanup(closed.stop)
        machine = self.layers_machine("closed", image=self.base.replace(self.registry.host, closed.host),
                                      environment_images=f"{closed.host}/team/environments")
        made = self.build(machine, packages="tabulate==0.9.0\n")
        note = self.age()
        old = self.lease(note)
        removed, kept, _, said = self.collect(machine=machine)
        self.assertEqual((removed, kept), (0, 1))
        self.assertIn("ask the registry's owner to enable deletion", said)
        self.assertEqual((self.notes(), self.lease(note)), ([note], old))
        self.assertIn(made["tag"], closed.tags("team/environments"))

    def test_unavailable_registry_is_a_warning(self):
        self.build()
        note = self.age()
        self.registry.stop()
        removed, kept, _, said = self.collect()
        self.assertEqual((removed, kept, self.notes()), (0, 1, [note]))
        self.assertIn("unused images were not removed", said)


class ArtifactRegistry(LayersTestCase):
    """Google's registry under its own name. A proxy leads the client to a stand-in with TLS and Google's token. The
    container engine of the nodes has a mirror configuration."""

    HOST = "test-docker.pkg.dev"

    def setUp(self):
        super().setUp()
        self.cluster.push(self.cluster.images["python"], f"{self.registry.host}/project/base/python:{PYTHON}")
        identity = make_identity(self.folder, f"DNS:{self.HOST}")
        front = image_registry.Registry(self.registry.folder, auth=image_registry.basic_auth(self.folder),
                                        identity=identity)  # serves the same images
        self.addCleanup(front.stop)
        tunnels = image_registry.Tunnels(front.port)
        self.addCleanup(tunnels.stop)
        self.mirror_registry(self.registry)
        self.google = self.layers_machine("google", image=f"{self.HOST}/project/base/python:{PYTHON}",
                                          environment_images=f"{self.HOST}/project/environments/python")
        self.google.environment.update(KINETIC_PROXY=tunnels.url, KINETIC_NO_PROXY=f"{self.cluster.address},127.0.0.1",
                                       KINETIC_CA_FILE=str(identity.with_suffix(".crt")),
                                       KINETIC_ACCESS_TOKEN=image_registry.GOOGLE_TOKEN)

    def mirror_registry(self, registry):
        """Configures the mirror of the nodes. Manifests of jobs do not contain it."""
        folder = pathlib.Path(self.cluster.state) / "registries" / self.HOST
        folder.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, folder)
        (folder / "hosts.toml").write_text(f'server = "http://{registry.host}"\n'
                                           f'[host."http://{registry.host}"]\ncapabilities = ["pull", "resolve"]\n')

    def test_images_have_artifact_registry_names(self):
        self.google.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job("--id", "named", machine=self.google)
        self.assertEqual(json.loads(done.stdout)["version"], "4.9.0")
        image = self.record("named")["environment_image"]
        self.assertTrue(image.startswith(f"{self.HOST}/project/environments/python:cpu-"), image)
        [pod] = self.view.pods("kinetic-named")
        self.assertEqual(pod["spec"]["containers"][0]["image"], image)


class Faults(FaultsAtEveryRequest, LayersTestCase):
    """Builds an image of one package with a fault at every request to the registry."""

    def setUp(self):
        super().setUp()
        self.counter = Counter()
        proxy = CountingProxy(f"http://{self.registry.host}", self.counter)
        self.addCleanup(proxy.stop)
        self.door = proxy.url.removeprefix("http://")
        self.base = f"{self.door}/base/python:{PYTHON}"
        self.builder = self.layers_machine("builder")
        self.builder.job(FUNCTION, app_py=APP, requirements_txt="idna==3.7\n")

    def begin(self, repository):
        return self.builder.start("image", "build", "job.yaml", "--json",
                                  extra={"KINETIC_ENVIRONMENT_IMAGES": f"{self.door}/{repository}"})

    def built(self, repository):
        process = self.begin(repository)
        out, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, said)
        return json.loads(out)["reference"].partition("@")[2]

    def inject_at_every_request(self, strike, survives):
        """Calls `strike` with the client at each request; it returns what happens to the request. If the client does
        not survive, another one builds the image."""
        self.counter.arm(None, False, None)
        wanted = self.built("team/first")
        count = len(self.counter.requests)
        self.assertGreater(count, 8)
        for number in range(count):
            for answered in (False, True):
                with self.subTest(request=number, answered=answered):
                    repository = f"team/at-{number}-{answered}".lower()
                    clients = queue.Queue()
                    self.counter.arm(number, answered, lambda: strike(clients.get()))
                    client = self.begin(repository)
                    clients.put(client)
                    _, said = client.communicate(timeout=120)
                    if survives:
                        self.assertEqual(client.returncode, 0, said)
                    self.counter.arm(None, False, None)
                    self.assertEqual(self.built(repository), wanted)
                    self.assertEqual(len(self.registry.tags(repository)), 1)


class Digits(DigitsExample, LayersTestCase):
    pass


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
