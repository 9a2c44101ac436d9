"""Commands of a complete cluster."""

import dataclasses
import json
import shutil

import containers
import fake_nodes
import images
import network
import other_versions
import programs
from control_plane import SERVERS, ControlPlane
from layout import HERE, Layout
from node import Node, Traits, tpu_traits
from processes import Processes
from trouble import NotHere, Trouble


class Cluster:
    """@param state  folder of the cluster; only the programs built once per user are elsewhere"""

    def __init__(self, state):
        self._layout = Layout(state)
        self._processes = Processes(state, self._layout.logs)
        self._for_test = state / "started-for-test"

    def build(self):
        """Builds the programs once per user. If no cluster can run, describe() reports the reason from then on."""
        self._layout.unavailable.unlink(missing_ok=True)
        try:
            if reason := containers.unavailable():
                raise NotHere(reason)
            programs.build()
        except NotHere as reason:
            self._layout.unavailable.write_text(str(reason))
            raise
        images.bundle()

    def up(self, for_test):
        """Starts a cluster with node n1. Keeps a running cluster; removes the leftovers of a dead one."""
        self.build()
        if self._layout.is_chosen() and not self.is_up():
            self.down()
        if not self._layout.is_chosen():
            chosen = self._layout.choose()
            if for_test:
                self._for_test.touch()
            network.up(chosen)
            network.write_plugins(self._layout.state / "cni", chosen)
            self._plane().start()
        self._plane().start_apiserver()
        if "n1" not in self._nodes():
            self.node("n1", tpu_traits())
        elif not self._node("n1").runs():
            self.node("n1")

    def plane(self, version):
        """Starts a control plane of a version without nodes."""
        programs.build()
        servers = other_versions.build(version)
        if self._layout.is_chosen():
            self.down()
        chosen = self._layout.choose(servers=str(servers))
        network.up(chosen)
        self._plane().start(scheduler=False)

    def down(self, for_test=False):
        """Stops all processes and removes all mounts and files."""
        if not self._layout.is_chosen() or (for_test and not self._for_test.exists()):
            return
        self._processes.stop("kwok")
        for name in self._nodes():
            self._node(name).remove()
        self._plane().stop()
        network.down(self._layout.chosen())
        self._layout.release()

    def is_up(self):
        """Returns whether the cluster is up. Its API server may be stopped."""
        lasting = [name for name in SERVERS if name != "apiserver"]
        return self._layout.is_chosen() and all(self._processes.pid(name) for name in lasting)

    def node(self, name, traits=None):
        """Starts a new or stopped node, or adds traits to a running one."""
        path = self._traits(name)
        if path.exists():
            had = Traits(**json.loads(path.read_text()))
            traits = traits.over(had) if traits else had
        elif not traits:
            raise Trouble(f"there is no node {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dataclasses.asdict(traits)))
        self._node(name).start(traits)

    def stop_node(self, name, containers):
        self._known(name).stop(containers)

    def remove_node(self, name):
        self._known(name).remove()
        self._plane().api().delete(f"/api/v1/nodes/{name}")

    def apiserver(self, action):
        plane = self._plane()
        plane.start_apiserver() if action == "start" else plane.stop_apiserver()

    def load(self, archive):
        """Imports images into every running node and those started later."""
        kept = self._layout.imports / archive.name
        self._layout.chosen()
        shutil.copyfile(archive, kept)
        for name in self._nodes():
            engine = self._node(name).engine
            if engine.runs():
                engine.load(kept)

    def push(self, image, name):
        """Pushes an image of the nodes to a registry without TLS."""
        running = (self._node(name).engine for name in self._nodes())
        next(engine for engine in running if engine.runs()).push(image, name)

    def fake_nodes(self, count, traits):
        fake_nodes.ensure(count, traits, self._plane(), self._processes, self._layout)

    def describe(self):
        """Returns the data that tests need."""
        if self._layout.unavailable.exists():
            raise NotHere(self._layout.unavailable.read_text())
        chosen, plane = self._layout.chosen(), self._plane()
        return {
            "state": str(self._layout.state),
            "kubeconfig": str(self._layout.kubeconfig),
            "server": plane.server,
            "etcd": plane.etcd_url(),
            "ca_file": str(plane.authority.certificate),
            "token": plane.authority.token(),
            "user_tokens": plane.authority.user_tokens(),
            "address": chosen["address"],
            "kubectl": str(programs.path("kubectl")),
            "kubectl_cache": str(self._layout.state / "kubectl"),
            "program": str(HERE / "cluster"),
            "images": images.NAMES,
        }

    def status(self):
        if not self._layout.is_chosen():
            yield f"down ({self._layout.state})"
            return
        for name in self._processes.names():
            yield f"{name:20} {self._processes.pid(name) or 'stopped'}"
        for name, value in self.describe().items():
            if name in ("state", "kubeconfig", "server", "address"):
                yield f"{name:20} {value}"

    def _plane(self):
        return ControlPlane(self._layout, self._processes, self._layout.chosen())

    def _node(self, name):
        return Node(name, self._layout, self._processes, self._plane(), self._layout.chosen())

    def _traits(self, name):
        return self._layout.node(name) / "traits.json"

    def _known(self, name):
        if name not in self._nodes():
            raise Trouble(f"there is no node {name}")
        return self._node(name)

    def _nodes(self):
        return [path.parent.name for path in sorted(self._layout.state.glob("nodes/*/traits.json"))]
