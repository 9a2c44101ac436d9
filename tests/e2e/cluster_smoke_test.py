#!/usr/bin/env python3
"""Properties of the test cluster that other tests rely on: pods run, nodes stop and start.

    cluster_smoke_test.py [Pods|Machines]
"""

import http.client
import http.server
import pathlib
import subprocess
import tempfile
import threading
import unittest

import cluster
import archive
from cluster import FINISHED, ClusterTestCase, wait_for

SIDECAR = """import pathlib, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print('sidecar', flush=True)
while True: time.sleep(0.05)
"""


def job(name, image, program, **more):
    container = {"name": "main", "image": image, "command": ["python3", "-c", program]}
    return {
        "metadata": {"name": name},
        "spec": {"backoffLimit": 0, "template": {"spec": {"restartPolicy": "Never", "containers": [container], **more}}},
    }


class Pods(ClusterTestCase):
    def run_job(self, name, program, **more):
        """Returns the ended pod and its program's output."""
        self.api.create(self.batch("jobs"), job(name, self.cluster.images["python"], program, **more))
        pod = self.pod_of(name)["metadata"]["name"]
        ended = self.wait_for_phase(pod, *FINISHED)
        return ended, self.log(pod, "main")

    def test_sidecar_is_ready_before_program(self):
        volume = {"name": "shared", "mountPath": "/shared"}
        ready = {"postStart": {"exec": {"command": ["sh", "-c", "echo installed > /shared/file"]}}}
        spec = job("two", self.cluster.images["python"], "print(open('/shared/file').read())",
                   volumes=[{"name": "shared", "emptyDir": {}}],
                   initContainers=[{"name": "sidecar", "image": self.cluster.images["python"], "restartPolicy": "Always",
                                    "command": ["python3", "-c", SIDECAR], "volumeMounts": [volume], "lifecycle": ready}])
        spec["spec"]["template"]["spec"]["containers"][0].update(
            volumeMounts=[volume], resources={"limits": {"google.com/tpu": "1"}})
        self.api.create(self.batch("jobs"), spec)
        pod = self.pod_of("two")["metadata"]["name"]
        self.assertEqual(self.wait_for_phase(pod, *FINISHED)["status"]["phase"], "Succeeded")
        self.assertEqual(self.log(pod, "main"), "installed\n\n")
        self.assertEqual(self.log(pod, "sidecar"), "sidecar\n")
        wait_for("the job's end", lambda: self.api.get(self.batch("jobs/two"))["status"].get("succeeded") == 1)

    def test_pod_reaches_server_on_this_machine(self):
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"from outside " + self.client_address[0].encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer((self.cluster.address, 0), Answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://{self.cluster.address}:{server.server_port}/"
        pod, log = self.run_job("outside", f"import urllib.request as r; print(r.urlopen('{url}').read().decode())")
        self.assertEqual(log, f"from outside {pod['status']['podIP']}\n")

    def test_pod_reaches_api_server_with_service_account(self):
        _, log = self.run_job("inside", """import os, pathlib, ssl, urllib.request as r
account = pathlib.Path('/var/run/secrets/kubernetes.io/serviceaccount')
url = 'https://' + os.environ['KUBERNETES_SERVICE_HOST'] + ':' + os.environ['KUBERNETES_SERVICE_PORT'] + '/version'
request = r.Request(url, headers={'Authorization': 'Bearer ' + (account / 'token').read_text()})
print(r.urlopen(request, context=ssl.create_default_context(cafile=account / 'ca.crt')).status)
""")
        self.assertEqual(log, "200\n")

    def test_pod_with_too_many_chips_stays_pending(self):
        spec = job("greedy", self.cluster.images["python"], "pass")
        spec["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"google.com/tpu": "5"}}
        self.api.create(self.batch("jobs"), spec)
        pod = self.pod_of("greedy")["metadata"]["name"]
        events = self.core(f"events?fieldSelector=involvedObject.name={pod}")
        said = wait_for("an event", lambda: [event["message"] for event in self.api.get(events)["items"]])
        self.assertIn("Insufficient google.com/tpu", said[0])

    def test_hostile_image_starts(self):
        spec = job("hostile", self.cluster.images["hostile"], "import os; print(os.environ['LD_PRELOAD'])")
        self.api.create(self.batch("jobs"), spec)
        pod = self.pod_of("hostile")["metadata"]["name"]
        self.assertEqual(self.wait_for_phase(pod, *FINISHED)["status"]["phase"], "Succeeded")
        self.assertIn("cannot be preloaded", self.log(pod, "main"))


    def test_imported_image_runs(self):
        """An image with one program and nothing else."""
        name = f"kinetic.test/{self.namespace}:1"
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "say.c").write_text('#include <stdio.h>\nint main(void) { return puts("alone") < 0; }\n')
            subprocess.run(["cc", "-static", "-o", folder / "say", folder / "say.c"], check=True)
            layer = archive.tar_of({"say": ((folder / "say").read_bytes(), 0o755)})
            path = folder / f"{self.namespace}.tar"
            archive.write(path, [archive.Image(name, [layer])])
            cluster.command("import", path)
        self.api.create(self.core("pods"), {"metadata": {"name": "alone"}, "spec": {
            "restartPolicy": "Never", "containers": [{"name": "main", "image": name, "command": ["/say"]}]}})
        self.wait_for_phase("alone", "Succeeded")
        self.assertEqual(self.log("alone", "main"), "alone\n")


class Machines(ClusterTestCase):
    """Faults that would affect other tests."""

    def test_api_server_can_be_restarted(self):
        self.addCleanup(cluster.command, "apiserver", "start")
        cluster.command("apiserver", "stop")
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.api.get("/version")
        cluster.command("apiserver", "start")
        self.assertEqual(self.api.get("/version")["gitVersion"], "v1.34.4")
        self.assertTrue(self.api.find(f"/api/v1/namespaces/{self.namespace}"), "what was there is there")

    def test_node_can_be_stopped_and_started(self):
        self.addCleanup(cluster.command, "node-remove", "n2")
        cluster.command("node", "n2", "--taint", "google.com/tpu=present:NoSchedule", "--label", "kinetic.test/second=yes")
        self.api.create(self.batch("jobs"), job(
            "lost", self.cluster.images["python"], "import time; time.sleep(1000)",
            nodeSelector={"kinetic.test/second": "yes"},
            tolerations=[{"key": "google.com/tpu", "operator": "Exists"}]))
        pod = self.pod_of("lost")["metadata"]["name"]
        self.assertEqual(self.wait_for_phase(pod, "Running")["spec"]["nodeName"], "n2")
        cluster.command("node-stop", "n2")
        wait_for("that it is found lost", lambda: self.ready("n2") == "Unknown")
        cluster.command("node-start", "n2")
        self.assertEqual(self.ready("n2"), "True")
        self.wait_for_phase(pod, "Failed")

    def test_fake_nodes_run_many_pods(self):
        self.addCleanup(cluster.command, "kwok", 0)
        cluster.command("kwok", 10, "--capacity", "google.com/tpu=4")
        spec = job("many", self.cluster.images["python"], "pass", nodeSelector={"kinetic.test/fake": "true"},
                   tolerations=[{"key": "kinetic.test/fake", "operator": "Exists"}])
        spec["spec"].update(completionMode="Indexed", completions=40, parallelism=40)
        spec["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"google.com/tpu": "1"}}
        self.api.create(self.batch("jobs"), spec)
        wait_for("their end", lambda: self.api.get(self.batch("jobs/many"))["status"].get("succeeded") == 40)
        nodes = {pod["spec"]["nodeName"] for pod in self.api.get(self.core("pods"))["items"]}
        self.assertEqual(nodes, {f"fake-{number}" for number in range(10)})

    def ready(self, node):
        conditions = self.api.get(f"/api/v1/nodes/{node}")["status"]["conditions"]
        return next(condition["status"] for condition in conditions if condition["type"] == "Ready")


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main()
