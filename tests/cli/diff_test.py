"""Tests kinetic diff."""

import shutil
import subprocess
import unittest

from harness import JobCase
from package_index import PackageIndex, module


class Diff(JobCase):
    def job(self, *options, env=None):
        job = self.run_kinetic("run", "--detach", "job.yaml", *options, env=env).stdout.strip()
        self.run_kinetic("wait", job)
        return job

    def project(self):
        self.write("work.py", "def main(epochs=1, rates=()):\n    return epochs\n")
        self.write("job.yaml", "function: work:main\nargs: {epochs: 1}\n")

    def test_same_job(self):
        self.project()
        one, two = self.job(), self.job()
        said = self.json("diff", one, two)
        self.assertEqual((said["before"]["id"], said["now"]["id"]), (one, two))
        for part in ("job", "arguments", "code", "packages", "variables", "secrets", "data"):
            self.assertEqual(said[part], [], part)
        self.assertIn("run", [each["phase"] for each in said["durations"]])
        shown = self.run_kinetic("diff", one, two).stdout
        self.assertIn("the same code, packages, arguments, variables, data and job file\n", shown)
        self.assertIn("PHASE", shown)

    def test_changed_lines(self):
        self.project()
        self.write("data.bin", "a\0b")
        self.write("gone.txt", "x\n")
        lines = [f"line {n}" for n in range(20)]
        self.write("long.txt", "\n".join(lines))
        one = self.job()
        self.write("work.py", "def main(epochs=1, rates=()):\n    # twice\n    return epochs * 2\n")
        self.write("data.bin", "a\0c")
        (self.work / "gone.txt").unlink()
        lines[2] = "changed 2"
        self.write("long.txt", "\n".join(lines) + "\nend")
        two = self.job()
        self.assertNotIn("@@", self.run_kinetic("diff", one, two).stdout)
        shown = self.run_kinetic("diff", one, two, "--code").stdout
        self.assertIn("--- a/work.py\n+++ b/work.py\n@@ -1,2 +1,3 @@\n def main(epochs=1, rates=()):\n-    return epochs\n"
                      "+    # twice\n+    return epochs * 2\n", shown)
        self.assertIn("--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", shown)
        self.assertNotIn("a/data.bin", shown)
        patch = shown[shown.index("--- a/gone.txt"):]
        subprocess.run(["patch", "-R", "-p1", "-s"], input=patch, text=True, cwd=self.work, check=True)
        self.assertEqual((self.work / "long.txt").read_text(), "\n".join(f"line {n}" for n in range(20)))
        self.assertEqual((self.work / "work.py").read_text(), "def main(epochs=1, rates=()):\n    return epochs\n")
        said = {each["path"]: each["lines"] for each in self.json("diff", one, two, "--code")["code"]}
        self.assertEqual((said["data.bin"], said["gone.txt"]), (None, "@@ -1 +0,0 @@\n-x\n"))

    def test_everything_differs(self):
        self.project()
        self.write("old.py", "1")
        self.write("set/a.csv", "1")
        data = "data: {/set: ./set}\nbundle: {exclude: [/set]}\n"
        self.write("job.yaml", "function: work:main\nargs: {epochs: 1}\n" + data)
        one = self.job("--env", "GONE=1", "--env", "KEPT=1", "--env", "MODE=quiet")
        (self.work / "old.py").unlink()
        self.write("new.py", "12")
        self.write("work.py", "def main(epochs=1, rates=()):\n    return epochs + 1\n")
        self.write("set/a.csv", "2")
        two = self.job("--arg", "epochs=2", "--arg", "rates=[0.1]", "--env", "KEPT=1", "--env", "MODE=hunter2",
                       "--memory", "1Gi", "--secret", "TOKEN", env={"TOKEN": "correct-horse"})
        said = self.json("diff", one, two)
        self.assertEqual([(each["change"], each["path"], each["bytes_before"], each["bytes_now"])
                          for each in said["code"]],
                         [("added", "new.py", None, 2), ("removed", "old.py", 1, None),
                          ("modified", "work.py", 48, 52)])
        self.assertEqual(said["arguments"], [{"name": "epochs", "before": 1, "now": 2},
                                             {"name": "rates", "before": None, "now": [0.1]}])
        self.assertEqual(said["variables"], [{"change": "removed", "name": "GONE"},
                                             {"change": "modified", "name": "MODE"}])
        self.assertEqual(said["secrets"], [{"change": "added", "name": "TOKEN"}])
        self.assertEqual(said["data"], [{"change": "modified", "name": "/set"}])
        self.assertIn({"name": "resources.memory", "before": None, "now": str(1 << 30)}, said["job"])
        done = self.run_kinetic("diff", one, two)
        for text in ("Code\n  + new.py   2 B\n", "  - old.py   1 B\n", "  ~ work.py  48 B -> 52 B\n",
                     "Arguments\n  ~ epochs  1 -> 2\n  + rates   [0.1]\n",
                     "Environment variables\n  - GONE\n  ~ MODE\n", "Secrets\n  + TOKEN\n",
                     "Data\n  ~ /set\n", "resources.memory  1.0 GiB\n"):
            self.assertIn(text, done.stdout)
        for hidden in ("hunter2", "quiet", "correct-horse"):
            self.assertNotIn(hidden, done.stdout + done.stderr)
            self.assertNotIn(hidden, str(said))

    def test_long_values_that_differ_at_the_end(self):
        beginning = "echo " + " ".join(["é" * 20] * 6)
        ids = [self.run_kinetic("run", "--detach", "--", "sh", "-c", f"{beginning} {end}").stdout.strip()
               for end in ("one", "two")]
        self.assertRegex(self.run_kinetic("diff", *ids).stdout, "~ run  [.]{3}é+ one -> [.]{3}é+ two\n")

    def test_options_of_a_command(self):
        ids = [self.run_kinetic("run", "--detach", "--", "echo", "a", "--epochs", *words).stdout.strip()
               for words in (("2",), ("1",), ("1", "b"))]
        self.assertIn("Arguments\n  ~ --epochs  2 -> 1\n", self.run_kinetic("diff", *ids[:2]).stdout)
        self.assertIn("Job\n  + run  b\n", self.run_kinetic("diff", *ids[1:]).stdout)

    def test_packages(self):
        index = PackageIndex(module("one", "1.0"), module("one", "2.0"), module("two", "1.0"))
        self.addCleanup(index.close)
        self.project()
        before = self.job()
        self.write("requirements.txt", index.lines + "one==1.0\n")
        one = self.job()
        self.write("requirements.txt", index.lines + "one==2.0\ntwo\n")
        two = self.job()
        self.assertEqual(self.json("diff", before, one)["packages"],
                         [{"name": "one", "before": None, "now": "1.0"}])
        self.assertEqual(self.json("diff", one, two)["packages"],
                         [{"name": "one", "before": "1.0", "now": "2.0"},
                          {"name": "two", "before": None, "now": "1.0"}])
        self.assertIn("Packages\n  ~ one  1.0 -> 2.0\n  + two  1.0\n", self.run_kinetic("diff", one, two).stdout)
        shutil.rmtree(self.home / ".local/share/kinetic/store/locks")
        done = self.run_kinetic("diff", one, two)
        self.assertIn(f"warning: cannot compare the packages: the store no longer has the lock of job {one}",
                      done.stderr)
        self.assertNotIn("the same code", done.stdout)

    def test_code_that_is_gone(self):
        self.project()
        one = self.job()
        self.write("new.py", "1")
        two = self.job()
        shutil.rmtree(self.home / ".local/share/kinetic/store/trees")
        done = self.run_kinetic("diff", one, two, code=120)
        self.assertIn(f"error: cannot compare job {one}: the store no longer has its code\n", done.stderr)

    def test_unknown_job(self):
        one = self.submit("true")
        self.assertIn("does not exist", self.run_kinetic("diff", one, "nope", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
