"""Tests kinetic timeline."""

import json
import os
import signal
import unittest

from harness import JobCase


class Timeline(JobCase):
    def finished(self, *command, options=(), code=0):
        job = self.submit(*command, options=options)
        self.run_kinetic("wait", job, code=code)
        return job

    def test_phases_of_client_and_job(self):
        self.write("work.py", "def main():\n    return 1\n")
        self.write("job.yaml", "function: work:main\n")
        job = self.run_kinetic("run", "--detach", "job.yaml").stdout.strip()
        self.run_kinetic("wait", job)
        said = self.json("timeline", job)
        self.assertEqual((said["id"], said["state"]), (job, "succeeded"))
        phases = [each["phase"] for each in said["phases"]]
        self.assertEqual(sorted(phases[:3]), ["build", "package", "stage"])
        self.assertEqual(phases[3:], ["queue", "pull", "start", "run", "collect"])
        self.assertEqual([each["attempt"] for each in said["phases"]], [None] * 3 + [1] * 5)
        for each in said["phases"]:
            self.assertLessEqual(each["begun"], each["ended"], each)
        for one, next_one in zip(said["phases"][3:], said["phases"][4:]):
            self.assertEqual(one["ended"], next_one["begun"])
        self.assertEqual([said["events"][0]["event"], said["events"][-1]["event"]], ["submitted", "finished"])
        lines = self.run_kinetic("timeline", job).stdout.splitlines()
        self.assertRegex(lines[0], f"^{job} succeeded, [0-9.]+s in total$")
        self.assertEqual(lines[1].split(), ["PHASE", "AT", "TOOK"])
        words = {"package": "code", "stage": "upload", "pull": "fetch"}  # for people
        self.assertEqual([line.split()[0] for line in lines[2:]], [words.get(phase, phase) for phase in phases])
        for line in lines[2:]:
            self.assertIn("#", line)
            self.assertLessEqual(len(line), 100)

    def test_attempts(self):
        job = self.finished("sh", "-c", "exit 3", code=3,
                            options=("--set", "retry={attempts: 2, on: ['exit:3']}"))
        runs = [each["attempt"] for each in self.json("timeline", job)["phases"] if each["phase"] == "run"]
        self.assertEqual(runs, [1, 2])
        self.assertIn("\nrun 2 ", self.run_kinetic("timeline", job).stdout)

    def test_running_job(self):
        job = self.submit("sleep", "600")
        self.until("the program", lambda: self.state(job) == "running")
        last = self.json("timeline", job)["phases"][-1]
        self.assertEqual((last["phase"], last["ended"]), ("run", None))
        self.assertGreater(last["seconds"], 0)
        self.assertIn("in progress", self.run_kinetic("timeline", job).stdout)

    def test_lost_job(self):
        job = self.submit("sleep", "600")
        self.until("the program", lambda: self.state(job) == "running")
        runtime = self.home / ".local/state/kinetic/jobs" / job
        os.kill(json.loads((runtime / "supervisor.json").read_text())["pid"], signal.SIGKILL)
        self.run_kinetic("wait", job, code=125)
        last = self.json("timeline", job)["phases"][-1]
        self.assertEqual(last["phase"], "run")
        self.assertIn("is gone", last["detail"])
        self.assertRegex(self.run_kinetic("timeline", job).stdout.splitlines()[-1], "^run .* the process that ran it")

    def test_chrome_trace(self):
        job = self.finished("true")
        path = self.work / "trace.json"
        done = self.run_kinetic("timeline", job, "--chrome-trace", str(path))
        self.assertIn(f"wrote {path}", done.stderr)
        trace = json.loads(path.read_text())
        complete = [each for each in trace["traceEvents"] if each["ph"] == "X"]
        self.assertIn("run", [each["name"] for each in complete])
        tracks = {}
        for each in complete:
            self.assertGreaterEqual(each["ts"], 0)
            self.assertGreaterEqual(each["dur"], 0)
            tracks.setdefault((each["pid"], each["tid"]), []).append(each)
        for events in tracks.values():  # no overlap on a track
            events.sort(key=lambda each: each["ts"])
            for one, next_one in zip(events, events[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], next_one["ts"])
        named = {each["tid"] for each in trace["traceEvents"] if each["name"] == "thread_name"}
        self.assertTrue({track for _, track in tracks} <= named)
        done = self.run_kinetic("timeline", job, "--chrome-trace", str(self.work / "none/t.json"), code=120)
        self.assertIn("cannot write ", done.stderr)

    def test_unknown_job(self):
        self.assertIn("does not exist", self.run_kinetic("timeline", "nope", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
