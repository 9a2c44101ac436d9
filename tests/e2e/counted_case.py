"""Machines with counted requests to the store and the API server, to kill clients at any request."""

import json
import pathlib
import sys
import threading

from cluster_machine import JobsTestCase

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from counting_proxy import Counter, CountingProxy, make_identity


class CountedTestCase(JobsTestCase):
    secret = {}  # environment of the clients

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
        """Returns a machine with counted requests. Pods use the real address of the bucket."""
        machine = self.new_machine(place, place=place, kubeconfig=self.kubeconfig)
        machine.environment |= {"STORAGE_EMULATOR_HOST": self.servers[1].url}
        return machine

    def kill_at(self, machine, at, answered, *words):
        """Starts a client that is killed at a request, selected by number or predicate. @returns the request, or
        None if the client ended without it"""
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
