"""Machines whose requests to the store and to the API server are counted, so that clients can die at any of them."""

import json
import pathlib
import sys
import threading

from cluster_machine import JobsTestCase

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from counting_proxy import Counter, CountingProxy, make_identity


class CountedTestCase(JobsTestCase):
    secret = {}  # the environment of what is run

    def setUp(self):
        super().setUp()
        self.counter = Counter()
        self.servers = [
            CountingProxy(self.cluster.server, self.counter, self.cluster.ca_file, make_identity(self.folder)),
            CountingProxy(self.bucket.url, self.counter)]
        for server in self.servers:
            self.addCleanup(server.stop)
        self.kubeconfig = self.folder / "counted.kubeconfig"
        self.kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "k", "cluster": {"server": self.servers[0].url,
                                                   "certificate-authority": str(self.folder / "proxy.crt")}}],
            "users": [{"name": "u", "user": {"token": self.cluster.token}}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}]}))

    def counted_machine(self, place):
        """A machine whose requests are counted; pods go to the bucket by its own address."""
        machine = self.new_machine(place, place=place, kubeconfig=self.kubeconfig)
        machine.environment |= {"STORAGE_EMULATOR_HOST": self.servers[1].url}
        return machine

    def kill_at(self, machine, at, answered, *words):
        """Starts a client that dies at that request, by number or by what is true of it.
        @returns whether there was one; the process has ended"""
        started, client, struck = threading.Event(), [], []

        def strike():
            struck.append(self.counter.requests[-1])
            started.wait()
            client[0].kill()
            client[0].wait()

        self.counter.arm(at, answered, strike)
        client.append(machine.start(*words, extra=self.secret))
        started.set()
        out, err = client[0].communicate(timeout=180)
        self.counter.arm(None, False, None)
        if not struck:
            self.assertEqual(client[0].returncode, 0, out + err)
            return None
        self.assertEqual(client[0].returncode, -9, f"{struck}: {out}{err}")
        return struck[0]
