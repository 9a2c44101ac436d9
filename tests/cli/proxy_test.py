"""Which connections use which proxy: as curl, with the variables of the URL's scheme, and named when it is dead."""

import os
import shutil
import socket
import subprocess
import sys
import unittest

from harness import Case
from servers import Proxy

STORE, KUBE = "http://store.test:4443", "https://kube.test:6443"


def refused_port():
    """Returns a port of this machine on which no server listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxies(Case):
    def setUp(self):
        super().setUp()
        self.secure, self.plain = Proxy(self, 502), Proxy(self, 502)

    def kubeconfig(self, server, **cluster):
        fields = ", ".join(f"{key}: '{value}'" for key, value in {"server": server, **cluster}.items())
        return self.write("kubeconfig.yaml", "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                          "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
                          f"clusters: [{{name: k, cluster: {{{fields}}}}}]\nusers: [{{name: u, user: {{token: t}}}}]\n")

    def doctor(self, server=KUBE, store=STORE, cluster=None, **variables):
        env = {"KUBECONFIG": str(self.kubeconfig(server, **(cluster or {}))), "KINETIC_KIND": "kubernetes",
               "KINETIC_STORE": "gs://bucket/x", "STORAGE_EMULATOR_HOST": store, "KINETIC_RUNNER_IMAGE": "r:1",
               "KINETIC_RETRY_FOR": "0", **variables}
        return {check["name"]: check for check in self.json("doctor", env=env, code=1)["checks"]}

    def hosts(self, proxy):
        """Returns the hosts that clients of a proxy asked for, and forgets them."""
        asked = {word.split("/")[2] if "//" in word else word for word in
                 (line.split()[1] for line in proxy.asked)}
        proxy.asked.clear()
        return asked

    def curl(self, url, variables):
        """Lets curl fetch a URL as the judge. Returns whether it was there."""
        if shutil.which("curl") is None:
            return False
        subprocess.run(["curl", "-s", "-m", "5", url], env={"PATH": os.environ["PATH"], **variables}, check=False)
        return True

    def test_every_connection_chooses_by_its_own_url(self):
        secure, plain = f"http://{self.secure.address}", f"http://{self.plain.address}"
        both = {"https_proxy": secure, "http_proxy": plain}
        for variables, through_secure, through_plain in (
                (both, {"kube.test:6443"}, {"store.test:4443"}),
                ({"HTTPS_PROXY": secure}, {"kube.test:6443"}, set()),
                ({"http_proxy": plain}, set(), {"store.test:4443"}),
                ({"all_proxy": secure}, {"kube.test:6443", "store.test:4443"}, set()),
                (both | {"no_proxy": "kube.test"}, set(), {"store.test:4443"}),
                (both | {"no_proxy": ".test"}, set(), set()),
                (both | {"no_proxy": "store.test"}, {"kube.test:6443"}, set()),
                (both | {"no_proxy": "*"}, set(), set())):
            with self.subTest(variables=variables):
                self.doctor(**variables)
                self.assertEqual((self.hosts(self.secure), self.hosts(self.plain)), (through_secure, through_plain))
                if self.curl(STORE, variables) and self.curl(KUBE, variables):
                    self.assertEqual((self.hosts(self.secure), self.hosts(self.plain)),
                                     (through_secure, through_plain), "curl")

    def test_a_local_store_does_not_switch_the_proxy_off(self):
        self.doctor(store="localhost:4443", HTTPS_PROXY=f"http://{self.secure.address}")
        self.assertEqual(self.hosts(self.secure), {"kube.test:6443"})

    def test_proxy_url_of_a_kubeconfig_applies_to_its_cluster_only(self):
        self.doctor(server="https://127.0.0.1:6443", cluster={"proxy-url": f"http://{self.secure.address}"},
                    https_proxy="http://closed.test:1", http_proxy=f"http://{self.plain.address}")
        self.assertEqual((self.hosts(self.secure), self.hosts(self.plain)), ({"127.0.0.1:6443"}, {"store.test:4443"}))

    def test_failures_name_their_cause(self):
        port = refused_port()
        for server, variables, cause in (
                (f"https://127.0.0.1:{port}", {}, f"Failed to connect to 127.0.0.1 port {port}: connection refused"),
                ("https://kube.invalid:6443", {}, "Could not resolve host: kube.invalid"),
                (KUBE, {"https_proxy": f"http://ana:pa55word@127.0.0.1:{port}"},
                 f"Failed to connect to the proxy 127.0.0.1:{port}: connection refused"),
                (KUBE, {"https_proxy": "http://proxy.invalid:3128"}, "Could not resolve proxy: proxy.invalid")):
            for retry_for in ("0", "60s"):
                with self.subTest(server=server, variables=variables, retry_for=retry_for):
                    checks = self.doctor(server=server, **variables, KINETIC_RETRY_FOR=retry_for)
                    self.assertIn(cause, checks["cluster"]["evidence"])
                    self.assertNotIn("did not respond", checks["cluster"]["evidence"])
                    self.assertNotIn("pa55word", str(checks))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
