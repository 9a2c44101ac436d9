"""etcd, the API server, the controller manager and the scheduler."""

import json
import pathlib
import signal

import programs
from api import Api
from certificates import Authority
from layout import API_PORT, SERVICES
from processes import wait_for

# In reverse order of dependency.
SERVERS = ("scheduler", "controller", "apiserver", "etcd")


class ControlPlane:
    """@param chosen  addresses and ports of the cluster, from Layout.chosen(); `servers` is the folder of an API
    server and a controller manager of another version, if any"""

    def __init__(self, layout, processes, chosen):
        self._layout = layout
        self._processes = processes
        self._chosen = chosen
        self.authority = Authority(layout.pki)
        self.server = f"https://{chosen['address']}:{API_PORT}"

    def api(self):
        return Api(self.server, self.authority.certificate, self.authority.token())

    def start(self, scheduler=True):
        """Starts a new empty cluster with new keys."""
        self._make_keys()
        self._start_etcd()
        self.start_apiserver()
        self._start_controller()
        if scheduler:
            self._start_scheduler()
        wait_for("the account of pods", lambda: self.api().find("/api/v1/namespaces/default/serviceaccounts/default"))

    def stop(self):
        """Kills all servers. Their state is removed with them."""
        for name in SERVERS:
            self._processes.stop(name, signal.SIGKILL)

    def start_apiserver(self):
        pki = self._layout.pki
        self._processes.start("apiserver", [
            self._server("kube-apiserver"), f"--etcd-servers={self.etcd_url()}",
            f"--bind-address={self._chosen['address']}", f"--advertise-address={self._chosen['address']}",
            f"--secure-port={API_PORT}", "--endpoint-reconciler-type=none", f"--cert-dir={pki}",
            f"--tls-cert-file={pki}/apiserver.crt", f"--tls-private-key-file={pki}/apiserver.key",
            f"--client-ca-file={pki}/ca.crt", f"--token-auth-file={pki}/tokens.csv",
            f"--service-account-key-file={pki}/accounts.key", f"--service-account-signing-key-file={pki}/accounts.key",
            "--service-account-issuer=https://kubernetes.default.svc", f"--service-cluster-ip-range={SERVICES}",
            "--authorization-mode=Node,RBAC", "--allow-privileged=true",
            f"--kubelet-client-certificate={pki}/kubelet-client.crt",
            f"--kubelet-client-key={pki}/kubelet-client.key", "--kubelet-preferred-address-types=InternalIP"])
        self._processes.wait("apiserver", lambda: self.api().ready())

    def stop_apiserver(self):
        """Kills the server, as after a power failure."""
        self._processes.stop("apiserver", signal.SIGKILL)

    def _make_keys(self):
        address, authority = self._chosen["address"], self.authority
        authority.create()
        inside = [f"DNS:{name}" for name in ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")]
        authority.sign("apiserver", "/CN=kube-apiserver",
                       [*inside, "IP:127.0.0.1", f"IP:{SERVICES[1]}", f"IP:{address}"])
        authority.sign("kubelet-client", "/O=system:masters/CN=kube-apiserver-kubelet-client")
        for name, subject in (("admin", "/O=system:masters/CN=admin"),
                              ("controller", "/CN=system:kube-controller-manager"),
                              ("scheduler", "/CN=system:kube-scheduler")):
            authority.sign(name, subject)
            authority.kubeconfig(name, self.server)

    def _server(self, name):
        servers = self._chosen.get("servers")
        return pathlib.Path(servers) / name if servers else programs.path(name)

    def etcd_url(self):
        return f"http://{self._chosen['loopback']}:2379"

    def _start_etcd(self):
        self._processes.start("etcd", [
            programs.path("etcd"), "--data-dir", self._layout.state / "etcd", "--unsafe-no-fsync",
            "--listen-client-urls", self.etcd_url(), "--advertise-client-urls", self.etcd_url(),
            "--listen-peer-urls", f"http://{self._chosen['loopback']}:2380"])

    def _credentials(self, name):
        kubeconfig = self._layout.pki / f"{name}.kubeconfig"
        return [f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}",
                f"--bind-address={self._chosen['loopback']}"]

    def _start_controller(self):
        pki = self._layout.pki
        self._processes.start("controller", [
            self._server("kube-controller-manager"), f"--kubeconfig={pki}/controller.kubeconfig",
            *self._credentials("controller"), f"--service-account-private-key-file={pki}/accounts.key",
            f"--root-ca-file={pki}/ca.crt", "--use-service-account-credentials", "--leader-elect=false",
            f"--service-cluster-ip-range={SERVICES}", "--kube-api-qps=1000", "--kube-api-burst=2000",
            "--concurrent-job-syncs=20",
            # Detects a lost node within seconds.
            "--node-monitor-period=2s", "--node-monitor-grace-period=16s"])

    def _start_scheduler(self):
        config = self._layout.state / "scheduler.json"
        config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "clientConnection": {"kubeconfig": f"{self._layout.pki}/scheduler.kubeconfig", "qps": 1000, "burst": 2000},
            "leaderElection": {"leaderElect": False}}))
        self._processes.start("scheduler", [programs.path("kube-scheduler"), f"--config={config}",
                                            *self._credentials("scheduler")])
