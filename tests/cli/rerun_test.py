"""Tests kinetic rerun."""

import hashlib
import json
import shutil
import unittest

from harness import JobCase
from package_index import PackageIndex, module

WORK = """
import os


def main(epochs=1, model=None, text=""):
    return [epochs, model, os.environ.get("MODE"), len(text)]
"""


class Rerun(JobCase):
    def store(self):
        return self.home / ".local/share/kinetic/store"

    def record(self, job):
        return json.loads((self.store() / "jobs" / job / "record.json").read_text().split("KNTCMETA")[0])

    def job(self, *options, env=None, code=0):
        job = self.run_kinetic("run", "--detach", "job.yaml", *options, env=env).stdout.strip()
        self.run_kinetic("wait", job, code=code)
        return job

    def project(self, more=""):
        self.write("work.py", WORK)
        self.write("job.yaml", f"name: digits\nfunction: work:main\nargs: {{epochs: 3}}\n{more}")

    def remove_project(self):
        shutil.rmtree(self.work)
        self.work.mkdir()

    def value(self, *arguments, env=None):
        return json.loads(self.run_kinetic("rerun", *arguments, env=env).stdout)

    def test_same_job_without_its_files(self):
        self.project()
        first = self.job("--env", "MODE=fast")
        self.remove_project()
        self.assertEqual(self.value(first, "--id", "again"), [3, None, "fast", 0])
        before, now = self.record(first), self.record("again")
        self.assertEqual(now["rerun_of"], first)
        self.assertNotEqual(now["nonce"], before["nonce"])
        for field in ("spec", "tree", "arguments", "manifest_key", "environment_id", "environment_inputs"):
            self.assertEqual(now[field], before[field], field)
        self.assertIn(f"now:    again (succeeded), a rerun of {first}\n",
                      self.run_kinetic("diff", first, "again").stdout)
        self.assertEqual(self.value("again", "--id", "third"), [3, None, "fast", 0])
        self.assertEqual(self.record("third")["rerun_of"], "again")

    def test_newest_job_is_named(self):
        self.project()
        first = self.job()
        self.assertIn(f"your newest job: {first} (digits)\n", self.run_kinetic("rerun").stderr)
        self.assertNotIn("your newest job", self.run_kinetic("rerun", first).stderr)

    def test_changes(self):
        self.project("env: {MODE: fast}\n")
        first = self.job("--arg", "model={size: 2, name: cnn}")
        self.assertEqual(self.value(first, "--arg", "epochs=5", "--env", "MODE=slow", "--name", "other",
                                    "--set", "args.model.size=7", "--memory", "1Gi", "--set", "timeouts.run=1h",
                                    "--id", "changed"),
                         [5, {"size": 7, "name": "cnn"}, "slow", 0])
        spec = self.record("changed")["spec"]
        self.assertEqual((spec["name"], spec["resources"], spec["timeouts"]["run"]),
                         ("other", {"memory": 1 << 30}, 3_600_000))
        self.assertEqual(self.value("changed", "--arg", "model=null"), [5, None, "slow", 0])
        self.assertEqual(self.value("changed", "--set", "args=[9, {a: 1}]", "--id", "listed"),
                         [9, {"a": 1}, "slow", 0])
        done = self.run_kinetic("rerun", "listed", "--arg", "epochs=1", code=2)
        self.assertIn("error: --arg epochs: the job's arguments are positional, not named\n", done.stderr)

    def test_arguments_of_a_script(self):
        self.write("train.py", "import sys\nprint(sys.argv[1:])\n")
        first = self.run_kinetic("run", "-d", "train.py", "--epochs", "1", "out").stdout.strip()
        self.run_kinetic("wait", first)
        done = self.run_kinetic("rerun", first, "--", "--epochs", "3")
        self.assertEqual(done.stdout, "['--epochs', '3']\n")
        self.assertEqual(self.run_kinetic("rerun", "--").stdout, "[]\n")
        self.assertEqual(self.run_kinetic("rerun", first).stdout, "['--epochs', '1', 'out']\n")
        self.run_kinetic("run", "--id", "line", "--set", "run=echo hi", self.write("job.yaml", "name: x\n").name)
        self.assertIn("cannot replace the arguments of job line, because it runs a shell command",
                      self.run_kinetic("rerun", "line", "--", "x", code=2).stderr)
        self.project()
        job = self.job()
        self.assertIn(f"job {job} calls a function, which has no command-line arguments",
                      self.run_kinetic("rerun", job, "--", "x", code=2).stderr)

    def test_misspelt_argument(self):
        self.project()
        first = self.job()
        self.remove_project()
        done = self.run_kinetic("rerun", first, "--arg", "epohcs=1", "--arg", "text=x", code=2)
        self.assertIn("error: --arg epohcs: main has no parameter epohcs; did you mean epochs?\n", done.stderr)
        done = self.run_kinetic("rerun", first, "--set", "function=work:mian", code=2)
        self.assertIn("work.py has no mian; did you mean main?\n", done.stderr)
        done = self.run_kinetic("rerun", first, "--set", "function=wrok:main", code=2)
        self.assertIn("module wrok is neither in the bundle nor in the environment; did you mean work?\n", done.stderr)
        self.assertEqual(len(self.json("ps", "--all")), 1)

    def test_what_cannot_change(self):
        self.project()
        first = self.job()
        for option, says in (("dependencies=x.txt", "--set dependencies: dependencies of an earlier job cannot be "
                              "changed"), ("bundle.root=/", "--set bundle.root: bundle of an earlier job"),
                             ("data./set=./x", "hint: keys that can be changed: accelerator, args, env, "),
                             ("nonsense=1", "--set nonsense: unknown key"),
                             ("resource.cpu=4", "; did you mean resources?"),
                             ("resources.memory=lots", "--set resources.memory: "),
                             ("run=[ls]", "--set run: cannot be combined with `function`")):
            done = self.run_kinetic("rerun", first, "--set", option, code=2)
            self.assertIn(says, done.stderr, option)
        self.write("here.csv", "1")
        done = self.run_kinetic("rerun", first, "--arg", "epochs={$path: here.csv}", code=2)
        self.assertIn("--arg epochs: $path must name a file in the job's data", done.stderr)
        self.assertEqual(len(self.json("ps", "--all")), 1)

    def test_program_with_data_and_secret(self):
        self.write("set/a.csv", "one")
        self.write("job.yaml", "run: ['sh', '-c', 'cat /set/a.csv; echo; echo token $TOKEN; exit 3']\n"
                   "data: {/set: ./set}\nsecrets: [TOKEN]\nbundle: {exclude: [/set]}\n")
        first = self.job(env={"TOKEN": "correct-horse"}, code=3)
        self.remove_project()
        done = self.run_kinetic("rerun", first, code=2)
        self.assertIn("secrets: not set in the environment: TOKEN", done.stderr)
        done = self.run_kinetic("rerun", first, env={"TOKEN": "battery-staple"}, code=3)
        self.assertEqual(done.stdout, "one\ntoken ***\n")
        self.assertEqual(len(self.json("ps", "--all")), 2)

    def test_large_arguments(self):
        self.project()
        self.write("long.txt", "x" * 100_000)
        first = self.job("--arg", "text={$text: long.txt}")
        self.remove_project()
        self.assertEqual(self.value(first), [3, None, None, 100_000])
        self.assertEqual(self.value(first, "--arg", "epochs=4", "--id", "longer"), [4, None, None, 100_000])
        self.assertEqual(self.value("longer"), [4, None, None, 100_000])

    def test_chosen_id(self):
        self.project()
        first = self.job()
        self.run_kinetic("rerun", first, "--id", "mine")
        self.assertEqual(self.value(first, "--id", "mine"), [3, None, None, 0])
        done = self.run_kinetic("rerun", first, "--id", "mine", "--arg", "epochs=4", code=2)
        self.assertIn("job mine already exists, but differs in args.epochs: 3 before, 4 now", done.stderr)
        self.assertEqual(len(self.json("ps", "--all")), 2)

    def test_packages_come_from_stored_lock(self):
        index = PackageIndex(module("one", "1.0"), module("one", "2.0"))
        self.addCleanup(index.close)
        self.write("work.py", "import importlib.metadata\ndef main():\n"
                   "    return importlib.metadata.version('one')\n")
        self.write("job.yaml", "function: work:main\n")
        self.write("requirements.txt", index.lines + "one<2\n")
        first = self.job()
        self.remove_project()
        [environment] = self.json("env", "ls")
        self.run_kinetic("env", "rm", environment["id"])
        done = self.run_kinetic("rerun", first)
        self.assertEqual(done.stdout, '"1.0"\n')
        self.assertIn("build: 1 package, built", done.stderr)
        shutil.rmtree(self.store() / "locks")
        done = self.run_kinetic("rerun", first, code=120)
        self.assertIn(f"error: cannot rerun job {first}: the lock of its packages is not in the store, or they were "
                      "resolved again\nhint: submit the job from its files with 'kinetic run'\n", done.stderr)

    def test_hashed_requirements(self):
        """A file that is a lock itself is stored for reruns."""
        name, content = module("one", "1.0")
        index = PackageIndex((name, content))
        self.addCleanup(index.close)
        self.write("work.py", "import one\ndef main():\n    return 1\n")
        self.write("job.yaml", "function: work:main\n")
        self.write("requirements.txt", index.lines +
                   f"one==1.0 --hash=sha256:{hashlib.sha256(content).hexdigest()}\n")
        first = self.job()
        self.remove_project()
        self.assertEqual(self.value(first), 1)

    def test_what_the_store_lost(self):
        self.write("set/a.csv", "one")
        self.project("data: {/set: ./set}\nbundle: {exclude: [/set]}\n")
        first = self.job()
        record = self.record(first)
        (self.store() / "trees" / record["data"]["/set"]["tree"]).unlink()
        done = self.run_kinetic("rerun", first, code=120)
        self.assertIn(f"error: cannot rerun job {first}: the store no longer has the data of /set\n"
                      "hint: submit the job from its files with 'kinetic run'\n", done.stderr)
        (self.store() / "trees" / record["tree"]).unlink()
        done = self.run_kinetic("rerun", first, code=120)
        self.assertIn(f"cannot rerun job {first}: the store no longer has its code", done.stderr)
        self.assertEqual(len(self.json("ps", "--all")), 1)

    def test_detached(self):
        first = self.submit("true", options=("--name", "quick"))
        said = self.json("rerun", first, "--detach")
        self.assertEqual((said["name"], said["detached"]), ("quick", True))
        self.run_kinetic("wait", said["id"])
        done = self.run_kinetic("rerun", "--detach", "--raw", first, code=2)
        self.assertIn("--detach", done.stderr)
        self.assertIn("does not exist", self.run_kinetic("rerun", "nope", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
