"""What jobs cost: status, ps and costs, on jobs that look as if they had run on a cluster in Google Cloud."""

import datetime
import json
import unittest

from harness import JobCase

import priced_job

LISTED = {"dollars_per_hour": 4.80, "date": "2026-11-28"}


class CostCase(JobCase):
    def setUp(self):
        super().setUp()
        self.store = self.home / "store"

    def environment(self, **more):
        return super().environment(KINETIC_STORE=str(self.store), **more)

    def priced(self, job, minutes, *, code=0, options=(), **terms):
        """Runs a job here and gives it a price."""
        self.run_kinetic("run", "--id", job, "--name", job, *options, "--", "sh", "-c", f"exit {code}", code=code)
        priced_job.price(self.store, job, minutes * 60_000, **{**LISTED, **terms})
        return job

    def unknown_price(self, job, minutes):
        self.priced(job, minutes)
        priced_job.price(self.store, job, minutes * 60_000, nodes="spot")
        return job

    def know_spot_price(self):
        cache = self.home / ".cache/kinetic"
        cache.mkdir(parents=True, exist_ok=True)
        price = {"generation": "v5litepod", "region": "us-west4", "on_demand": 1.2, "spot": 0.3, "flex_start": 0}
        today = datetime.date.today().isoformat()  # prices of Spot nodes become invalid
        (cache / "prices.json").write_text(json.dumps({"date": today, "tpu": [price]}))


class Status(CostCase):
    def test_cost_with_time_and_price(self):
        self.priced("tpu", 30)
        self.assertIn("\ncost      about $2.40 (30m 0s on v5litepod-4 at $4.80/h, us-west4)\n",
                      self.run_kinetic("status", "tpu").stdout)
        cost = self.json("status", "tpu")["cost"]
        self.assertEqual(cost, {"dollars": 2.4, "node_seconds": 1800, "price_per_hour": 4.8,
                                "price_date": "2026-11-28", "is_current_price": False, "region": "us-west4",
                                "nodes": "on_demand"})

    def test_local_job_has_no_cost(self):
        self.run_kinetic("run", "--id", "here", "--", "true")
        self.assertNotIn("cost", self.run_kinetic("status", "here").stdout)
        self.assertIsNone(self.json("status", "here")["cost"])

    def test_unknown_price(self):
        self.unknown_price("spot", 30)
        shown = " ".join(self.run_kinetic("status", "spot").stdout.split())
        self.assertIn("cost unknown: no price for v5litepod-4 (Spot) in us-west4; read the current prices of TPUs: "
                      "kinetic accelerators --refresh-prices", shown)
        self.know_spot_price()
        self.assertIn("cost      about $0.60 (30m 0s on v5litepod-4 (Spot) at today's $1.20/h, us-west4)\n",
                      self.run_kinetic("status", "spot").stdout)
        self.assertTrue(self.json("status", "spot")["cost"]["is_current_price"])

    def test_running_job_costs_until_now(self):
        job = self.submit("sh", "-c", "sleep 600", options=("--id", "runs"))
        self.until("it runs", lambda: self.state(job) == "running")
        priced_job.price(self.store, job, 60_000, dollars_per_hour=3600, date="2026-11-28")
        cost = self.json("ps")[0]["cost"]
        self.assertGreater(cost["dollars"], 60)
        self.assertLess(cost["dollars"], 60 + 60)
        self.assertIn(" until now (", self.run_kinetic("status", job).stdout)
        self.assertGreater(self.json("status", job)["cost"]["dollars"], 0)


class Ps(CostCase):
    def test_column(self):
        self.priced("tpu", 30)
        self.run_kinetic("run", "--id", "here", "--", "true")
        self.unknown_price("spot", 30)
        self.know_spot_price()
        lines = self.run_kinetic("ps", "--columns", "id,cost").stdout.splitlines()
        self.assertEqual([line.split() for line in lines],
                         [["ID", "COST"], ["spot", "~$0.60"], ["here", "-"], ["tpu", "$2.40"]])
        self.assertNotIn("COST", self.run_kinetic("ps").stdout)
        self.assertEqual([job["cost"] and job["cost"]["dollars"] for job in self.json("ps")], [0.6, None, 2.4])


class Costs(CostCase):
    def rows(self, *arguments):
        return [line.split() for line in self.run_kinetic("costs", *arguments).stdout.splitlines()]

    def test_jobs_are_compared_and_added_up(self):
        self.priced("train-tpu", 30)
        self.priced("train-gpu", 20, accelerator="gpu-h100", dollars_per_hour=11.06, region="us-central1")
        self.assertEqual(self.rows("train-tpu", "train-gpu"), [
            ["ID", "NAME", "STATE", "ACCELERATOR", "TIME", "PRICE/HOUR", "COST", "RATIO"],
            ["train-tpu", "train-tpu", "succeeded", "v5litepod-4", "30m", "0s", "$4.80", "$2.40", "1.0x"],
            ["train-gpu", "train-gpu", "succeeded", "gpu-h100", "20m", "0s", "$11.06", "$3.69", "1.5x"],
            ["total", "50m", "0s", "$6.09"]])
        self.assertEqual(self.run_kinetic("costs", "train-tpu").stderr, "list prices of 2026-11-28\n")
        document = self.json("costs", "train-tpu", "train-gpu")
        self.assertEqual([(job["id"], job["cost"]["dollars"], round(job["ratio"], 3)) for job in document["jobs"]],
                         [("train-tpu", 2.4, 1), ("train-gpu", 3.686667, 1.536)])
        self.assertEqual(document["total"], {"dollars": 6.086667, "node_seconds": 3000, "jobs_with_unknown_cost": 0})

    def test_selection(self):
        self.priced("one", 30, options=("--tag", "study=lora"))
        self.priced("two", 30, code=3)
        for options, jobs in (((), ["two", "one"]), (("--tag", "study=lora"), ["one"]), (("--name", "two"), ["two"]),
                              (("--state", "failed"), ["two"]), (("--limit", "1"), ["two"]), (("--of", "bo"), [])):
            self.assertEqual([job["id"] for job in self.json("costs", *options)["jobs"]], jobs, options)
        self.assertIn("no jobs of bo", self.run_kinetic("costs", "--of", "bo").stderr)
        both = self.run_kinetic("costs", "one", "--name", "two", code=2).stderr
        self.assertIn("cannot be combined", both)
        self.assertIn("'kinetic costs' does not use --owner", self.run_kinetic("costs", "--owner", "x", code=2).stderr)
        self.assertIn("does not exist", self.run_kinetic("costs", "one", "none", code=2).stderr)

    def test_unknown_costs_are_not_in_the_total(self):
        self.priced("one", 30)
        self.run_kinetic("run", "--id", "here", "--", "true")
        self.assertEqual(self.rows()[1][-4:], ["cpu", "-", "-", "-"])
        self.assertIn("1 job has no known cost, such as jobs on this machine\n", self.run_kinetic("costs").stderr)
        self.assertNotIn("RATIO", self.run_kinetic("costs").stdout)
        self.assertEqual(self.json("costs")["total"],
                         {"dollars": 2.4, "node_seconds": 1800, "jobs_with_unknown_cost": 1})

    def test_small_costs_are_not_compared(self):
        self.priced("short", 0)
        self.priced("long", 30)
        self.assertEqual([row[-1] for row in self.rows("short", "long")][1:3], ["-", "1.0x"])

    def test_damaged_prices_are_unknown(self):
        for number, terms in enumerate(({"dollars_per_hour": -1}, {"dollars_per_hour": 1e300}, {"nodes": "free"},
                                        {"dollars_per_hour": "x"})):
            self.priced(f"job{number}", 30, **terms)
        self.assertEqual([job["cost"] for job in self.json("costs")["jobs"]], [None] * 4)
        self.assertEqual(self.json("status", "job1")["cost"], None)


if __name__ == "__main__":
    unittest.main(verbosity=2)
