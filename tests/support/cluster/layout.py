"""Where a cluster keeps its things, and which addresses and ports are its own."""

import fcntl
import hashlib
import ipaddress
import json
import os
import pathlib
import socket
import subprocess

from trouble import Trouble

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("HOME", "/root")) / ".cache/kinetic-tests"
# Who uses which network, for all clusters of this machine.
NETWORKS = pathlib.Path("/tmp/kinetic-cluster-networks")
SERVICES = ipaddress.ip_network("10.212.0.0/24")


def default_state():
    """$KINETIC_CLUSTER, or a folder of this checkout alone. Short, for the paths of sockets are limited."""
    named = os.environ.get("KINETIC_CLUSTER")
    checkout = hashlib.sha256(str(HERE).encode()).hexdigest()[:8]
    return pathlib.Path(named).absolute() if named else pathlib.Path(f"/tmp/kinetic-cluster-{checkout}")


def free_ports(address, count):
    """Ports that nobody listens on now."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((address, 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Layout:
    """One cluster's folder. Its network and ports are chosen when it starts and kept until it is down."""

    def __init__(self, state):
        self.state = state
        self.pki = state / "pki"
        self.logs = state / "log"
        self.imports = state / "imports"
        self.kubeconfig = self.pki / "admin.kubeconfig"
        self._chosen = state / "chosen.json"

    def node(self, name):
        return self.state / "nodes" / name

    def chosen(self):
        """What choose() chose; fails for a cluster that is not up."""
        try:
            return json.loads(self._chosen.read_text())
        except FileNotFoundError:
            raise Trouble(f"no cluster in {self.state}: start one with `{HERE / 'cluster'} up`") from None

    def choose(self):
        """Takes a network that no other cluster and no route of this machine uses, and free ports on it."""
        for folder in (self.state, self.pki, self.logs, self.imports):
            folder.mkdir(parents=True, exist_ok=True)
        self.state.chmod(0o700)
        NETWORKS.mkdir(mode=0o700, exist_ok=True)
        with open(NETWORKS / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            number = next((n for n in range(200) if self._is_free(n)), None)
            if number is None:
                raise Trouble("no network of 10.213.0.0/16 is free on this machine")
            (NETWORKS / str(number)).write_text(str(self.state))
        network = ipaddress.ip_network(f"10.213.{number}.0/24")
        names = ("etcd", "etcd_peer", "apiserver", "controller", "scheduler")
        chosen = {
            "number": number,
            "bridge": f"kinetic{number}",
            "network": str(network),
            "address": str(network[1]),
            "ports": dict(zip(names, free_ports("127.0.0.1", len(names)))),
        }
        self._chosen.write_text(json.dumps(chosen))
        return chosen

    def release(self):
        """Gives the network back."""
        (NETWORKS / str(self.chosen()["number"])).unlink(missing_ok=True)
        self._chosen.unlink()

    def is_chosen(self):
        return self._chosen.exists()

    @staticmethod
    def _is_free(number):
        owner = NETWORKS / str(number)
        if owner.exists() and (pathlib.Path(owner.read_text()) / "chosen.json").exists():
            return False
        routes = subprocess.run(["ip", "route", "show", "root", f"10.213.{number}.0/24"], capture_output=True, text=True)
        return not routes.stdout.strip()
