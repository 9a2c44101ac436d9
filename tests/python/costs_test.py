"""The cost of a job, which looks as if it had run on a cluster in Google Cloud."""

import unittest

from harness import PythonCase

import priced_job


class Costs(PythonCase):
    def environment(self, **more):
        return super().environment(KINETIC_STORE=str(self.home / "store"), **more)

    def test_summaries_have_the_cost(self):
        for job in ("tpu", "here"):
            self.kinetic("run", "--id", job, "--", "true")
        priced_job.price(self.home / "store", "tpu", 1_800_000, dollars_per_hour=4.80, date="2026-11-28")
        self.run_script("""
            import kinetic

            cost = kinetic.attach("tpu").summary()["cost"]
            assert cost == {"dollars": 2.4, "node_seconds": 1800, "price_per_hour": 4.8, "price_date": "2026-11-28",
                            "is_current_price": False, "region": "us-west4", "nodes": "on_demand"}, cost
            assert {job.id: job.properties["cost"] for job in kinetic.list_jobs()} == {"tpu": cost, "here": None}
            assert kinetic.attach("here").summary()["cost"] is None
        """)


if __name__ == "__main__":
    unittest.main(verbosity=2)
