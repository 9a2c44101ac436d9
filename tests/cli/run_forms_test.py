"""Tests what `kinetic run` accepts besides a job file, and the folder that a job runs in."""

import json
import os
import unittest

from harness import JobCase

TRAIN = """
import os, sys

def main(epochs=1):
    return {"epochs": epochs, "folder": os.path.basename(os.getcwd())}

if __name__ == "__main__":
    print(os.path.basename(os.getcwd()), sys.argv[1:])
"""


class RunCase(JobCase):
    def inside(self, folder):
        """The next commands run in a folder of the project."""
        self.work = self.work / folder
        self.work.mkdir(parents=True, exist_ok=True)

    def plan(self, *arguments):
        """Returns what would be submitted."""
        return json.loads(self.run_kinetic("run", "--dry-run", "--json", *map(str, arguments)).stdout)

    def refused(self, *arguments, says, code=2, listed=0, **options):
        done = self.run_kinetic("run", *arguments, code=code, **options)
        for text in says:
            self.assertIn(text, done.stderr)
        self.assertEqual(len(self.json("ps")), listed, "something was submitted")


class Forms(RunCase):
    def test_script_receives_its_arguments(self):
        self.write("train.py", TRAIN)
        done = self.run_kinetic("run", "--name", "own", "train.py", "--epochs", "3", "--json", "--", "-h")
        self.assertEqual(done.stdout, "work ['--epochs', '3', '--json', '--', '-h']\n")
        self.assertEqual(self.json("ps")[0]["name"], "own")
        self.write("-t.py", TRAIN)
        self.assertEqual(self.run_kinetic("run", "./-t.py", "x").stdout, "work ['x']\n")
        absolute = self.run_kinetic("run", str(self.work / "train.py"))
        self.assertEqual(absolute.stdout, "work []\n")
        self.assertEqual(self.run_kinetic("run", f"../{self.work.name}/train.py").stdout, "work []\n")
        self.refused_script()

    def refused_script(self):
        done = self.run_kinetic("run", "gone.py", code=2)
        self.assertIn("cannot run gone.py: no such file", done.stderr)

    def test_function(self):
        self.write("train.py", TRAIN)
        self.write("pkg/sub/mod.py", TRAIN)
        for name in ("train:main", "pkg.sub.mod:main"):
            done = self.json("run", name, "--arg", "epochs=3")
            self.assertEqual(done["value"], {"epochs": 3, "folder": "work"})
        self.assertIn("train:mian: train.py has no mian; did you mean main?",
                      self.run_kinetic("run", "train:mian", code=2).stderr)

    def test_job_file_of_a_folder(self):
        self.write("pyproject.toml", "[project]\nname = 'x'\nversion = '1'\n")
        self.write("train.py", TRAIN)
        self.write("sub/train.py", TRAIN)
        self.write("sub/job.yaml", "function: train:main\n")
        self.write("job.yaml", "run: pwd\n")
        self.assertTrue(self.run_kinetic("run").stdout.endswith("/work\n"))
        self.assertTrue(self.run_kinetic("run", ".").stdout.endswith("/work\n"))
        self.assertEqual(self.json("run", "sub")["value"]["folder"], "sub")

    def test_nothing_to_run(self):
        self.refused(says=["nothing to run: this folder has no job.yaml", "kinetic run SCRIPT.py", "kinetic init"])
        self.refused(".", says=["nothing to run: this folder has no job.yaml", "kinetic init"])

    def test_other_forms_are_explained(self):
        self.write("work.py", TRAIN)
        self.write("pkg/mod.py", TRAIN)
        self.write("tool", "#!/usr/bin/env python3\n")
        self.refused("work.main", says=["no such file", "to run the function: kinetic run work:main"])
        self.refused("pkg.mod.main", says=["to run the function: kinetic run pkg.mod:main"])
        self.refused("work:main", "epochs=3", says=["unexpected argument 'epochs=3'", "function: --arg epochs=3"])
        self.refused("tool", says=["tool is a script, not a job file", "to run the script: kinetic run ./tool"])
        self.refused("nope", says=["cannot read nope: no such file", "kinetic run -- nope"])
        self.refused("./nope.sh", says=["cannot read ./nope.sh: no such file", "hint: check the path; 'kinetic bundle"])
        self.refused("nope.py", says=["cannot run nope.py: no such file", "hint: check the path; 'kinetic bundle"])

    def test_missing_program_with_arguments(self):
        self.write("tool.sh", "")
        self.refused("./missing", "a", says=["cannot run ./missing: no such file", "hint: check the path"])
        self.refused("./missing", "--epochs", "3", says=["cannot run ./missing: no such file"])
        self.refused("./tol.sh", "a", says=["cannot run ./tol.sh: no such file", "did you mean './tool.sh'?"])

    def test_options_of_an_interpreter(self):
        self.write("lib.py", "NAME = 'lib'\n")
        self.write("train.py", "import sys, lib\nprint(lib.NAME, sys.argv[1:])\n")
        self.inside("sub")
        for options in (["-u"], ["-W", "ignore"], ["-X", "dev", "-u"]):
            done = self.run_kinetic("run", "python", *options, "../train.py", "1")
            self.assertEqual(done.stdout, "lib ['1']\n")
        self.assertEqual(self.run_kinetic("run", "python", "-c", "print('../train.py')").stdout, "../train.py\n")
        self.assertEqual(self.run_kinetic("run", "sh", "-ec", "echo ../train.py").stdout, "../train.py\n")
        self.refused("python", "-u", "nope.py", says=["cannot run nope.py: no such file"], listed=5)

    def test_programs(self):
        self.write("train.py", TRAIN)
        self.write("r.sh", "echo plain $1\n")
        self.write("b.sh", "#!/bin/bash\n[[ $1 == a ]] && echo bash $1\n")
        self.write("tool", "#!/bin/sh\necho tool $*\n").chmod(0o755)
        for command, says in ((("r.sh", "a"), "plain a"), (("./b.sh", "a"), "bash a"), (("./tool", "-n", "--json"),
                               "tool -n --json"), (("sh", "r.sh", "x"), "plain x"), ((self.work / "tool", "1"), "tool 1"),
                              (("python", "train.py", "--epochs", "1"), "work ['--epochs', '1']")):
            self.assertEqual(self.run_kinetic("run", *map(str, command)).stdout, says + "\n")

    def test_from_another_folder(self):
        self.write("lib.py", "NAME = 'lib'\n")
        self.write("train.py", "import sys, lib\nprint(lib.NAME, sys.argv[1:])\n")
        self.write("job.yaml", "run: [python3, train.py, file]\n")
        self.write("tool", "#!/bin/sh\ncat lib.py\n").chmod(0o755)
        self.write("need.txt", "")
        project, self.work = self.work, self.home / "elsewhere"
        self.work.mkdir()
        (self.work / "other.txt").write_text("")
        for folder in (self.work, self.home):
            self.work = folder
            self.assertEqual(self.run_kinetic("run", str(project / "train.py"), "1").stdout, "lib ['1']\n")
            self.assertEqual(self.run_kinetic("run", str(project / "tool")).stdout, "NAME = 'lib'\n")
            self.assertEqual(self.run_kinetic("run", "python3", str(project / "train.py")).stdout, "lib []\n")
            self.assertEqual(self.run_kinetic("run", str(project / "job.yaml")).stdout, "lib ['file']\n")
        plan = self.plan("--dependencies", "project/need.txt", project / "train.py")
        self.assertEqual(plan["bundle"]["root"], str(project.resolve()))
        self.assertIn("need.txt", json.dumps(plan["record"]["spec"]["dependencies"]))

    def test_script_below_an_unmarked_folder(self):
        self.write("sub/train.py", TRAIN)
        root = lambda *options: self.plan(*options, "sub/train.py")["bundle"]["root"]
        self.assertEqual(root(), str(self.work.resolve()))
        self.write("sub/pyproject.toml", "[project]\nname = 'x'\nversion = '1'\n")
        self.assertEqual(root(), str((self.work / "sub").resolve()))
        self.assertEqual(root("--root", "."), str(self.work.resolve()))
        self.write(".kineticignore", "")
        self.assertEqual(root(), str(self.work.resolve()))

    def test_near_misses_are_explained(self):
        self.write("train.py", TRAIN)
        self.write("job.yml", "function: train:main\n")
        self.write("book.ipynb", "{}")
        self.write("sub/x.txt", "")
        self.refused("train", says=["no such file", "to run the script: kinetic run train.py"])
        self.refused(says=["this folder has no job.yaml", "kinetic run job.yml"])
        self.refused("book.ipynb", says=["is a notebook, not a job file", "jupyter nbconvert --to script book.ipynb"])
        self.refused("jbo.yml", says=["cannot read jbo.yml: no such file", "hint: did you mean 'job.yml'?"])
        self.refused("sub/y.yaml", says=["cannot read sub/y.yaml: no such file", "'kinetic init' writes a job.yaml"])
        self.refused("trian.py", says=["cannot run trian.py: no such file", "hint: did you mean 'train.py'?"])
        self.inside("sub")
        self.refused("../train:main", says=["to run the function: cd .. && kinetic run train:main"])
        self.write("wrong.yaml", "functon: train:main\n")
        done = self.run_kinetic("run", "wrong.yaml", code=2)
        self.assertIn("did you mean function?", done.stderr)
        self.assertNotIn("nothing to run", done.stderr)

    def test_interactive_jobs_are_refused(self):
        for option in ("-it", "-i", "--tty"):
            self.refused(option, "--", "python3", says=[f"{option}: interactive jobs are not supported yet"])
        self.refused("-m", "train", says=["modules are run as commands: kinetic run -- python3 -m MODULE"])


class Init(RunCase):
    def test_script(self):
        self.write("train.py", "import torch\n" + TRAIN)
        self.write("test_train.py", "def main(): pass\n")
        self.write("requirements.txt", "")
        done = self.run_kinetic("init")
        self.assertIn('wrote job.yaml: run: python3 train.py', done.stderr)
        text = (self.work / "job.yaml").read_text()
        for part in ('run: "python3 train.py"', "requirements.txt", "imports torch", "# accelerator: "):
            self.assertIn(part, text)
        self.assertIn("python3 train.py", self.run_kinetic("run", "--dry-run").stdout)

    def test_function_runs_as_written(self):
        self.write("work.py", "import os\n\ndef _helper(): pass\n\ndef estimate(): return 7\n")
        self.run_kinetic("init")
        self.assertEqual(self.json("run")["value"], 7)

    def test_function_that_the_file_does_not_define(self):
        self.write("work.py", "def first(): pass\ndef second(): pass\n")
        done = self.run_kinetic("init", "work:nope")
        self.assertIn("warning: work.py does not define nope; it defines first, second", done.stderr)

    def test_required_arguments_are_to_be_filled_in(self):
        self.write("work.py", "def train(path: dict[str, int],  # of files\n          rate, *more, mode='a, b', last, **rest"
                   "): return rate\n")
        done = self.run_kinetic("init")
        self.assertIn("the function requires path, rate, last; set them under args in job.yaml\n", done.stderr)
        self.assertTrue(done.stderr.endswith("to run it: kinetic run\n"))
        text = (self.work / "job.yaml").read_text()
        self.assertIn("\n# args: {path: VALUE, rate: VALUE, last: VALUE}\n", text)
        (self.work / "job.yaml").write_text(text.replace("# args: ", "args: ").replace("VALUE", "5"))
        self.assertEqual(self.json("run")["value"], 5)

    def test_home_directory_is_refused(self):
        self.write("train.py", TRAIN)
        done = self.run_kinetic("init", env={"HOME": str(self.work)}, code=2)
        self.assertIn("a job cannot run in the home directory", done.stderr)
        self.assertFalse((self.work / "job.yaml").exists())

    def test_function_in_src(self):
        self.write("src/pkg/__init__.py", "")
        self.write("src/pkg/train.py", "def train(rate): return rate\n")
        self.write("src/other/notes.py", "def train(): return 0\n")
        done = self.run_kinetic("init")
        self.assertIn("wrote job.yaml: function: pkg.train:train", done.stderr)
        self.assertIn("the function requires rate; set it under args in job.yaml", done.stderr)
        self.assertEqual(self.json("run", "--arg", "rate=3")["value"], 3)

    def test_script_in_src(self):
        self.write("src/train.py", "print('ran')\nif __name__ == '__main__': pass\n")
        self.run_kinetic("init")
        self.assertEqual(self.run_kinetic("run").stdout, "ran\n")

    def test_script_in_a_subfolder(self):
        self.write("scripts/run.py", TRAIN)
        done = self.run_kinetic("init", "./scripts/run.py")
        self.assertIn("wrote job.yaml: run: python3 scripts/run.py", done.stderr)
        self.assertEqual(self.run_kinetic("run").stdout, "work []\n")

    def test_named_work(self):
        self.write("a.py", "def f(): return 1\n")
        self.write("b.py", "def g(): return 2\ndef h(): return 3\n")
        self.run_kinetic("init", "b:h")
        self.assertEqual(self.json("run")["value"], 3)

    def test_never_overwrites(self):
        self.write("a.py", "def f(): return 1\n")
        self.write("job.yaml", "run: ls\n")
        self.assertIn("already has a job.yaml", self.run_kinetic("init", code=2).stderr)
        self.assertEqual((self.work / "job.yaml").read_text(), "run: ls\n")

    def test_nothing_found(self):
        self.assertIn("no Python file found here", self.run_kinetic("init", code=2).stderr)
        self.assertFalse((self.work / "job.yaml").exists())


class Folder(RunCase):
    def setUp(self):
        super().setUp()
        self.write("pyproject.toml", "[project]\nname = 'x'\nversion = '1'\n")
        self.write("sub/s.py", "import os; print(os.path.basename(os.getcwd()), os.environ['PWD'][-8:])\n")
        self.write("sub/data.txt", "x\n")

    def test_command_runs_in_the_callers_folder(self):
        self.write("sub/job.yaml", "run: cat data.txt\n")
        self.inside("sub")
        self.assertEqual(self.run_kinetic("run", "--", "python3", "s.py").stdout, "sub work/sub\n")
        plan = self.run_kinetic("run", "--dry-run", "--", "python3", "s.py")
        self.assertRegex(plan.stdout, r"in folder +sub\n")
        self.assertEqual(json.loads(self.run_kinetic("run", "--dry-run", "--json", "s.py").stdout)["record"]["spec"]["workdir"], "sub")
        self.work = self.work.parent
        self.assertEqual(self.run_kinetic("run", "sub/job.yaml").stdout, "x\n")
        self.assertEqual(self.run_kinetic("run", "sub/job.yaml", "--", "cat", "sub/data.txt").stdout, "x\n")

    def test_workdir_of_the_job_file(self):
        self.write("jobs/a.yaml", "run: cat data.txt\nworkdir: sub/\n")
        self.assertEqual(self.run_kinetic("run", "jobs/a.yaml").stdout, "x\n")
        self.write("jobs/b.yaml", "run: ls\nworkdir: .\n")
        self.assertEqual(self.run_kinetic("run", "jobs/b.yaml").stdout, "jobs\npyproject.toml\nsub\n")
        self.assertNotIn("workdir", self.json("run", "jobs/b.yaml", "--dry-run")["record"]["spec"])
        self.write("jobs/c.yaml", "run: ls\nworkdir: sbu\n")
        self.assertIn("c.yaml:2:10: workdir: found sbu, which is not a folder of the bundle; did you mean sub?",
                      self.run_kinetic("run", "jobs/c.yaml", code=2).stderr)
        for path in ("/tmp", "../x", "a/../../x"):
            self.write("jobs/c.yaml", f"run: ls\nworkdir: {path}\n")
            self.assertIn("c.yaml:2:10: workdir: found", self.run_kinetic("run", "jobs/c.yaml", code=2).stderr)

    def test_excluded_folder_is_empty(self):
        self.write(".gitignore", "/build/\n")
        self.inside("build")
        self.write("x.txt", "")
        done = self.run_kinetic("run", "--", "ls")
        self.assertEqual(done.stdout, "")
        self.assertIn("the job's folder build is excluded from the bundle", done.stderr)

    def test_hint_on_an_excluded_file(self):
        self.write(".gitignore", "/data/\n")
        self.write("data/a.csv", "1\n")
        self.write("work.py", "def main(path):\n    return open(path).read()\n")
        excluded = self.run_kinetic("run", "work:main", "--arg", "path=data/a.csv", code=None).stderr
        self.assertIn("hint: data/a.csv exists here, but an ignore rule excludes it from the bundle", excluded)
        self.write(".gitignore", "/data/\n/utils.py\n")
        self.write("utils.py", "")
        self.write("other.py", "def main():\n    import utils\n")
        module = self.run_kinetic("run", "-q", "other:main", code=None).stderr
        self.assertIn("hint: utils.py exists here, but an ignore rule excludes it from the bundle", module)
        absent = self.run_kinetic("run", "work:main", "--arg", "path=data/b.csv", code=None).stderr
        self.assertIn("FileNotFoundError", absent)
        self.assertNotIn("hint:", absent)

    def test_function_imports_from_its_folder_and_the_root(self):
        self.write("top.py", "X = 1\n")
        self.write("sub/near.py", "Y = 2\n")
        self.write("sub/work.py", "import top, near, os\ndef main(): return [top.X, near.Y, open('data.txt').read()]\n")
        self.write("sub/f.yaml", "function: work:main\n")
        self.assertEqual(self.json("run", "sub/f.yaml")["value"], [1, 2, "x\n"])
        self.write("f.yaml", "function: work:main\n")
        self.assertIn("work.py is in sub; to run the job in that folder, set workdir: sub",
                      self.run_kinetic("run", "f.yaml", code=2).stderr)
        self.assertEqual(self.json("run", "f.yaml", "--set", "workdir=sub")["value"], [1, 2, "x\n"])


class Checks(RunCase):
    def test_existing_id_and_empty_name(self):
        self.run_kinetic("run", "--id", "once", "--", "sh", "-c", "exit 9", code=9)
        again = self.run_kinetic("run", "--id", "once", "--", "sh", "-c", "exit 9", code=9)
        self.assertIn("job once already exists (failed); nothing was submitted\n", again.stderr)
        self.assertIn("the name of the job file is empty", self.run_kinetic("run", "", code=2).stderr)

    def test_misspelt_argument(self):
        self.write("work.py", "def train(epochs=1, rate=0.1): return epochs\n")
        self.write("job.yaml", "function: work:train\nargs: {epohcs: 3}\n")
        message = "job.yaml:2:16: args.epohcs: train has no parameter epohcs; did you mean epochs?"
        for more in ([], ["--dry-run"]):
            self.refused("job.yaml", *more, says=[message, "work.py:1: def train(epochs=1, rate=0.1)"])
        self.refused("work:train", "--arg", "epohcs=3", says=["error: --arg epohcs: train has no parameter"])

    def test_suggested_arguments_can_be_passed(self):
        self.write("work.py", "def train(path, /, epochs=1, *, epoch=2): return epochs\n")
        self.refused("work:train", "--arg", "path=1", says=[
            "--arg path: train takes path by position only", "--set 'args=[1, 2]'"])
        self.refused("work:train", "--arg", "epochs=1", "--arg", "epohcs=1", says=["did you mean epoch?"])

    def test_script_outside_of_the_bundle(self):
        self.write("here/job.yaml", "run: [python3, ../other/work.py]\nbundle: {root: .}\n")
        self.write("other/work.py", "print('ran')\n")
        self.refused("here", says=["cannot run ../other/work.py: it is outside of the bundle's root ", "--root"])
        self.inside("here")
        self.refused("--root", ".", "../other/work.py", says=["cannot run ../other/work.py: it is outside of"])
        self.assertEqual(self.run_kinetic("run", "--root", "..", "../other/work.py").stdout, "ran\n")

    def test_script_outside_of_the_jobs_folder(self):
        self.write("work.py", "print('ran')\n")
        self.write("other/x.txt", "")
        self.refused("--root", "other", "work.py", says=[
            "cannot run work.py: it is not in ", "/other, the job's folder", "`workdir`"])
        self.refused("--set", "workdir=other", "work.py", says=["it is not in ", "/other, the job's folder"])

    def test_syntax_error_in_a_script(self):
        self.write("sub/work.py", "print('ran')\nif True\n    pass\n")
        self.refused("sub/work.py", says=["error: sub/work.py:2:", "if True"])
        self.write("sub/work.py", "print('ran')\n")
        self.assertEqual(self.run_kinetic("run", "sub/work.py").stdout, "ran\n")

    def test_excluded_script(self):
        self.write(".gitignore", "/work.py\n")
        self.write("work.py", "print('ran')\n")
        self.refused("work.py", says=["cannot run work.py: it is excluded from the bundle", "kinetic bundle ls"])

    def test_link_to_a_script_outside_of_the_bundle(self):
        self.write("../other.py", "print('ran')\n")
        (self.work / "work.py").symlink_to("../other.py")
        self.refused("work.py", says=["cannot run work.py: a link leads to ", "/other.py, outside of the bundle",
                                      "select a root that contains both with --root"])

    def test_script_in_a_linked_folder(self):
        self.write("src/scripts/work.py", "print('ran')\n")
        (self.work / "scripts").symlink_to("src/scripts")
        self.assertEqual(self.run_kinetic("run", "scripts/work.py").stdout, "ran\n")

    def test_shell_stops_at_the_first_failure(self):
        self.write("job.yaml", "run: |\n  echo one\n  false\n  echo two\n")
        self.assertEqual(self.run_kinetic("run", code=1).stdout, "one\n")

    def test_unavailable_accelerator_is_rejected(self):
        self.write("job.yaml", "run: echo ran\naccelerator: gpu-a100\n")
        for more in (["-q"], ["--dry-run"]):
            self.refused("job.yaml", *more, says=["job.yaml:2:14: accelerator: the local target has no gpu-a100",
                                                  "--accelerator cpu", "kinetic profile create"])
        self.assertEqual(self.run_kinetic("run", "job.yaml", "--accelerator", "cpu").stdout, "ran\n")
        alternatives = ("--accelerator", "cpu", "--accelerator", "l4")
        self.assertRegex(self.run_kinetic("run", "job.yaml", *alternatives, "--dry-run").stdout,
                         "accelerator +cpu, gpu-l4\n")
        done = self.run_kinetic("run", "job.yaml", "--set", "accelerator=[gpu-a100, cpu]")
        self.assertEqual(done.stdout, "ran\n")
        job = self.json("ps")[0]["id"]
        self.assertEqual(self.json("status", job)["accelerator"], "gpu-a100, cpu")
        self.assertIn("gpu-a100, cpu\n", self.run_kinetic("status", job).stdout)

    def test_image_is_not_used_here(self):
        self.write("job.yaml", "run: echo ran\nimage: ghcr.io/org/train:1.4\n")
        done = self.run_kinetic("run")
        self.assertEqual(done.stdout, "ran\n")
        self.assertIn("image is ignored: ", done.stderr)

    def test_unmasked_and_missing_secrets_are_warned_of(self):
        self.write("x.txt", "")
        done = self.run_kinetic("run", "--secret", "PIN", "--secret", "WAND_*", "--", "true", env={"PIN": "123"})
        self.assertIn("the secret PIN has fewer than 4 characters: it is not masked", done.stderr)
        self.assertIn("secrets: no environment variable matches WAND_*", done.stderr)
        done = self.run_kinetic("run", "--secret", "PI*", "--", "true", env={"PIN": "12345678"})
        self.assertNotIn("warning", done.stderr)

    def test_bundle_warnings_are_shown_once_per_project(self):
        self.write(".env", "A=1\n")
        (self.work / "out").symlink_to("/etc/hostname")
        expected = [".env is bundled, but its name looks like a secret",
                    "the link out -> /etc/hostname points outside the bundle and is left out"]
        for command in (["run", "--dry-run", "--", "ls"], ["run", "--", "ls"]):
            shown = self.run_kinetic(*command).stderr
            for text in expected:
                self.assertEqual(shown.count(text), 1, shown)
        again = self.run_kinetic("run", "--", "ls")
        self.assertNotIn("warning", again.stderr)
        self.assertEqual(again.stdout, "")
        self.write("job.yaml", "run: cat\nargs: [{$path: out}]\n")
        self.assertIn("found $path out, which is excluded from the bundle",
                      self.run_kinetic("run", "job.yaml", code=2).stderr)

    def test_misspelt_data_path(self):
        self.write("set/a.csv", "1\n")
        self.write("job.yaml", "run: cat\nargs: [{$path: /daat/a.csv}]\ndata: {/data: ./set}\n")
        self.refused("job.yaml", says=["did you mean /data/a.csv of `data`?"])


class MountedData(RunCase):
    """Data at an absolute path without a `$path` argument."""

    def setUp(self):
        super().setUp()
        self.write("set/a.csv", "1\n")

    def test_data_is_mounted_only_for_the_job(self):
        self.write("job.yaml", "run: cat /kinetic-test-data/deep/a.csv; test -e /usr/bin; pwd\n"
                               "data: {/kinetic-test-data/deep: ./set, /srv: ./set}\n")
        done = self.run_kinetic("run")
        self.assertEqual(done.stdout.splitlines()[0], "1")
        self.assertTrue(done.stdout.endswith("/work\n"), done.stdout)
        self.assertFalse(os.path.exists("/kinetic-test-data"))
        self.write("job.yaml", "run: [cat, /srv/a.csv]\ndata: {/srv: ./set}\n")
        self.assertEqual(self.run_kinetic("run").stdout, "1\n")
        self.assertFalse(os.path.exists("/srv/a.csv"))

    def test_missing_mount_point(self):
        self.write("job.yaml", "run: ls\ndata: {/usr/no-such-folder: ./set}\n")
        self.refused("job.yaml", says=["data./usr/no-such-folder: this machine has no /usr/no-such-folder",
                                       "{$path: /usr/no-such-folder}"])


if __name__ == "__main__":
    unittest.main()
