"""Start and end times of containers from the node's containerd, which are more precise than those of a pod status."""

import datetime
import json
import pathlib
import subprocess
import threading

from cluster_place import wait_for


class ContainerTimes:
    """Records events of containerd on node n1 while a block runs."""

    def __init__(self, place):
        self._place = place
        self._moments = {}
        self._hooks = {}
        state = pathlib.Path(json.loads(place.describe())["state"])
        socket = next(state.glob("nodes/n1/**/containerd.sock"))
        self._events = subprocess.Popen(["ctr", "--address", socket, "--namespace", "k8s.io", "events"],
                                        stdout=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self):
        self._reader.start()
        return self

    def __exit__(self, *_):
        self._events.terminate()
        self._events.wait()
        self._reader.join()
        self._events.stdout.close()

    def _read(self):
        """Lines like: 2026-11-22 06:00:00.123456789 +0000 UTC k8s.io /tasks/exit {"container_id":"…",…}"""
        for line in self._events.stdout:
            day, clock, _, _, _, topic, content = line.split(" ", 6)
            event = json.loads(content)
            when = datetime.datetime.fromisoformat(f"{day} {clock[:15]}").timestamp()
            container = event.get("container_id")
            if topic == "/tasks/start":
                self._moments.setdefault(container, {})["start"] = when
            elif topic == "/tasks/exit" and event.get("id", container) == container:
                self._moments.setdefault(container, {})["exit"] = when
            elif topic == "/tasks/exit":
                self._hooks[container] = when

    def of(self, job):
        """Returns the duration of a job's only pod and its parts, after its end."""
        path = self._place.pods_path(f"?labelSelector=job-name={job}")

        def finished():
            pods = self._place.api.get(path)["items"]
            return pods[0] if pods and pods[0]["status"]["phase"] in ("Succeeded", "Failed") else None

        status = wait_for(f"the end of the pod of {job}", finished)["status"]
        ids = {each["name"]: each["containerID"].removeprefix("containerd://")
               for each in status["containerStatuses"] + status["initContainerStatuses"]}
        main, collector = ids["main"], ids["collector"]
        wait_for("containerd's events of the pod", lambda: all("exit" in self._moments.get(each, {})
                                                           for each in (main, collector)))
        began, ended = self._moments[collector]["start"], self._moments[collector]["exit"]
        done = self._moments[main]["exit"]
        return {"hook": self._hooks.get(collector, began) - began, "main": done - self._moments[main]["start"],
                "after": ended - done, "whole": ended - began}
