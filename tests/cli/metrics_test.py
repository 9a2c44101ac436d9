"""Tests metrics: rows of numbers that jobs write as lines of their output."""

import json
import re
import unittest

from harness import TerminalCase

ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
ROW = """echo '{{"kinetic.metrics": {{"step": {}, "loss": {}}}}}'"""


def rows(*losses):
    return "; ".join(ROW.format(step, loss) for step, loss in enumerate(losses, 1))


class Metrics(TerminalCase):
    def run_rows(self, *losses, then="true", code=0):
        """Runs a job that logs losses, and returns its ID."""
        self.run_kinetic("run", "--name", "train", "--", "sh", "-c", f"{rows(*losses)}; {then}", code=code)
        return self.json("ps", "--all", "--limit", "1")[0]["id"]

    def test_table(self):
        job = self.run_rows(2.07154, "NaN", 1.5)
        done = self.run_kinetic("metrics")
        self.assertEqual(done.stderr, f"job {job}\n")
        self.assertEqual([line.split() for line in done.stdout.splitlines()],
                         [["step", "loss"], ["1", "2.072"], ["2", "nan"], ["3", "1.5"]])
        self.assertEqual(self.run_kinetic("metrics", job, "--csv").stdout, "step,loss\n1,2.07154\n2,nan\n3,1.5\n")
        documents = [json.loads(line) for line in self.run_kinetic("metrics", job, "--json").stdout.splitlines()]
        self.assertEqual([document["sequence"] for document in documents], [0, 1, 2])
        self.assertEqual(documents[0]["metrics"], {"step": 1, "loss": 2.07154})
        self.assertEqual(documents[1]["metrics"]["loss"], {"$float": "nan"})

    def test_long_table_is_thinned(self):
        job = self.run_rows(*range(60))
        done = self.run_kinetic("metrics", job)
        self.assertEqual(done.stderr, "20 of 60 rows; --all shows every row\n")
        lines = done.stdout.splitlines()
        self.assertEqual((len(lines), lines[1].split(), lines[-1].split()), (21, ["1", "0"], ["60", "59"]))
        self.assertEqual(self.run_kinetic("metrics", job, "--all").stdout.count("\n"), 61)

    def test_columns_are_limited(self):
        line = """i=0; while [ $i -lt 70 ]; do echo "{\\"kinetic.metrics\\": {\\"eval_$i\\": 1}}"; i=$((i+1)); done"""
        self.run_kinetic("run", "--", "sh", "-c", line)
        done = self.run_kinetic("metrics", "latest", "--csv")
        self.assertEqual((len(done.stdout.splitlines()), done.stdout.splitlines()[0].count(",")), (65, 63))
        self.assertIn("only the first 64 names have a column; --json shows all\n", done.stderr)
        self.assertEqual(self.run_kinetic("metrics", "latest", "--json").stdout.count("\n"), 70)

    def test_summary_is_in_the_result(self):
        job = self.run_rows(3, 1.5, 2, then="exit 3", code=3)
        self.assertEqual(self.json("status", job)["metrics"],
                         {"step": {"last": 3, "min": 1, "max": 3, "count": 3},
                          "loss": {"last": 2, "min": 1.5, "max": 3, "count": 3}})
        self.assertIn("metrics   step 3 (min 1, max 3, 3 rows)\n          loss 2 (min 1.5, max 3, 3 rows)\n",
                      self.run_kinetic("status", job).stdout)

    def test_jobs_without_metrics(self):
        self.run_kinetic("run", "--", "echo", '{"kinetic.metrics": {"loss": true}}')
        job = self.json("ps", "--all")[0]["id"]
        self.assertEqual(self.run_kinetic("metrics", job).stderr, f"job {job} has logged no metrics\n")
        self.assertEqual(self.run_kinetic("metrics", job, "--json").stdout, "")
        self.assertEqual(self.json("status", job)["metrics"], {})
        self.assertNotIn("\nmetrics", self.run_kinetic("status", job).stdout)

    def test_several_jobs_are_side_by_side(self):
        first, second = self.run_rows(3, 2), self.run_rows(3, 1)
        self.assertEqual([line.split() for line in self.run_kinetic("metrics", first, second).stdout.splitlines()],
                         [["job", "step", "loss"], [first, "2", "2"], [second, "2", "1"]])
        documents = [json.loads(line) for line in self.run_kinetic("metrics", "--name", "train", "--json").stdout.splitlines()]
        self.assertEqual([document["id"] for document in documents], [first, first, second, second])

    def test_rows_of_several_attempts(self):
        self.write("job.yaml", f'name: retried\nrun: {json.dumps(rows(3, 2) + "; exit 9")}\n'
                               'retry: {attempts: 2, on: ["exit:9"]}\n')
        self.run_kinetic("run", "job.yaml", code=9)
        self.assertEqual(self.run_kinetic("metrics", "retried", "--csv").stdout,
                         "attempt,step,loss\n1,1,3\n1,2,2\n2,1,3\n2,2,2\n")

    def test_rows_of_a_killed_job(self):
        job = self.submit("sh", "-c", f"{rows(5, 4)}; kill -9 $$; {rows(1)}")
        self.run_kinetic("wait", job, code=None)
        self.assertEqual(self.run_kinetic("metrics", job, "--csv").stdout, "step,loss\n1,5\n2,4\n")
        self.assertEqual(self.json("status", job)["metrics"]["loss"]["last"], 4)

    def test_rows_of_a_running_job(self):
        job = self.submit("sh", "-c", f"{rows(5, 4)}; sleep 1000")
        self.until("the rows", lambda: self.run_kinetic("metrics", job, "--csv").stdout == "step,loss\n1,5\n2,4\n")
        self.assertIsNone(self.json("status", job)["metrics"])
        self.run_kinetic("cancel", job)
        self.assertEqual(self.json("status", job)["metrics"]["step"]["count"], 2)

    def test_lines_are_brief_while_a_job_is_followed(self):
        script = f"echo begin; {rows(*range(500))}; echo end"
        done = self.run_kinetic("run", "--", "sh", "-c", script)
        self.assertEqual(done.stdout, "begin\nend\n")
        lines = [line for line in done.stderr.splitlines() if line.startswith("run: ")]
        self.assertEqual(lines[0], "run: step 1  loss 0")
        self.assertEqual(lines[-1], "run: step 500  loss 499")
        self.assertLess(len(lines), 20)
        job = self.json("ps", "--all")[0]["id"]
        self.assertEqual(self.run_kinetic("logs", job).stdout.count("kinetic.metrics"), 500)
        self.assertEqual(self.run_kinetic("logs", "-f", "--raw", job).stdout.count("kinetic.metrics"), 500)
        followed = self.run_kinetic("logs", "-f", job).stdout.splitlines()
        self.assertEqual(followed[:2], ["begin", "step 1  loss 0"])
        self.assertEqual(followed[-2:], ["step 500  loss 499", "end"])
        self.assertLess(len(followed), 20)
        raw = self.run_kinetic("run", "--raw", "--", "sh", "-c", rows(1))
        self.assertEqual(raw.stdout, '{"kinetic.metrics": {"step": 1, "loss": 1}}\n')

    def test_status_line_of_a_terminal(self):
        script = f"{rows(9, 5, 1)}; sleep 1; echo end"
        code, seen = self.on_terminal("run", "--", "sh", "-c", script, columns=100)
        self.assertEqual(code, 0)
        text = ESCAPES.sub("", seen)
        self.assertNotIn("kinetic.metrics", text)
        self.assertRegex(text, r"step 3  loss 1 █▅▁  [^ ]+  Ctrl-C detaches")
        self.assertRegex(text, r"[\r\n]  run        step 3  loss 1 █▅▁\r\n")

    def test_tasks_of_an_array(self):
        self.write("train.py", 'import json, sys\n'
                               'def train(rate):\n'
                               '    for step in range(3):\n'
                               '        print(json.dumps({"kinetic.metrics": {"step": step, "loss": rate * step}}))\n'
                               '    return rate\n')
        self.write("job.yaml", "function: train:train\narray: {over: [{rate: 1}, {rate: 2.5}]}\n")
        self.run_kinetic("run", "job.yaml", "--id", "sweep")
        self.assertEqual([line.split() for line in self.run_kinetic("results", "sweep").stdout.splitlines()],
                         [["task", "state", "rate", "value", "step", "loss"], ["0", "succeeded", "1", "1", "2", "2"],
                          ["1", "succeeded", "2.5", "2.5", "2", "5"]])
        self.assertEqual([row["metrics"] for row in self.json("results", "sweep")],
                         [{"step": 2, "loss": 2}, {"step": 2, "loss": 5}])
        self.assertIn("array", self.run_kinetic("metrics", "sweep", code=2).stderr)
        self.assertEqual(self.run_kinetic("metrics", "sweep", "--task", "1", "--csv").stdout,
                         "step,loss\n0,0\n1,2.5\n2,5\n")


if __name__ == "__main__":
    unittest.main()
