"""Tests how arrays are described and submitted: job file, --over, --array, and what is refused before submission."""

import json
import unittest

from harness import JobCase

TRAIN = """
import os, sys

def fit(lr, seed=0, epochs=1):
    return [lr, seed, epochs, int(os.environ["KINETIC_TASK_INDEX"])]

if __name__ == "__main__":
    folder = os.environ["KINETIC_OUTPUT_DIR"]
    with open(os.path.join(folder, "words"), "w") as file:
        file.write(" ".join(sys.argv[1:]))
"""


class ArrayCase(JobCase):
    def setUp(self):
        super().setUp()
        self.write("train.py", TRAIN)

    def plan(self, *arguments):
        """Returns the array of the record that would be written, and the arguments of its tasks."""
        record = json.loads(self.run_kinetic("run", "--dry-run", "--json", *arguments).stdout)["record"]
        lines = record.get("inline_arguments", "").splitlines() if record.get("arguments_by_task") else []
        return record["spec"]["array"], [json.loads(line) for line in lines]

    def refused(self, *arguments, says, code=2):
        done = self.run_kinetic("run", *arguments, code=code)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        self.assertEqual(self.json("ps"), [], "something was submitted")
        self.assertFalse((self.home / ".local/share/kinetic/store/trees").exists(), "something was stored")
        return done.stderr


class Describe(ArrayCase):
    def test_options_form_a_grid(self):
        array, tasks = self.plan("train.py:fit", "--over", "lr=0.1,0.01", "--over", "seed=1..2", "--parallel", "3",
                                 "--max-failed", "0", "--tasks-per-pod", "2", "--arg", "epochs=5")
        self.assertEqual(array, {"count": 4, "parallel": 3, "max_failed": 0, "tasks_per_pod": 2})
        self.assertEqual(tasks, [{"epochs": 5, "lr": lr, "seed": seed} for lr in (0.1, 0.01) for seed in (1, 2)])

    def test_files_and_job_file_have_the_same_tasks(self):
        self.write("s.csv", 'lr,seed\n0.1,1\n0.01,2\n')
        self.write("s.jsonl", '{"lr": 0.1, "seed": 1}\n{"lr": 0.01, "seed": 2}\n')
        self.write("s.json", '[{"lr": 0.1, "seed": 1}, {"lr": 0.01, "seed": 2}]')
        self.write("job.yaml", "function: train:fit\narray: {over: [{lr: 0.1, seed: 1}, {lr: 0.01, seed: 2}]}\n")
        _, expected = self.plan("job.yaml")
        self.assertEqual(expected, [{"lr": 0.1, "seed": 1}, {"lr": 0.01, "seed": 2}])
        for name in ("s.csv", "s.jsonl", "s.json"):
            self.assertEqual(self.plan("train:fit", "--over", name)[1], expected, name)

    def test_options_replace_the_tasks_of_the_file(self):
        self.write("job.yaml", "function: train:fit\narray: {over: {lr: [1, 2]}, parallel: 7}\n")
        array, tasks = self.plan("job.yaml", "--over", "lr=5")
        self.assertEqual((array, len(tasks)), ({"count": 1, "parallel": 7}, 1))
        self.assertEqual(self.plan("job.yaml", "--array", "4", "--arg", "lr=1")[0], {"count": 4, "parallel": 7})

    def test_dry_run_shows_the_first_tasks(self):
        shown = self.run_kinetic("run", "train:fit", "--over", "lr=0.1,0.01", "--over", "seed=1..5", "--parallel", "4",
                                 "--max-failed", "1", "--dry-run").stdout
        self.assertIn("array         10 tasks, 4 at a time, stops after more than 1 failure\n", shown)
        self.assertIn("task 2        lr=0.1, seed=3\n", shown)
        self.assertIn("7 more\n", shown)

    def test_a_program_of_another_project_reads_files_of_this_folder(self):
        other = self.work.parent / "other"
        other.mkdir()
        (other / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\n')
        (other / "prog.py").write_text("")
        self.write("s.csv", "lr\n1\n2\n")
        self.assertEqual(self.plan("--over", "s.csv", str(other / "prog.py"))[0], {"count": 2})


class Run(ArrayCase):
    def test_tasks_of_a_function(self):
        self.write("job.yaml", "function: train:fit\nargs: {epochs: 9}\n"
                               "array: {over: {lr: [1, 2], seed: {range: 2}}, parallel: 2, max_failed: 3}\n")
        self.run_kinetic("run", "job.yaml", "--id", "grid")
        status = self.json("status", "grid")
        self.assertEqual(status["state"], "succeeded")
        self.assertEqual(status["array"], {"count": 4, "parallel": 2, "max_failed": 3, "tasks_per_pod": 1})
        self.assertIn("array     4 tasks, 2 at a time, stops after more than 3 failures\n",
                      self.run_kinetic("status", "grid").stdout)
        self.assertIsNone(self.plain()["array"])

    def plain(self):
        self.run_kinetic("run", "--id", "plain", "--", "true")
        return self.json("status", "plain")

    def test_tasks_of_a_script_have_options(self):
        self.run_kinetic("run", "--id", "words", "--over", "lr=0.1,0.01", "--over", "deep=true", "train.py")
        outputs = self.home / ".local/share/kinetic/store/outputs/words/tasks"
        self.assertEqual([(outputs / f"{task:06}/words").read_text() for task in range(2)],
                         ["--lr 0.1 --deep", "--lr 0.01 --deep"])

    def test_the_same_array_is_not_submitted_twice(self):
        first = ("run", "--id", "once", "--detach", "train:fit", "--over")
        self.run_kinetic(*first, "lr=1,2")
        self.run_kinetic(*first, "lr=1,2")
        self.assertIn("already exists, but differs in", self.run_kinetic(*first, "lr=1,3", code=None).stderr)


class Refuse(ArrayCase):
    def test_names_that_the_function_does_not_take(self):
        self.write("typo.jsonl", '{"lr": 1}\n\n{"lr": 2, "sede": 1}\n')
        self.write("typo.csv", 'lr,sede\n1,2\n')
        self.write("missing.jsonl", '{"lr": 1}\n{"seed": 2}\n')
        self.write("job.yaml", "function: train:fit\narray:\n  over:\n    - {lr: 1}\n    - {lr: 1, sede: 2}\n")
        self.write("grid.yaml", "function: train:fit\narray:\n  over: {lr: [1], sede: [2]}\n")
        expected = "fit has no parameter sede; did you mean seed?"
        self.refused("job.yaml", says=f"job.yaml:5:15: array.over[1].sede: {expected}")
        self.refused("grid.yaml", says=f"grid.yaml:3:25: array.over.sede: {expected}")
        self.refused("train:fit", "--over", "typo.jsonl", says=f"typo.jsonl:3: array.over[1].sede: {expected}")
        self.refused("train:fit", "--over", "typo.csv", says=f"typo.csv:2: array.over[0].sede: {expected}")
        self.refused("train:fit", "--over", "lr=1", "--over", "sede=2", says=f"--over sede: {expected}")
        self.refused("train:fit", "--over", "missing.jsonl",
                     says=["missing.jsonl:2: array.over[1]: fit requires the argument lr", "def fit(lr, seed=0"])

    def test_invalid_argument_sets(self):
        self.write("bad.jsonl", '{"lr": 1}\n{"lr": 2,\n')
        self.write("bad.csv", "lr,seed\n1,2\n1,2,3\n")
        self.write("empty.csv", "lr,seed\n")
        self.write("many.jsonl", "{}\n" * 100_001)
        self.write("job.yaml", "function: train:fit\nargs: {lr: 1}\narray: {over: [[1]]}\n")
        self.write("both.yaml", "function: train:fit\narray: {count: 2, over: [1]}\n")
        self.write("cmd.yaml", "run: [python3, train.py]\narray: {over: [{lr: {a: 1}}]}\n")
        over = ("train:fit", "--over")
        self.refused(*over, "bad.jsonl", says="--over: bad.jsonl:2: invalid JSON at column 10")
        self.refused(*over, "bad.csv", says="--over: bad.csv:3: found 3 fields, expected 2 (lr, seed)")
        self.refused(*over, "empty.csv", says="empty.csv has 0 argument sets, expected 1 to 100000")
        self.refused(*over, "many.jsonl", says="many.jsonl has 100001 argument sets, expected 1 to 100000")
        self.refused(*over, "gone.csv", says="gone.csv: no such file")
        self.refused(*over, "lr=1..1000", "--over", "seed=1..1000",
                     says="the grid has 1000 × 1000 = 1000000 argument sets, expected at most 100000")
        self.refused("job.yaml", says="job.yaml:3:16: array.over[0]: found positional arguments")
        self.refused("both.yaml", says="both.yaml:2:16: array.count: cannot be combined with `over`")
        self.refused("cmd.yaml", says="cmd.yaml:2:16: array.over[0]: found a map or nested list as lr of `run`")

    def test_invalid_numbers(self):
        for option, found, expected in (("--array", "0", "1"), ("--array", "100001", "1"), ("--parallel", "0", "1"),
                                        ("--max-failed", "-1", "0"), ("--max-failed", "x", "0"),
                                        ("--tasks-per-pod", "0", "1")):
            array = () if option == "--array" else ("--array", "2")
            self.refused("train:fit", *array, f"{option}={found}", says=[f"{option}: found ", f"integer from {expected} to"])
        for option in ("--parallel", "--max-failed", "--tasks-per-pod"):
            self.refused("train:fit", "--arg", "lr=1", option, "2",
                         says=f"{option}: the job has no array; specify its tasks with --over or --array")

    def test_arguments_above_the_limit(self):
        self.write("text", "x" * (1 << 20))
        self.write("job.yaml", "function: train:fit\narray: {over: {lr: [{$text: text}], seed: {range: 65}}}\n")
        self.refused("job.yaml", says=["job.yaml:2:15: array.over: the arguments of the 65 tasks have 65",
                                       "expected at most 64.0 MiB"])


if __name__ == "__main__":
    unittest.main()
