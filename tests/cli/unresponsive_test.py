"""Tests that there is a way out of each job: its supervisor may be stopped, frozen or without its folder, and locks may
be held. Also tests what a waiting job costs."""

import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from harness import KINETIC, JobCase

SLEEP = ("sh", "-c", "echo started; sleep 600")
PTRACE_SEIZE, PTRACE_INTERRUPT = 0x4206, 0x4207
STALE = f"{1:020}\n"


class LocalCase(JobCase):
    def environment(self, **more):
        return super().environment(KINETIC_CONCURRENCY="1", KINETIC_STATE_DIR=str(self.state_dir),
                                   KINETIC_STORE=str(self.home / "store"), **more)

    @property
    def state_dir(self):
        return self.home / "state"

    def folder(self, job):
        return self.state_dir / "jobs" / job

    def supervisor(self, job):
        return json.loads((self.folder(job) / "supervisor.json").read_text())

    def processes(self, nonce):
        """Returns the processes of a job, which include its supervisor and the parent of that."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"KINETIC_JOB_NONCE={nonce}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found

    def stat(self, pid):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]

    def running(self):
        """Submits a job and returns its id and its supervisor, once its program runs."""
        job = self.submit(*SLEEP)
        self.until("the start", lambda: self.state(job) == "running")
        return job, self.supervisor(job)

    def stopped(self):
        job, supervisor = self.running()
        os.kill(supervisor["pid"], signal.SIGSTOP)
        self.until("the stop", lambda: self.stat(supervisor["pid"]) == "T")
        return job, supervisor

    def gone(self, nonce):
        self.until("the end of all processes", lambda: not self.processes(nonce))


class Waiting(LocalCase):
    def test_a_waiting_job_is_one_idle_thread(self):
        self.running()
        waiting = [self.submit("true") for _ in range(4)]
        for job in waiting:
            supervisor = self.supervisor(job)
            folder = pathlib.Path(f"/proc/{supervisor['pid']}")
            self.until("the end of other processes",
                       lambda own=supervisor: self.processes(own["nonce"]) == [own["pid"]])
            self.until("the end of other threads", lambda: len(list((folder / "task").iterdir())) == 1)
            self.assertNotIn("anon_inode:inotify", [os.readlink(fd) for fd in (folder / "fd").iterdir()])
        self.assertEqual(self.json("why", waiting[2])["headline"].split(";")[0], "waiting for 3 jobs")
        self.run_kinetic("cancel", waiting[1])
        self.assertEqual(self.state(waiting[1]), "cancelled")

    def test_a_waiting_job_ends_on_sigterm(self):
        self.running()
        job = self.submit("true")
        os.kill(self.supervisor(job)["pid"], signal.SIGTERM)
        self.run_kinetic("wait", job, code=126)

    def test_a_waiting_job_times_out(self):
        self.running()
        job = self.submit("true", options=["--set", "timeouts.pending=1s"])
        self.run_kinetic("wait", job, code=121)

    def test_jobs_run_without_inotify(self):
        script = 'echo 0 >/proc/sys/user/max_inotify_instances && exec "$@"'
        without = ["unshare", "--user", "--map-root-user", "sh", "-c", script, "-"]
        if subprocess.run([*without, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("this machine allows no user namespaces")
        options = {"cwd": self.work, "env": self.environment(), "text": True, "capture_output": True, "check": False}
        jobs = [subprocess.run([*without, KINETIC, "run", "--detach", "--", "sleep", "1"], **options).stdout.strip()
                for _ in range(4)]
        done = subprocess.run([*without, KINETIC, "run", "--", "echo", "last"], **options)
        self.assertEqual((done.returncode, done.stdout), (0, "last\n"), done.stderr)
        self.assertEqual([self.state(job) for job in jobs], ["succeeded"] * 4)


class Guard(LocalCase):
    def test_sigterm_reaches_the_supervisor(self):
        job, supervisor = self.running()
        guard = int(pathlib.Path(f"/proc/{supervisor['pid']}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(guard, signal.SIGTERM)
        self.run_kinetic("wait", job, code=126)
        self.gone(supervisor["nonce"])


class Stopped(LocalCase):
    def test_why_and_wait_report_it_and_cancel_resumes_it(self):
        job, supervisor = self.stopped()
        text = f"the supervisor of job {job}, process {supervisor['pid']}, does not respond: it is stopped"
        self.assertEqual(self.json("why", job)["headline"], text)
        waiting = self.start("wait", job)
        self.assertIn(text, waiting.stderr.readline())
        self.run_kinetic("cancel", job)
        self.assertEqual(self.state(job), "cancelled")
        waiting.communicate(timeout=60)
        self.gone(supervisor["nonce"])

    def test_rm_force_leaves_no_process(self):
        job, supervisor = self.stopped()
        self.run_kinetic("rm", "--force", job)
        self.assertEqual(self.processes(supervisor["nonce"]), [])
        self.assertEqual(self.json("ps"), [])

    def test_silent_supervisor_blocks_nothing(self):
        job, supervisor = self.stopped()
        (self.folder(job) / "pulse").write_text(STALE)
        self.assertEqual(self.run_kinetic("run", "--", "echo", "next").stdout, "next\n")
        self.assertIn("does not respond", self.run_kinetic("wait", job, code=None).stderr)
        self.assertIn("does not respond", self.run_kinetic("logs", "-f", job, code=None).stderr)
        self.assertIn("does not respond", self.json("status", job)["reason"])
        self.run_kinetic("rm", "--force", job)
        self.gone(supervisor["nonce"])

    def test_cancel_kills_a_frozen_supervisor(self):
        job, supervisor = self.running()
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        ptrace.argtypes = [ctypes.c_long] * 4
        for thread in pathlib.Path(f"/proc/{supervisor['pid']}/task").iterdir():
            if ptrace(PTRACE_SEIZE, int(thread.name), 0, 0) != 0:
                self.skipTest("this machine allows no debuggers")
            ptrace(PTRACE_INTERRUPT, int(thread.name), 0, 0)
        self.until("the freeze", lambda: self.stat(supervisor["pid"]) == "t")
        (self.folder(job) / "pulse").write_text(STALE)
        self.run_kinetic("cancel", job, code=None)
        self.assertIn(self.state(job), ("lost", "cancelled"))
        self.gone(supervisor["nonce"])


class WithoutFolder(LocalCase):
    def test_job_ends_without_its_folder(self):
        job, supervisor = self.running()
        shutil.rmtree(self.folder(job))
        self.assertEqual(self.run_kinetic("run", "--", "echo", "next").stdout, "next\n")
        self.run_kinetic("wait", job, code=120)
        self.assertEqual(self.json("status", job)["reason"], "the job's folder was removed while the job ran")
        self.gone(supervisor["nonce"])

    def test_cancel_after_the_state_was_removed(self):
        job, supervisor = self.running()
        shutil.rmtree(self.state_dir)
        self.run_kinetic("cancel", job, code=None)
        self.assertIn(self.state(job), ("failed", "cancelled", "lost"))
        self.gone(supervisor["nonce"])

    def test_stopped_supervisor_without_folder(self):
        for command in (["cancel"], ["rm", "--force"]):
            job, supervisor = self.stopped()
            shutil.rmtree(self.folder(job))
            self.run_kinetic(*command, job, code=None)
            self.gone(supervisor["nonce"])
        self.assertEqual(self.run_kinetic("run", "--", "echo", "next").stdout, "next\n")


class Locked(LocalCase):
    def test_commands_name_the_holder_of_a_lock(self):
        job = self.submit("true")
        self.run_kinetic("wait", job)
        locks = [self.home / "store/.locks" / f"{number:02}" for number in range(64)]
        locks[0].parent.mkdir(exist_ok=True)
        with contextlib.ExitStack() as held:
            for path in [*locks, self.state_dir / "queue/order.lock"]:
                fcntl.flock(held.enter_context(path.open("a")), fcntl.LOCK_EX)
            started = [self.start(*command) for command in (["run", "--", "true"], ["rm", job])]
            for process in started:
                _, err = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                self.assertIn(f"is locked by process {os.getpid()}", err)


if __name__ == "__main__":
    unittest.main()
