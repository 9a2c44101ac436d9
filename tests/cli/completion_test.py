"""Tests completion: what the program offers, and that shells can parse the scripts."""

import shutil
import socket
import subprocess
import unittest

from harness import KINETIC, Case


class Completion(Case):
    def offered(self, *words):
        lines = self.run_kinetic("__complete", "--", *words).stdout.splitlines()
        return [line.split("\t")[0] for line in lines]

    def test_commands_and_options(self):
        self.assertIn("run", self.offered(""))
        self.assertEqual(self.offered("at"), ["attach"])
        self.assertEqual(self.offered("bundle", ""), ["ls", "diff"])
        self.assertIn("--state-dir", self.offered("ps", "--sta"))
        self.assertEqual(self.offered("ps", "--color", "a"), ["auto", "always"])
        self.assertNotIn("__complete", self.offered(""))
        self.assertEqual(self.offered("help", "at"), ["attach"])
        self.assertEqual(self.offered("help", "bundle", ""), ["ls", "diff"])
        self.assertEqual(self.offered("help", "nothing", ""), [])

    def test_jobs_profiles_and_data_sets(self):
        self.run_kinetic("profile", "create", "fast")
        self.assertEqual(self.offered("ps", "--target", ""), ["local", "fast"])
        self.assertIn("v5litepod-4", self.offered("run", "--accelerator", "v5l"))
        self.assertEqual(self.offered("run", ""), [":files"])
        self.assertEqual(self.offered("run", "train.py", "d"), [":files"])
        self.assertEqual(self.offered("run", "--store", ""), [":folders"])
        self.assertEqual(self.offered("logs", ""), [])

    def test_keys_of_the_job_file(self):
        self.assertEqual(self.offered("run", "--set", "resources.m"), ["resources.memory="])
        self.assertIn("spot=", self.offered("run", "--set", ""))
        self.assertIn("bundle.root=", self.offered("run", "--set", "bundle."))

    def test_settings(self):
        self.assertEqual(self.offered("config", "get", "st"), ["store", "state_dir", "storage_endpoint"])
        self.assertIn("target", self.offered("config", "set", ""))
        self.assertNotIn("config", self.offered("config", "unset", ""))
        self.assertEqual(self.offered("config", "get", "store", ""), [])

    def test_unresponsive_store_offers_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            done = self.run_kinetic("__complete", "--", "logs", "", env={
                "KINETIC_STORE": "gs://bucket", "STORAGE_EMULATOR_HOST": "127.0.0.1:%d" % silent.getsockname()[1]})
        self.assertEqual(done.stdout, "")

    def test_bash(self):
        script = f"""
            PATH={KINETIC.rsplit('/', 1)[0]}:$PATH
            source <(kinetic completion bash)
            COMP_WORDS=(kinetic bundle d) COMP_CWORD=2
            _kinetic
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "--norc", "-c", script], env=self.environment(), text=True,
                              capture_output=True)
        self.assertEqual((done.stdout, done.stderr), ("diff\n", ""))

    def test_every_shell_has_a_script(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_kinetic("completion", shell).stdout
            self.assertIn("__complete", script)
            if shutil.which(shell):
                checked = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True)
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertIn("expected one of bash, zsh, fish", self.run_kinetic("completion", "tcsh", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
