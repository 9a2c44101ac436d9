"""Tests Ctrl-C: it detaches, cancels or exits at once, and never leaves a job in an unclear state."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from harness import KINETIC, JobCase

LOOP = ("sh", "-c", "echo started; while :; do sleep 0.1; done")


class Interrupt(JobCase):
    def following(self, *options):
        """Starts a `run` and waits for the first line of the job. Returns process and job id."""
        process = self.start("run", *options, "--", *LOOP)
        self.assertEqual(process.stdout.readline(), "started\n")
        return process, self.json("ps")[0]["id"]

    def test_sigint_detaches_and_names_attach_command(self):
        process, job = self.following()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn(f"kinetic attach {job}", err)
        self.assertEqual(self.state(job), "running")

    def test_quiet_command_reports_that_it_detached(self):
        process, job = self.following("--quiet")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err.splitlines()[-1]), (-signal.SIGINT, f"detached: job {job} continues"))

    def test_sigterm_detaches(self):
        process, job = self.following()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.state(job), "running")

    def test_sigterm_ends_blocked_client(self):
        os.mkfifo(self.work / "pipe")
        process = self.start("ps", "--trace", "pipe")  # waits for a reader of the pipe
        self.until("the client waiting", lambda: "open" in pathlib.Path(f"/proc/{process.pid}/wchan").read_text()
                   or "wait_for_partner" in pathlib.Path(f"/proc/{process.pid}/wchan").read_text())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_sigint_can_cancel_job(self):
        process, job = self.following("--cancel-on-interrupt")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 126, err)
        self.assertIn(f"error: job {job} was cancelled\n", err)
        self.assertEqual(self.state(job), "cancelled")

    def test_second_sigint_exits_immediately(self):
        stubborn = ("sh", "-c", "trap '' TERM; echo started; while :; do sleep 0.1; done")
        process = self.start("run", "--cancel-on-interrupt", "--set", "timeouts.grace=8s", "--", *stubborn)
        self.assertEqual(process.stdout.readline(), "started\n")
        process.send_signal(signal.SIGINT)
        while "cancelling" not in process.stderr.readline():
            pass
        self.until("the exit", lambda: process.send_signal(signal.SIGINT) or process.poll() is not None)
        _, err = process.communicate(timeout=10)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn(f"detached: job {self.json('ps')[0]['id']} is being cancelled\n", err)
        cancelled = "being cancelled; its program has up to 8.0 s to end"
        self.until("the cancellation", lambda: self.json("ps")[0]["reason"] == cancelled)
        self.assertIn(f" is running: {cancelled}\n", self.run_kinetic("why").stdout)

    def test_signals_sent_twice_are_one(self):
        """As `timeout` does, which signals its child and then the group."""
        process, job = self.following("--cancel-on-interrupt")
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.until("the first signal", lambda: not self.is_pending(process, signal.SIGTERM))
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 126, err)
        self.assertEqual(self.state(job), "cancelled")

    def is_pending(self, process, number):
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        return any(int(line.split()[1], 16) >> (number - 1) & 1
                   for line in status.splitlines() if line.startswith("ShdPnd"))

    def test_sigint_before_submission_leaves_nothing(self):
        slow = self.write("bin/python3", "#!/bin/sh\necho asked > asked\nsleep 60\n")
        slow.chmod(0o755)
        self.write("requirements.txt", "some-package==1.0\n")
        process = self.start("run", "--", "true", env={"PATH": f"{slow.parent}:/usr/bin:/bin"})
        self.until("the build", lambda: any(self.home.rglob("asked")))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("interrupted before the job was submitted", err)
        self.assertEqual(self.json("ps"), [])

    def test_sigint_as_json(self):
        process = self.start("run", "--json", "--", *LOOP)
        while process.stderr.readline() != "started\n":
            pass
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        document = json.loads(out)
        self.assertEqual((process.returncode, document["detached"]), (-signal.SIGINT, True))
        self.assertEqual(self.state(document["id"]), "running")

    def test_sigint_to_cp_is_reported(self):
        self.submit(*LOOP)
        queued = self.submit("true")
        process = self.start("cp", f"{queued}:x", "x")
        self.assertIn("waiting for job", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (-signal.SIGINT, "\ninterrupted before the copy was complete\n"))

    def test_sigint_to_wait_leaves_job_running(self):
        job = self.submit(*LOOP)
        waiting = self.start("wait", job)
        self.until("the wait", lambda: self.state(job) == "running")
        waiting.send_signal(signal.SIGINT)
        waiting.communicate(timeout=60)
        self.assertEqual(waiting.returncode, -signal.SIGINT)
        self.assertEqual(self.state(job), "running")

    def test_sigint_ends_a_shell_loop(self):
        loop = f"for i in 1 2 3; do {KINETIC} run -- sh -c 'echo started; sleep 600'; done"
        shell = subprocess.Popen(["bash", "-c", loop], cwd=self.work, env=self.environment(), text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.assertEqual(shell.stdout.readline(), "started\n")
        os.killpg(shell.pid, signal.SIGINT)
        shell.communicate(timeout=60)
        self.assertEqual(shell.returncode, -signal.SIGINT)
        self.assertEqual(len(self.json("ps")), 1)

    def test_commands_without_output_notice_a_closed_pipe(self):
        job = self.submit(*LOOP)
        for command in (("logs", "-f", job), ("attach", job), ("ps", "--watch")):
            process = self.start(*command)
            process.stdout.readline()
            process.stdout.close()
            process.wait(timeout=60)
            self.assertEqual(process.returncode, 141, command)
            process.stderr.close()
        self.assertEqual(self.state(job), "running")

    def test_closed_pipe_leaves_job_running(self):
        process = self.start("run", "--", "sh", "-c", "echo started; while :; do echo line; sleep 0.1; done")
        self.assertEqual(process.stdout.readline(), "started\n")
        process.stdout.close()
        process.wait(timeout=60)
        self.assertEqual(process.returncode, 141)
        self.assertIn(" continues", process.stderr.read())
        process.stderr.close()
        self.assertEqual(self.state(self.json("ps")[0]["id"]), "running")

    def test_sigint_to_process_group_leaves_job_running(self):
        process = self.start("run", "--", *LOOP, start_new_session=True)
        self.assertEqual(process.stdout.readline(), "started\n")
        job = self.json("ps")[0]["id"]
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(self.state(job), "running")


if __name__ == "__main__":
    unittest.main()
