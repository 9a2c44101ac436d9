#!/usr/bin/env python3
"""Jobs on Kubernetes with packages that are not in their image: the client resolves and installs them.

    cluster_packages_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
import cluster
from cluster import wait_for
from cluster_machine import JobsTestCase
from image_case import FUNCTION, PYTHON, DigitsExample
from package_index import PackageIndex, fake_jax

PROGRAMS = sys.argv[1:4]
APP = """
import sys, humanize
def main():
    return {"prefix": sys.prefix, "version": humanize.__version__, "file": humanize.__file__,
            "text": humanize.intcomma(1234567)}
"""


class PackagesTestCase(JobsTestCase):
    programs = PROGRAMS

    def setUp(self):
        super().setUp()
        # pip runs on this machine.
        self.machine.environment["PATH"] = os.environ["PATH"]


class Packages(PackagesTestCase):
    def test_function_imports_packages(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job("--id", "first")
        value = json.loads(done.stdout)
        self.assertEqual(value["prefix"], "/opt/kinetic/environment")
        self.assertEqual(value["version"], "4.9.0")
        self.assertEqual(value["text"], "1,234,567")
        self.assertTrue(value["file"].startswith("/opt/kinetic/environment/lib/python3.11/site-packages/"), value)
        self.assertRegex(done.stderr, r"build: 1 package, built")

        before = self.bucket.objects("team/packs/") | self.bucket.objects("team/trees/")
        again = self.run_job("--id", "second")
        self.assertEqual(json.loads(again.stdout), value)
        self.assertRegex(again.stderr, r"build: 1 package, unchanged")
        self.assertEqual(self.bucket.objects("team/packs/") | self.bucket.objects("team/trees/"), before)

        explained = self.machine.answer("env", "explain", "job.yaml")
        self.assertTrue(explained["built"])
        record = json.loads(self.bucket.read("team/jobs/second/record.json"))
        self.assertEqual(explained["tree"], record["environment"]["tree"])
        self.assertEqual(explained["lock"]["id"], record["environment_id"])

    def test_another_machine_uses_stored_packages(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job()
        other = self.new_machine("other")
        other.job(FUNCTION, app_py=APP, requirements_txt="# the same\nhumanize==4.9.0  # pinned\n")
        done = other.run("run", "job.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("build: 1 package, unchanged", done.stderr)

    def test_only_changed_package_is_stored(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\nidna==3.7\n")
        self.run_job()
        packages = self.bucket.objects("team/packages/")
        self.assertEqual(len(packages), 2)
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.10.0\nidna==3.7\n")
        done = self.run_job()
        self.assertEqual(json.loads(done.stdout)["version"], "4.10.0")
        self.assertEqual(len(self.bucket.objects("team/packages/") - packages), 1)
        self.assertEqual(len(self.bucket.objects("team/environments/")), 2)

    def test_program_finds_packages_and_scripts(self):
        self.machine.job(f"name: shell\nrun: 'echo a,b | tabulate -s , && python -c \"import tabulate\" && "
                         f"echo $VIRTUAL_ENV'\npython: '{PYTHON}'\n", requirements_txt="tabulate==0.9.0\n")
        done = self.run_job()
        self.assertIn("a  b", done.stdout)
        self.assertIn("/opt/kinetic/environment", done.stdout)

    def test_python_mismatch_is_reported(self):
        self.machine.job(FUNCTION.replace(PYTHON, "3.12"), app_py=APP, requirements_txt="humanize==4.9.0\n")
        done = self.run_job(code=123)
        self.assertIn("3.12", done.stderr)
        self.assertIn("3.11", done.stderr)
        self.assertIn("python:", done.stderr)

    def test_image_of_job_file_is_used_unchanged(self):
        self.machine.job(f"name: named\nrun: python3 -c 'import humanize'\nimage: {self.cluster.images['python']}\n",
                         requirements_txt="humanize==4.9.0\n")
        done = self.run_job(code=1)
        self.assertIn("requirements.txt) are not installed", done.stderr)
        self.assertIn("No module named 'humanize'", done.stderr + done.stdout)
        self.assertEqual(self.bucket.objects("team/packages/"), set())

    def test_missing_package(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="kinetic-no-such-package==1\n")
        done = self.run_job(code=120)
        self.assertIn("kinetic-no-such-package", done.stderr)
        self.assertEqual(self.bucket.objects("team/jobs/"), set())

    def test_gc_keeps_packages_of_jobs(self):
        self.machine.job(FUNCTION, app_py=APP, requirements_txt="humanize==4.9.0\n")
        self.run_job("--id", "kept")
        self.assertEqual(self.machine.run("gc").returncode, 0)
        done = self.run_job()
        self.assertIn("build: 1 package, unchanged", done.stderr)


class Pods(PackagesTestCase):
    """Owner and place of packages in a pod, and pods that cannot have them."""

    def package_owners(self, more=""):
        self.machine.job(FUNCTION + more, requirements_txt="humanize==4.9.0\n", app_py="""
import os, pathlib, sys, humanize
def main():
    pathlib.Path(humanize.__file__).with_name('beside.py').write_text('own')
    return [os.getuid(), sys.prefix, os.stat(sys.prefix).st_uid]
""")
        return json.loads(self.run_job().stdout)

    def refused(self, machine, more="", **files):
        machine.job(FUNCTION + more, app_py="print('user code')\n" + APP, requirements_txt="humanize==4.9.0\n", **files)
        machine.environment["PATH"] = os.environ["PATH"]
        done = machine.run("run", "job.yaml")
        self.assertEqual(done.returncode, 123, done.stdout + done.stderr)
        self.assertNotIn("user code", done.stdout + done.stderr)
        return done.stderr

    def test_packages_in_memory(self):
        machine = self.new_machine("memory", packages_medium="memory")
        machine.environment["PATH"] = os.environ["PATH"]
        machine.job(FUNCTION + "resources: {disk: 1Mi}\n", requirements_txt="humanize==4.9.0\n", app_py="""
import humanize
def main():
    return next(line.split()[2] for line in open('/proc/mounts') if line.split()[1] == '/opt/kinetic')
""")
        done = machine.run("run", "job.yaml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(json.loads(done.stdout), "tmpfs")

    def test_packages_belong_to_user_of_image(self):
        main = "{name: main, securityContext: {runAsUser: 1234, runAsGroup: 1234}}"
        self.assertEqual(self.package_owners(f"pod: {{spec: {{containers: [{main}]}}}}\n"), [1234, "/opt/kinetic/environment", 1234])

    def test_packages_in_restricted_namespace(self):
        self.cluster.kubectl("label", "namespace", self.namespace, "pod-security.kubernetes.io/enforce=restricted")
        self.assertEqual(self.package_owners(), [65532, "/opt/kinetic/environment", 65532])

    def test_image_without_python(self):
        empty = self.cluster.images["empty"]
        said = self.refused(self.new_machine("empty", image=empty))
        self.assertIn(f"no python3 found in the image {empty}", said)
        self.assertIn(f"but the job's packages need Python {PYTHON}", said)

    def test_packages_above_disk_limit_are_not_fetched(self):
        said = self.refused(self.machine, "resources: {disk: 1Mi}\n", large_txt=os.urandom(2 << 20).hex())
        self.assertRegex(said, r"the job's files, packages and data need .* MiB, but resources.disk is 1.0 MiB")


class Compiled(PackagesTestCase):
    """Programs compiled by XLA, kept between jobs. A fake JAX only reports its cache folder."""

    PROGRAM = """
import os, pathlib, jax
def main(name):
    cache = pathlib.Path(os.environ["JAX_COMPILATION_CACHE_DIR"])
    found = sorted(file.name for file in cache.iterdir())
    (cache / f"jit_{name}-cache").write_text("compiled")
    return found
"""

    def setUp(self):
        super().setUp()
        index = PackageIndex(fake_jax("tpu"))
        self.addCleanup(index.close)
        self.machine.write({"requirements.txt": index.lines + "jax==1.0\n"})

    def found(self, name, accelerator="v5litepod-1"):
        self.machine.job(f"{FUNCTION}accelerator: {accelerator}\nargs: {{name: {name}}}\n", app_py=self.PROGRAM)
        return self.run_job("--id", name)

    def test_job_reuses_compiled_programs(self):
        self.assertEqual(json.loads(self.found("first").stdout), [])
        wait_for("what was compiled", lambda: self.bucket.objects("team/compiled/"), 60)
        self.assertEqual(json.loads(self.found("second").stdout), ["jit_first-cache"])
        self.assertIn("fetched", [moment["event"] for moment in self.machine.answer("status", "second")["timeline"]])

    def test_cpu_programs_are_not_stored(self):
        self.machine.job(f"{FUNCTION}args: {{name: none}}\n", app_py=self.PROGRAM)
        self.assertIn("KeyError: 'JAX_COMPILATION_CACHE_DIR'", self.run_job(code=1).stderr)


class Devices(PackagesTestCase):
    """A fake JAX reports the visible chips of a pod."""

    CHIP = f"{FUNCTION}accelerator: v5litepod-1\n"
    PROGRAM = "import jax\nprint('user code')\ndef main():\n    return jax.local_devices()[0].platform\n"

    def job(self, platform, more=""):
        index = PackageIndex(fake_jax(platform))
        self.addCleanup(index.close)
        self.machine.job(self.CHIP + more, app_py=self.PROGRAM, requirements_txt=index.lines + "jax==1.0\n")

    def test_missing_devices_end_job_before_user_code(self):
        self.job("cpu")
        done = self.run_job("--id", "blind", code=123)
        self.assertIn("jax 1.0 detects 1 cpu device and no TPU (the package libtpu is not installed); "
                      "the job requested 1 chip", done.stderr)
        self.assertIn("add jax[tpu] to the dependencies", done.stderr)
        self.assertNotIn("user code", done.stdout + done.stderr)
        why = self.machine.answer("why", "blind")
        self.assertEqual((why["cause"], why["phase"]), ("before_user_code", "start"))

    def test_device_check_can_be_disabled(self):
        self.job("cpu", "env: {KINETIC_CHECK_DEVICES: no}\n")
        self.assertIn("cpu", self.run_job().stdout)

    def test_visible_devices_are_not_reported(self):
        self.job("tpu")
        done = self.run_job()
        self.assertIn("tpu", done.stdout)
        self.assertNotIn("could not check whether", done.stderr)
        self.assertNotIn("may use the CPU", done.stderr)


class Digits(DigitsExample, PackagesTestCase):
    pass


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
