"""Tests that nothing in a repository's configuration runs on the client."""

import os
import subprocess
import unittest

from harness import JobCase

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


if __name__ == "__main__":
    unittest.main()
