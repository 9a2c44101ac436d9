"""Folders, addresses and ports of a cluster."""

import fcntl
import hashlib
import ipaddress
import json
import os
import pathlib
import shutil
import socket

from processes import tool
from trouble import Trouble

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("HOME", "/root")) / ".cache/kinetic-tests"
# Networks in use, for all clusters of this machine.
NETWORKS = pathlib.Path("/tmp/kinetic-cluster-networks")
API_PORT = 6443
SERVICES = ipaddress.ip_network("10.212.0.0/24")


def default_state():
    """Returns $KINETIC_CLUSTER, or a folder for this checkout. The name is short because socket paths are limited."""
    named = os.environ.get("KINETIC_CLUSTER")
    checkout = hashlib.sha256(str(HERE).encode()).hexdigest()[:8]
    return pathlib.Path(named).absolute() if named else pathlib.Path(f"/tmp/kinetic-cluster-{checkout}")


def free_port(address, first):
    """Returns the first free port from the given one on."""
    for port in range(first, first + 200):
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((address, port))
                return port
            except OSError:
                continue
    raise Trouble(f"no port of {address} from {first} on is free")


class Layout:
    """The folder of one cluster. Its network is selected at the start and kept until it is down."""

    def __init__(self, state):
        self.state = state
        self.pki = state / "pki"
        self.logs = state / "log"
        self.imports = state / "imports"
        self.kubeconfig = self.pki / "admin.kubeconfig"
        self._chosen = state / "chosen.json"
        self.unavailable = pathlib.Path(f"{state}.unavailable")  # reason why no cluster can run

    def node(self, name):
        return self.state / "nodes" / name

    def chosen(self):
        """Returns the selection of choose(). Fails if the cluster is not up."""
        try:
            return json.loads(self._chosen.read_text())
        except FileNotFoundError:
            raise Trouble(f"no cluster in {self.state}: start one with `{HERE / 'cluster'} up`") from None

    def choose(self, **more):
        """Reserves a network that no other cluster or route of this machine uses, and stores `more` with it."""
        self.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.state.stat().st_uid != os.geteuid():
            raise Trouble(f"{self.state} belongs to somebody else: name another folder by --state or KINETIC_CLUSTER")
        for folder in (self.pki, self.logs, self.imports):
            folder.mkdir(exist_ok=True)
        NETWORKS.mkdir(mode=0o700, exist_ok=True)
        with open(NETWORKS / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            number = next((n for n in range(1, 255) if self._is_free(n)), None)
            if number is None:
                raise Trouble("no network of 10.213.0.0/16 is free on this machine")
            (NETWORKS / str(number)).write_text(str(self.state))
            chosen = self._network(number) | more
            self._chosen.write_text(json.dumps(chosen))
        return chosen

    def release(self):
        """Releases the network and removes the selection."""
        (NETWORKS / str(self.chosen()["number"])).unlink(missing_ok=True)
        shutil.rmtree(self.state)

    def is_chosen(self):
        return self._chosen.exists()

    @staticmethod
    def _network(number):
        """Each cluster has its own addresses for pods and servers, so ports do not conflict."""
        network = ipaddress.ip_network(f"10.213.{number}.0/24")
        return {"number": number, "bridge": f"kinetic{number}", "network": str(network), "address": str(network[1]),
                "loopback": f"127.213.{number}.1"}

    @staticmethod
    def _is_free(number):
        owner = NETWORKS / str(number)
        if owner.exists() and (pathlib.Path(owner.read_text()) / "chosen.json").exists():
            return False
        return not tool("ip", "route", "show", "root", f"10.213.{number}.0/24").strip()
