"""Tests local jobs with a store in a bucket, against stand-ins for Google's servers."""

import json
import os
import pathlib
import shutil
import signal
import sys
import unittest

TOKEN_SERVER = os.path.abspath(sys.argv.pop(2))
GCS_SERVER = os.path.abspath(sys.argv.pop(2))
from harness import JobCase
from servers import Program, TokenServer

STORE = "gs://my-bucket/kinetic"


class Cloud(JobCase):
    def setUp(self):
        super().setUp()
        # Tokens expire at once. A supervisor that could not renew its token would fail.
        self.tokens = TokenServer(self, TOKEN_SERVER, "--lifetime", "0")
        taken = [word for number in range(1, 500) for word in ("--token", f"token-{number}")]
        self.storage = Program(self, GCS_SERVER, "--bucket", "my-bucket", "--token", "given", *taken)
        (self.home / "user.json").write_text(json.dumps(self.tokens.user))
        self.config = self.home / ".config/kinetic/config.yaml"
        self.config.parent.mkdir(parents=True)
        self.config.write_text(f"""
target: cloud
profiles:
  cloud:
    store: {STORE}
    storage_endpoint: {self.storage.line}
    credentials: {self.home}/user.json
    local_token_services: yes
    metadata_host: none
""")

    def state_folder(self, job):
        return self.home / ".local/state/kinetic/jobs" / job

    def test_job_stores_everything_in_bucket(self):
        done = self.run_kinetic("run", "--trace", "trace.jsonl", "--", "echo", "hello")
        self.assertEqual(done.stdout, "hello\n")
        self.assertNotIn("cannot renew", done.stderr)
        traced = (self.work / "trace.jsonl").read_text()
        self.assertIn(f"{self.tokens.url}/token", traced)
        self.assertIn("kinetic%2Fjobs%2F", traced)
        for secret in ("1//refresh", "s/e+c&t=", "Bearer", '"token-'):
            self.assertNotIn(secret, traced)
        self.assertFalse((self.home / ".local/share/kinetic/store").exists())

        # Another machine shares only the access to the bucket.
        there = self.home / "another"
        shutil.copytree(self.config.parent, there / ".config/kinetic")
        listed = self.json("ps", "--all", env={"HOME": str(there)})
        self.assertEqual([job["state"] for job in listed], ["succeeded"])
        log = self.run_kinetic("logs", listed[0]["id"], env={"HOME": str(there)})
        self.assertEqual(log.stdout, "hello\n")

    def test_running_job_has_no_secret_on_disk(self):
        gate = self.work / "gate"
        job = self.submit("sh", "-c", f"while ! test -e {gate}; do sleep 0.05; done")
        self.until("the job runs", lambda: self.state(job) == "running")
        read = []
        for path in pathlib.Path(self.home).rglob("*"):
            if path.is_file() and path != self.home / "user.json":
                read.append(path)
                content = path.read_bytes()
                for secret in (b"1//refresh", b"s/e+c&t=", b"token-"):
                    self.assertNotIn(secret, content, path)
        self.assertIn(self.state_folder(job) / "supervisor.json", read)
        gate.touch()
        self.assertEqual(self.run_kinetic("wait", job).returncode, 0)

    def test_supervisor_uses_new_login(self):
        gate = self.work / "gate"
        job = self.submit("sh", "-c", f"while ! test -e {gate}; do sleep 0.05; done; echo done")
        self.until("the job runs", lambda: self.state(job) == "running")
        self.tokens.process.send_signal(signal.SIGUSR1)
        gate.touch()
        status = self.state_folder(job) / "status.json"
        self.until("its supervisor waits for a credential", lambda: "invalid_grant" in status.read_text())
        self.assertIn("user.json was rejected: invalid_grant", self.run_kinetic("status", job, code=120).stderr)
        tokens = TokenServer(self, TOKEN_SERVER, "--lifetime", "0")
        (self.home / "user.json").write_text(json.dumps(tokens.user))
        self.assertEqual(self.run_kinetic("wait", job).returncode, 0)
        self.assertEqual(self.run_kinetic("logs", job).stdout, "done\n")

    def test_job_of_dead_supervisor_is_reconciled_by_client(self):
        job = self.submit("sleep", "1000")
        self.until("the job runs", lambda: self.state(job) == "running")
        pid = json.loads((self.state_folder(job) / "supervisor.json").read_text())["pid"]
        os.kill(pid, signal.SIGKILL)
        (self.home / "user.json").unlink()
        own = {"KINETIC_ACCESS_TOKEN": "given"}
        self.until("the job is reconciled", lambda: self.json("status", job, env=own)["state"] == "lost")

    def test_short_lived_token_causes_a_warning(self):
        done = self.run_kinetic("run", "--", "true", env={"KINETIC_ACCESS_TOKEN": "given"})
        said = [line for line in done.stderr.splitlines() if "cannot renew the access token" in line]
        self.assertEqual(len(said), 1, done.stderr)
        (self.home / "token").write_text("given\n")
        done = self.run_kinetic("run", "--token-file", str(self.home / "token"), "--", "true")
        self.assertIn("keep the file up to date", done.stderr)

    def test_unusable_bucket_is_explained(self):
        done = self.run_kinetic("ps", "--store", "gs://other-bucket", code=2)
        self.assertIn("gs://other-bucket", done.stderr)
        done = self.run_kinetic("ps", env={"KINETIC_ACCESS_TOKEN": "unknown"}, code=120)
        self.assertIn("the access token was rejected", done.stderr)
        (self.home / "user.json").write_text("{}")
        done = self.run_kinetic("ps", code=120)
        self.assertIn("user.json: type", done.stderr)
        self.storage.stop()
        (self.home / "user.json").write_text(json.dumps(self.tokens.user))

    def end_jobs(self):
        if self.storage.process.poll() is None:
            super().end_jobs()


if __name__ == "__main__":
    unittest.main()
