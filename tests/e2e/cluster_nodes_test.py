#!/usr/bin/env python3
"""A node pool of the stand-in for Google Cloud gets its node in the test cluster when a job needs it.

    cluster_nodes_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import json
import unittest

from bucket import Bucket
from google_cluster import (BUCKET, GCS_SERVER, NAMESPACE, PROJECT, CloudTestCase, setUpModule,  # noqa: F401
                            tearDownModule)
from autoscaler import Autoscaler  # google_cluster extends the search path


class Nodes(CloudTestCase):
    def test_from_nothing_to_a_result_and_back(self):
        (self.home / "objects").mkdir()
        storage = Bucket(GCS_SERVER, self.home / "objects", host="0.0.0.0", name=BUCKET)
        self.addCleanup(storage.stop)
        port = storage.url.rsplit(":", 1)[1]
        self.run_kinetic("up", "--project", PROJECT, "--accelerator", "v5litepod-4", "--yes")
        self.environment |= {"KINETIC_STORAGE_ENDPOINT": storage.url, "KINETIC_RUNNER_CREDENTIALS": "none",
                             "KINETIC_RUNNER_ENDPOINT": f"http://{self.cluster.address}:{port}",
                             "KINETIC_IMAGE": self.cluster.images["python"]}
        autoscaler = Autoscaler(self.cloud, self.cluster.api, NAMESPACE)
        self.addCleanup(autoscaler.stop)
        self.assertEqual(self.nodes_of("v5litepod-4"), 0)
        (self.project / "calc.py").write_text("def multiply(a, b):\n    return a * b\n")
        done = self.run_kinetic("run", "calc:multiply", "--arg", "a=6", "--arg", "b=7", "--accelerator", "v5litepod-4")
        self.assertEqual(done.stdout.strip(), "42")
        self.assertEqual(autoscaler.nodes, {"v5litepod-4": "gke-v5litepod-4"})
        self.assertEqual(self.nodes_of("v5litepod-4"), 1)
        shown = json.loads(self.run_kinetic("cluster", "status", "--json").stdout)
        self.assertEqual(shown["running_jobs"], 0)
        self.assertGreater(shown["price_per_hour"], 4)
        self.down("--purge")
        self.assertEqual(self.cloud.state.costs(), [])
        self.check_requests()

    def nodes_of(self, pool):
        listed = json.loads(self.run_kinetic("pool", "ls", "--json").stdout)
        return next(one["nodes"] for one in listed if one["name"] == pool)


if __name__ == "__main__":
    unittest.main()
