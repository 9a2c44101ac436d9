#!/usr/bin/env python3
"""Output of `kinetic image` about images of packages, with a real registry and no cluster.

    images_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import os
import sys
import unittest

from image_case import FUNCTION, PYTHON, NoClusterTestCase  # before the modules of tests/support

import image_registry

PROGRAMS = [os.path.abspath(word) for word in sys.argv[1:4]]
NAMED = "name: packed\nfunction: app:main\n"
APP = "def main():\n    return 1\n"
PACKAGES = "idna==3.7\ntabulate==0.9.0\n"
REFUSED = 120


class ImagesTestCase(NoClusterTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        self.machine = self.new_machine("here")

    def new_registry(self, name, **settings):
        registry = image_registry.Registry(self.folder / self.place / name, **settings)
        self.addCleanup(registry.stop)
        return registry

    def put_changed_base(self, tag, change):
        """Stores the base image with manifest and configuration changed by `change`."""
        document, config, _ = self.registry.image("base/python", PYTHON)
        manifest = json.loads(document)
        change(manifest, config)
        manifest["config"] |= self.registry.put_blob("base/python", json.dumps(config).encode())
        self.registry.put_manifest("base/python", tag, manifest)

    def new_machine(self, name, place=None, packages=PACKAGES, **settings):
        machine = super().new_machine(name, place, **{"environments": "layers"} | settings)
        machine.job(FUNCTION, app_py=APP, requirements_txt=packages)
        return machine

    def explain(self, machine=None):
        """Returns the output and checks that the command changes nothing."""
        objects = self.bucket.objects(f"{self.place}/")
        told = (machine or self.machine).answer("image", "explain", "job.yaml")
        self.assertLessEqual(self.bucket.objects(f"{self.place}/") - objects, {"format.json"})
        return told


class Explain(ImagesTestCase):
    def test_explain_before_during_and_after_build(self):
        told = self.explain()
        self.assertEqual((told["outlook"], told["image"], told["packages"]), ("resolved", None, []))
        self.assertEqual((told["base"]["name"], told["base"]["answer"]), (self.base, "present"))
        self.assertEqual({layer["part"] for layer in told["layers"]}, {"base"})

        self.machine.answer("lock", "job.yaml")
        told = self.explain()
        self.assertEqual((told["outlook"], told["image"]["answer"]), ("image_made", "absent"))
        self.assertEqual([(one["name"], one["version"], one["stored"]) for one in told["packages"]],
                         [("idna", "3.7", False), ("tabulate", "0.9.0", False)])

        made = self.build()
        told = self.explain()
        self.assertEqual((told["outlook"], told["image"]["answer"]), ("image", "present"))
        self.assertEqual(f"{told['image']['name']}@{told['image']['digest']}", made["reference"])
        self.assertEqual(told["image"]["size_bytes"], made["size_bytes"])
        self.assertEqual((told["base_when_built"], told["base"]["digest"]), (made["base_digest"],) * 2)
        self.assertEqual(told["environment"]["image"], made["reference"])
        self.assertEqual(sum(layer["size_bytes"] for layer in told["layers"]), made["size_bytes"])
        above = [layer for layer in told["layers"] if layer["part"] == "packages"]
        self.assertEqual([layer["holds"] for layer in above], ["the environment itself", "2 small packages"])
        self.assertEqual({layer["part"] for layer in told["layers"][:-2]}, {"base"})
        for package in told["packages"]:
            self.assertTrue(package["stored"])
            self.assertGreater(package["size_bytes"], 1000)
        said = self.machine.run("image", "explain", "job.yaml").stdout
        for words in ("exists", "runs in the existing image", "2 small packages", "2 of 2 packages"):
            self.assertIn(words, said)

    def test_missing_registry_permission_is_reported(self):
        self.machine.answer("lock", "job.yaml")
        closed = self.new_registry("closed", auth=image_registry.basic_auth(self.folder / self.place))
        told = self.explain(self.new_machine("closed", environment_images=f"{closed.host}/team/environments"))
        self.assertEqual((told["outlook"], told["image"]["answer"]), ("refused", "not_allowed"))
        self.assertIn(closed.host, told["image"]["reason"])
        choosing = self.new_machine("choosing", environments="auto", environment_images=f"{closed.host}/team/environments")
        told = self.explain(choosing)
        self.assertEqual((told["outlook"], told["image"]["answer"]), ("archives_made", "not_allowed"))

    def test_image_of_job_file(self):
        self.machine.job(NAMED + f"image: {self.base}\n", app_py=APP, requirements_txt=PACKAGES)
        told = self.explain()
        self.assertEqual((told["outlook"], told["image"], told["left_out"]), ("none", None, "requirements.txt"))
        self.assertEqual(told["base"]["answer"], "present")
        self.machine.job(NAMED + f"image: {self.base}-none\n", app_py=APP)
        self.assertEqual(self.explain()["base"]["answer"], "absent")

    def test_local_target_has_no_image(self):
        done = self.machine.run("image", "explain", "job.yaml", "--target", "local")
        self.assertEqual(done.returncode, REFUSED, done.stdout + done.stderr)
        self.assertIn("choose a cluster with --target", done.stderr)


class Rare(ImagesTestCase):
    """Bases that change, packages that are collected, registries that are down."""

    def test_base_tag_with_new_digest(self):
        self.put_changed_base("moving", lambda manifest, config: None)
        self.machine = self.new_machine("moving", image=self.base.replace(PYTHON, "moving"))
        made = self.build()
        self.put_changed_base("moving", lambda manifest, config: config.update(author="another"))
        told = self.explain()
        self.assertEqual(told["base_when_built"], made["base_digest"])
        self.assertEqual(told["base"]["digest"], made["base_digest"])  # recorded in the lock
        self.assertEqual([layer["part"] for layer in told["layers"]][-3:], ["base", "packages", "packages"])
        self.assertIn(f"@{made['base_digest']}", told["base"]["name"])

    def test_collected_packages(self):
        self.build()
        elsewhere = self.new_machine("elsewhere", place=f"{self.place}-other")
        elsewhere.answer("lock", "job.yaml")
        told = self.explain(elsewhere)
        self.assertEqual((told["outlook"], told["image"]["answer"]), ("image", "present"))
        self.assertEqual({one["stored"] for one in told["packages"]}, {False})
        self.assertEqual([(layer["part"], layer["holds"]) for layer in told["layers"]][-2:], [("packages", None)] * 2)

    def test_archives_need_no_image(self):
        archives = self.new_machine("archives", environments="archives")
        self.build()  # stores the packages
        told = self.explain(archives)
        self.assertEqual((told["form"], told["outlook"], told["image"]), ("archives", "archives_made", None))
        self.assertEqual({one["stored"] for one in told["packages"]}, {True})

    def test_unavailable_registry_is_not_a_missing_image(self):
        self.machine.answer("lock", "job.yaml")
        away = self.new_registry("away")
        machine = self.new_machine("away", environment_images=f"{away.host}/team/environments")
        away.stop()
        told = self.explain(machine)
        self.assertEqual((told["outlook"], told["image"]["answer"], told["base"]["answer"]),
                         ("refused", "unreachable", "present"))
        self.assertIn(away.host, told["image"]["reason"])

    def test_image_for_another_platform(self):
        self.put_changed_base("arm", lambda manifest, config: config.update(architecture="arm64"))
        self.machine.job(NAMED + f"image: {self.base.replace(PYTHON, 'arm')}\n", app_py=APP)
        told = self.explain()
        self.assertEqual(told["base"]["answer"], "unusable")
        self.assertIn("arm64", told["base"]["reason"])


class Diff(ImagesTestCase):
    def diff(self, before, now, machine=None):
        return (machine or self.machine).answer("image", "diff", before, now)

    def changes(self, told):
        return [(one["change"], one["name"], one["before"], one["now"]) for one in told["packages"]]

    def test_diff_of_tags_images_and_job_files(self):
        first = self.build()
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="idna==3.6\nhumanize==4.9.0\n")
        second = self.build()
        wanted = [("added", "humanize", None, "4.9.0"), ("changed", "idna", "3.7", "3.6"),
                  ("removed", "tabulate", "0.9.0", None)]
        for now in (second["tag"], second["reference"], f"{self.images}:{second['tag']}", "job.yaml"):
            with self.subTest(now=now):
                told = self.diff(first["tag"], now)
                self.assertEqual(self.changes(told), wanted)
                self.assertEqual(told["properties"], [])
                self.assertEqual((told["now"]["packages"], told["now"]["base"], told["now"]["accelerator"]),
                                 (2, self.base, "cpu"))
        self.assertEqual(told["before"]["name"], first["reference"])
        done = self.machine.run("image", "diff", first["tag"], second["tag"])
        self.assertEqual((done.returncode, done.stderr), (0, "3 packages differ\n"))
        self.assertRegex(done.stdout, r"(?m)^\+ +humanize +- +4\.9\.0$")
        self.assertRegex(done.stdout, r"(?m)^~ +idna +3\.7 +3\.6$")
        self.assertRegex(done.stdout, r"(?m)^- +tabulate +0\.9\.0 +-$")
        same = self.machine.run("image", "diff", second["tag"], "job.yaml")
        self.assertEqual((same.returncode, same.stdout, same.stderr), (0, "", "the same 2 packages\n"))

    def test_diff_of_base_images(self):
        first = self.build()
        self.put_changed_base("newer", lambda manifest, config: config.update(author="another"))
        other = self.new_machine("other", image=self.base.replace(PYTHON, "newer"))
        told = self.diff(first["tag"], self.build(other)["tag"])
        self.assertEqual((told["packages"], [one["name"] for one in told["properties"]]), ([], ["base", "base digest"]))

    def test_diff_of_missing_and_unlabeled_images(self):
        made = self.build()
        done = self.machine.run("image", "diff", made["tag"], "cpu-000000000000")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("no kinetic image is named cpu-000000000000", done.stderr)
        done = self.machine.run("image", "diff", made["tag"], self.base)
        self.assertIn("no kinetic image", done.stderr)
        document, config, _ = self.registry.image(self.place, made["tag"])
        manifest = json.loads(document)
        del config["config"]["Labels"]["dev.kinetic.lock"]
        manifest["config"] |= self.registry.put_blob(self.place, json.dumps(config).encode())
        self.registry.put_manifest(self.place, "cpu-old", manifest)
        done = self.machine.run("image", "diff", "cpu-old", made["tag"])
        self.assertEqual(done.returncode, REFUSED, done.stdout)
        self.assertIn("has no list of its packages", done.stderr)
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="idna==3.6\n")
        self.assertIn("kinetic lock", self.machine.run("image", "diff", made["tag"], "job.yaml").stderr)
        self.machine.job(FUNCTION + "dependencies: null\n", app_py=APP)
        self.assertIn("has no packages", self.machine.run("image", "diff", made["tag"], "job.yaml").stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
