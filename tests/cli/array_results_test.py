"""Tests what the command line shows of an array and its tasks."""

import csv
import io
import json
import pathlib
import unittest

from harness import JobCase

WORK = """
import os


def fit(lr, seed=0):
    print(f"rate {lr}")
    print("second line")
    with open(os.environ["KINETIC_OUTPUT_DIR"] + "/model.txt", "w") as file:
        file.write(str(lr))
    if lr in (2, 4):
        raise ValueError(f"rate {lr} is too large")
    return {"loss": 1 / lr, "text": "x" * (5000 if lr == 5 else 1)}


def wait(path):
    import time
    while not os.path.exists(path):
        time.sleep(0.05)


def nothing(n):
    pass
"""


class ArrayResults(JobCase):
    def array(self, over, function="fit", code=0, more="", *options):
        self.write("work.py", WORK)
        self.write("array.yaml", f"name: sweep\nfunction: work:{function}\narray: {{over: {json.dumps(over)}{more}}}\n")
        return self.run_kinetic("run", "array.yaml", "--id", "sweep", *options, code=code)

    def sweep(self):
        return self.array([{"lr": rate, "seed": 7} for rate in (1, 2, 3, 4, 5)], code=1)

    def lines(self, text):
        return [json.loads(line) for line in text.splitlines()]

    def test_run_prints_a_line_for_each_task(self):
        done = self.sweep()
        lines = self.lines(done.stdout)
        self.assertEqual([line["task"] for line in lines], [0, 1, 2, 3, 4])
        self.assertEqual(lines[0]["value"], {"loss": 1.0, "text": "x"})
        self.assertEqual(lines[1], {"task": 1, "state": "failed", "error": "ValueError: rate 2 is too large"})
        self.assertEqual(len(lines[4]["value"]["text"]), 5000)
        self.assertIn("error: job sweep failed: 2 of 5 tasks failed\n", done.stderr)
        self.assertIn("job sweep: tasks 5: 3 succeeded, 2 failed in ", done.stderr)
        self.assertNotIn("comes from the program", done.stderr)
        for command in ("result", "attach"):
            self.assertEqual(self.run_kinetic(command, "sweep", code=1).stdout, done.stdout)
        document = self.json("result", "sweep", code=1)
        self.assertEqual(document["results"], lines)
        self.assertEqual(document["tasks"],
                         {"tasks": 5, "running": 0, "succeeded": 3, "failed": 2, "cancelled": 0})

    def test_status_groups_failures(self):
        self.sweep()
        text = self.run_kinetic("status", "sweep").stdout
        self.assertIn("tasks     5: 3 succeeded, 2 failed\n", text)
        self.assertIn("failures  2 tasks (1, 3): ValueError: rate 2 is too large\n", text)
        failures = self.json("status", "sweep")["failures"]
        self.assertEqual(failures, [{"state": "failed", "reason": "ValueError: rate 2 is too large",
                                     "count": 2, "tasks": [1, 3]}])
        (listed,) = self.json("ps")
        self.assertEqual(listed["tasks"]["failed"], 2)
        self.assertIn("2 of 5 tasks failed", self.run_kinetic("ps").stdout)

    def test_why_groups_causes(self):
        self.sweep()
        text = self.run_kinetic("why", "sweep").stdout
        self.assertIn("  2 tasks (1, 3): ValueError: rate 2 is too large\n", text)
        self.assertIn("kinetic rerun sweep --failed", text.replace("\n", " "))
        self.assertEqual([group["cause"] for group in self.json("why", "sweep")["failures"]], ["exception"])
        self.assertTrue(self.run_kinetic("why", "sweep", "--task", "3").stdout.startswith("sweep task 3 has failed"))

    def test_commands_for_one_task(self):
        self.sweep()
        self.assertEqual(json.loads(self.run_kinetic("result", "sweep", "--task", "2").stdout)["loss"], 1 / 3)
        self.assertEqual(self.run_kinetic("logs", "sweep", "--task", "1").stdout, "rate 2\nsecond line\n")
        self.assertEqual(self.run_kinetic("logs", "sweep/tasks/000001").stdout, "rate 2\nsecond line\n")
        self.assertIn("sweep has no task 9", self.run_kinetic("logs", "sweep/tasks/000009", code=2).stderr)
        self.assertIn("remove its job", self.run_kinetic("rm", "--force", "sweep/tasks/000001", code=2).stderr)
        status = self.json("status", "sweep", "--task", "1")
        self.assertEqual((status["id"], status["exit_code"]), ("sweep/tasks/000001", 1))
        self.assertEqual(status["arguments"], {"lr": 2, "seed": 7})
        self.assertIn("model.txt", self.run_kinetic("outputs", "ls", "sweep", "--task", "4").stdout)
        self.run_kinetic("outputs", "get", "sweep", "--task", "4", "--to", "got")
        self.assertEqual((self.work / "got/model.txt").read_text(), "5")
        self.run_kinetic("cp", "sweep:outputs/model.txt", "copied.txt", "--task", "0")
        self.assertEqual((self.work / "copied.txt").read_text(), "1")

    def test_several_tasks(self):
        self.sweep()
        self.assertEqual(self.run_kinetic("logs", "sweep", "--task", "3-4,0").stdout,
                         "[0] rate 1\n[0] second line\n[3] rate 4\n[3] second line\n[4] rate 5\n[4] second line\n")
        self.assertEqual(len(self.run_kinetic("result", "sweep", "--task", "0,2").stdout.splitlines()), 2)

    def test_logs_of_all_tasks(self):
        self.sweep()
        expected = "".join(f"[{task}] rate {task + 1}\n[{task}] second line\n" for task in range(5))
        self.assertEqual(self.run_kinetic("logs", "sweep").stdout, expected)
        self.assertEqual(self.run_kinetic("logs", "sweep", "--follow").stdout, expected)
        records = self.lines(self.run_kinetic("logs", "sweep", "--json").stdout)
        self.assertEqual([(record["id"], record["task"]) for record in records if record["sequence"] == 0],
                         [("sweep", task) for task in range(5)])

    def test_wrong_tasks_are_errors(self):
        self.sweep()
        for tasks, message in (("5", "job sweep has no task 5"), ("0-5", "job sweep has no task 5"),
                               ("0-4000000000", "job sweep has no task 4000000000"),
                               ("x", "--task: expected numbers of tasks, found 'x'")):
            done = self.run_kinetic("result", "sweep", "--task", tasks, code=2)
            self.assertIn(f"error: {message}\n", done.stderr)
        done = self.run_kinetic("status", "sweep", "--task", "1,2", code=2)
        self.assertIn("expected the number of one task", done.stderr)
        plain = self.submit("true")
        self.run_kinetic("wait", plain)
        self.assertIn(f"job {plain} has no tasks", self.run_kinetic("logs", plain, "--task", "0", code=2).stderr)
        self.assertIn("several jobs", self.run_kinetic("logs", plain, "sweep", "--task", "0", code=2).stderr)
        self.assertIn("job sweep is an array", self.run_kinetic("logs", plain, "sweep", code=2).stderr)

    def test_results_table(self):
        self.sweep()
        table = self.run_kinetic("results", "sweep", "--sort", "loss").stdout.splitlines()
        self.assertEqual(table[0].split(), ["task", "state", "lr", "loss", "text", "error"])
        self.assertEqual([line.split()[0] for line in table[1:]], ["4", "2", "0", "1", "3"])
        best = self.run_kinetic("results", "sweep", "--sort", "loss", "--reverse", "--best", "1").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in best[1:]], ["0"])
        rows = list(csv.DictReader(io.StringIO(self.run_kinetic("results", "sweep", "--csv").stdout)))
        self.assertEqual([(row["task"], row["lr"], row["error"]) for row in rows[:2]],
                         [("0", "1", ""), ("1", "2", "ValueError: rate 2 is too large")])
        self.assertEqual(len(rows[4]["text"]), 5000)
        document = self.json("results", "sweep")
        self.assertEqual(document[2]["args"], {"lr": 3, "seed": 7})
        self.assertIn("there is no column 'los'", self.run_kinetic("results", "sweep", "--sort", "los", code=2).stderr)
        self.assertIn("--best needs", self.run_kinetic("results", "sweep", "--best", "1", code=2).stderr)
        self.run_kinetic("rerun", "sweep", "--failed", "--id", "again", code=1)
        both = self.json("results", "--name", "sweep")
        self.assertEqual([(row["job"], row["task"]) for row in both[4:]], [("sweep", 4), ("again", 0), ("again", 1)])

    def test_rerun_of_failed_tasks(self):
        self.sweep()
        self.run_kinetic("rerun", "sweep", "--failed", "--id", "again", code=1)
        self.assertEqual([row["args"]["lr"] for row in self.json("results", "again")], [2, 4])
        done = self.run_kinetic("rerun", "sweep", "--failed", "--id", "changed", "--arg", "lr=10")
        self.assertEqual([line["value"]["loss"] for line in self.lines(done.stdout)], [0.1, 0.1])
        self.assertIn("all tasks of job changed succeeded",
                      self.run_kinetic("rerun", "changed", "--failed", code=120).stderr)
        whole = self.run_kinetic("rerun", "sweep", "--id", "whole", code=1)
        self.assertEqual(len(whole.stdout.splitlines()), 5)
        text = self.run_kinetic("diff", "sweep", "again").stdout
        self.assertIn('task 0  {"lr":1,"seed":7} -> {"lr":2,"seed":7}', text)

    def test_results_of_an_array_and_a_job(self):
        self.array([{"n": 1}], function="nothing")
        plain = self.submit("true")
        self.run_kinetic("wait", plain)
        array, job = self.json("result", "sweep", plain)
        self.assertEqual(array["results"], [{"task": 0, "value": None}])
        self.assertEqual((job["id"], job["tasks"]), (plain, None))
        self.assertIn("job sweep is an array", self.run_kinetic("result", "sweep", "--raw", code=2).stderr)

    def test_none_is_a_value(self):
        done = self.array([{"n": 1}, {"n": 2}], function="nothing")
        self.assertEqual(done.stdout, '{"task":0,"value":null}\n{"task":1,"value":null}\n')
        self.assertIn("to see a table: kinetic results sweep", done.stderr)

    def test_unfinished_array(self):
        gate = self.home / "gate"
        gate.write_text("")
        never = str(self.home / "never")
        self.array([{"path": str(gate)}, {"path": never}, {"path": never}], "wait", 0, ", parallel: 1", "--detach")
        self.until("the first task has ended", lambda: self.json("status", "sweep")["tasks"]["succeeded"] == 1)
        self.until("the second task runs", lambda: self.json("status", "sweep")["tasks"]["running"] == 1)
        self.assertIn("1/3 done, 1 running", self.run_kinetic("ps").stdout)
        self.assertEqual([row["state"] for row in self.json("results", "sweep")],
                         ["succeeded", "unfinished", "unfinished"])
        self.assertIn("job sweep has not finished", self.run_kinetic("result", "sweep", code=120).stderr)
        self.assertEqual(self.run_kinetic("result", "sweep", "--task", "0").stdout, "")
        self.assertIn("job sweep task 2 has not finished",
                      self.run_kinetic("result", "sweep", "--task", "2", code=120).stderr)
        self.assertIn("sweep task 2 is queued: waits for its turn",
                      self.run_kinetic("why", "sweep", "--task", "2").stdout)
        self.assertEqual(self.run_kinetic("cancel", "sweep", "--task", "2").stdout, "sweep task 2 cancelled\n")
        self.assertEqual(self.state("sweep"), "running")
        pathlib.Path(never).write_text("")
        self.run_kinetic("wait", "sweep", code=1)
        lines = self.lines(self.run_kinetic("result", "sweep", code=1).stdout)
        self.assertEqual(lines[2]["state"], "cancelled")
        self.run_kinetic("rm", "sweep")
        self.assertEqual(self.json("ps"), [])


if __name__ == "__main__":
    unittest.main()
