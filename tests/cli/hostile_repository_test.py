"""Tests that nothing in a repository's configuration runs on the client."""

import base64
import os
import subprocess
import unittest

from harness import JobCase
from package_index import PackageIndex, module

# Each option runs a program when git does something that a client could ask it for.
PROGRAM_OPTIONS = (
    "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy",
    "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "diff.evil.command",
    "diff.external", "merge.evil.driver", "credential.helper", "gpg.program", "pager.status", "pager.log",
    "sequence.editor", "uploadpack.packObjectsHook", "remote.origin.uploadpack", "interactive.diffFilter",
)
HOOKS = ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman", "reference-transaction")


class HostileRepository(JobCase):
    def setUp(self):
        super().setUp()
        self.marker = self.home / "marker"
        self.evil = self.script(self.home / "evil", "evil")
        self.write("work.py", "def main():\n    return 1\n")
        self.write("job.yaml", "function: work:main\n")
        self.write("data.bin", "data")
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        self.plant()

    def script(self, path, says):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {says} >> '{self.marker}'\ncat\nexit 0\n")
        path.chmod(0o755)
        return path

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *words],
                       cwd=self.work, env=self.environment(), check=True, stdin=subprocess.DEVNULL)

    def plant(self):
        """Makes the repository one that runs `evil` at every occasion."""
        attributes = "* filter=evil diff=evil merge=evil\n"
        (self.work / ".git/info").mkdir(exist_ok=True)
        (self.work / ".git/info/attributes").write_text(attributes)
        self.write(".gitattributes", attributes)
        for name in HOOKS:
            self.script(self.work / ".git/hooks" / name, name)
        for folder in (self.work / ".git/config", self.home / "included"):
            with open(folder, "a", encoding="utf-8") as file:
                for option in PROGRAM_OPTIONS:
                    section, _, key = option.rpartition(".")
                    name, _, sub = section.partition(".")
                    file.write(f'[{name} "{sub}"]\n' if sub else f"[{name}]\n")
                    file.write(f"\t{key} = {self.evil}\n")
                file.write(f"[alias]\n\tstatus = !{self.evil}\n")
        with open(self.work / ".git/config", "a", encoding="utf-8") as file:
            file.write(f"[include]\n\tpath = {self.home / 'included'}\n")
        os.utime(self.work / "work.py", (1, 1))  # so that git would read the content

    def test_configuration_is_one_that_git_would_run(self):
        subprocess.run(["git", "status"], cwd=self.work, env=self.environment(), stdin=subprocess.DEVNULL,
                       capture_output=True, check=False)
        self.assertTrue(self.marker.exists())

    def test_no_command_runs_it(self):
        commands = [("run", "--dry-run", "job.yaml"), ("bundle", "ls", "job.yaml"), ("run", "job.yaml"),
                    ("bundle", "diff", "job.yaml"), ("data", "put", "data.bin")]
        for command in commands:
            with self.subTest(command=command):
                self.run_kinetic(*command)
                self.assertFalse(self.marker.exists(), command)

    def test_no_command_runs_git(self):
        self.script(self.home / "bin/git", "git")
        path = f"{self.home / 'bin'}:{os.environ['PATH']}"
        for command in (("run", "--dry-run", "job.yaml"), ("bundle", "ls", "job.yaml"), ("run", "job.yaml")):
            with self.subTest(command=command):
                self.run_kinetic(*command, env={"PATH": path})
                self.assertFalse(self.marker.exists(), command)


class VariablesInUrls(JobCase):
    """A repository does not choose which variables of the caller are sent to its servers."""

    def setUp(self):
        super().setUp()
        self.index = PackageIndex(module("tiny", "1.0"))
        self.addCleanup(self.index.close)
        self.write("work.py", "def main():\n    return 1\n")
        self.write("job.yaml", "function: work:main\n")

    def refuse(self, *files):
        for name, text in files:
            self.write(name, text)
        for command in (("lock",), ("run",), ("run", "--dry-run"), ("env", "explain")):
            with self.subTest(command=command, text=files[-1][1]):
                done = self.run_kinetic(*command, "job.yaml", env={"KEY": "s3cret-value"}, code=2)
                self.assertIn("the URL would send the environment variable KEY, which the job does not list", done.stderr)
                self.assertIn("add it to `secrets` in the job file", done.stderr)
        self.assertEqual(self.index.requests, [])

    def test_no_file_sends_a_variable(self):
        host = self.index.place
        for line in (f"--index-url http://{host}/${{KEY}}", f"--extra-index-url http://{host}?key=${{KEY}}",
                     f"--find-links http://{host}/${{KEY}}", f"tiny @ http://{host}/${{KEY}}/tiny.tar.gz",
                     f"tiny @ http://u:${{KEY}}@{host}/tiny.tar.gz", "--index-url ${KEY}"):
            self.refuse(("requirements.txt", line + "\ntiny\n"))
        self.refuse(("more.txt", f"tiny @ http://{host}/${{KEY}}/t.tar.gz\n"), ("requirements.txt", "-c more.txt\ntiny\n"))
        (self.work / "requirements.txt").unlink()
        project = "[project]\nname = 'p'\nversion = '1'\ndependencies = ['tiny']\n"
        for more in (f"[[tool.uv.index]]\nurl = 'http://{host}/${{KEY}}'\n",
                     f"[tool.uv]\nconstraint-dependencies = ['tiny @ http://{host}/${{KEY}}/t.zip']\n"):
            self.refuse(("pyproject.toml", project + more))

    def test_no_lock_sends_a_variable(self):
        host = self.index.place.removesuffix("/simple")
        self.write("pyproject.toml", "[project]\nname = 'p'\nversion = '1'\ndependencies = ['tiny']\n")
        self.write("uv.lock", "version = 1\n[[package]]\nname = 'p'\nversion = '1'\nsource = { virtual = '.' }\n"
                   "dependencies = [{ name = 'tiny' }]\n[[package]]\nname = 'tiny'\nversion = '1.0'\n"
                   f"source = {{ url = 'http://{host}/${{KEY}}/tiny-1.0-py3-none-any.whl' }}\n"
                   f"wheels = [{{ hash = 'sha256:{'0' * 64}' }}]\n")
        self.run_kinetic("run", "job.yaml", env={"KEY": "s3cret-value"}, code=None)
        self.assertNotIn("s3cret-value", str(self.index.requests))

    def test_credentials_and_listed_variables_are_sent(self):
        login = base64.b64encode(b"ana:s3cret-value").decode()
        self.write("requirements.txt", f"--index-url http://ana:${{KEY}}@{self.index.place}\ntiny\n")
        self.run_kinetic("run", "job.yaml", env={"KEY": "s3cret-value"})
        self.assertIn(f"Basic {login}", [credentials for _, credentials in self.index.requests])
        self.write("job.yaml", "function: work:main\nsecrets: [KEY]\n")
        self.write("requirements.txt", f"--index-url http://{self.index.place}/${{KEY}}/\ntiny\n")
        self.run_kinetic("lock", "job.yaml", env={"KEY": "s3cret-value"}, code=None)
        self.assertIn("/simple/s3cret-value/tiny/", [path for path, _ in self.index.requests])


class DeepText(JobCase):
    """Nesting in a repository's files does not exhaust the stack."""

    def test_dotted_keys(self):
        deep = "a." * 100_000 + "b"
        self.write("w.py", "def main(): pass\n")
        project = "[project]\nname = 'x'\nversion = '1'\n"
        for name, text in (("pyproject.toml", project + deep + " = 1\n"), ("pyproject.toml", f"{project}[{deep}]\n"),
                           ("w.py", f"# /// script\n# dependencies = []\n# {deep} = 1\n# ///\ndef main(): pass\n")):
            self.write(name, text)
            for command in (("run", "--dry-run"), ("lock",), ("env", "explain")):
                with self.subTest(name=name, command=command):
                    done = self.run_kinetic(*command, "w:main", code=2)
                    self.assertIn("a key has more than 256 dots", done.stderr)
            self.write("pyproject.toml", project)

    def test_nested_code_and_lists(self):
        self.write("w.py", "def main(): return " + "(" * 100_000 + ")" * 100_000 + "\n")
        self.assertIn(self.run_kinetic("run", "--dry-run", "w:main", code=None).returncode, (0, 2))
        self.write("job.yaml", "run: 'true'\nargs: " + "[" * 100_000 + "\n")
        self.run_kinetic("run", "--dry-run", "job.yaml", code=2)


if __name__ == "__main__":
    unittest.main()
