"""The Python Kinetic as a rival on the same cluster and Cloud Storage.

It needs Google's tools and a Google credential. Their stand-ins cost less time: gcloud and its plugin only have to
exist, the cluster accepts a token in the kubeconfig, and a thread of this process issues Google tokens at once. Its
pods use an image with everything installed.
"""

import fcntl
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading

from cluster_place import command
import archive
import images

VERSION = "0.0.4"
PROJECT, ZONE, CLUSTER = "bench", "us-central1-a", "lab"
BUCKET = f"{PROJECT}-kn-{CLUSTER}-jobs"
KEPT = pathlib.Path.home() / f".cache/kinetic-tests/keras-kinetic@{VERSION}"
# Imports of its runner, in the client's versions.
_IN_POD = ("absl-py", "cloudpickle", "google-cloud-storage")

# It logs to standard output, where only the answer is expected.
_SCRIPT = """import os
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
import kinetic
@kinetic.run(accelerator="cpu", container_image={image!r}, namespace={namespace!r})
def f():
    import time
    return (time.time(), "." * {size})
if {detach}:
    print(f.run_async().k8s_name, file=answer, flush=True)
else:
    for _ in range({calls}):
        print(f()[0], file=answer, flush=True)
"""


def install():
    """Installs its packages once per user and version: 1 GB, two minutes."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with open(KEPT.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (KEPT / "done").exists():
            return
        shutil.rmtree(KEPT, ignore_errors=True)
        _run(sys.executable, "-m", "venv", KEPT / "client")
        python = KEPT / "client/bin/python"
        _run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv")
        uv = [KEPT / "client/bin/uv", "pip", "install", "--quiet", "--python", python]
        _run(*uv, f"keras-kinetic=={VERSION}")
        constraints = KEPT / "constraints.txt"
        constraints.write_text(_run(KEPT / "client/bin/uv", "pip", "freeze", "--python", python))
        _run(*uv, "--target", KEPT / "pod", "--constraint", constraints, *_IN_POD)
        (KEPT / "done").touch()


def _run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr[-2000:]}")
    return done.stdout


def _debian():
    """Returns the Python layer of the image that kinetic's jobs use."""
    with tarfile.open(images.bundle()) as bundle:
        made = json.load(bundle.extractfile("manifest.json"))
        layer = next(image["Layers"][0] for image in made if images.NAMES["python"] in image["RepoTags"])
        return bundle.extractfile(layer).read()


class _Tokens(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.dumps({"access_token": "token", "expires_in": 3600, "token_type": "Bearer"}).encode()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class PythonKinetic:
    """A caller of a trivial function on the cluster and Cloud Storage of a place."""

    def __init__(self, place):
        install()
        self.place = place
        self.folder = place.folder / "python"
        self.image = f"kinetic.test/python-kinetic:{place.port}"
        (self.folder / "project").mkdir(parents=True)
        for name in ("gcloud", "gke-gcloud-auth-plugin"):
            tool = self.folder / name
            tool.write_text("#!/bin/sh\nexit 1\n")
            tool.chmod(0o755)
        self._tokens = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Tokens)
        threading.Thread(target=self._tokens.serve_forever, daemon=True).start()
        self._make_credential()
        self._make_image()
        place.bucket.create(BUCKET)
        place.api.create(f"/api/v1/namespaces/{place.namespace}/serviceaccounts", {"metadata": {"name": "kinetic"}})

    def close(self):
        self._tokens.shutdown()
        self._tokens.server_close()

    def _make_credential(self):
        (self.folder / "credential.json").write_text(json.dumps({
            "type": "service_account", "project_id": PROJECT, "private_key_id": "1",
            "private_key": _run("openssl", "genrsa", "2048"), "client_id": "1",
            "client_email": "bench@bench.iam.gserviceaccount.com",
            "token_uri": f"http://127.0.0.1:{self._tokens.server_port}/token"}))

    def _make_image(self):
        runner = next((KEPT / "client").glob("lib/python*/site-packages/kinetic/runner/remote_runner.py"))
        with tempfile.TemporaryDirectory(prefix="kinetic-image-") as folder:
            layer, file = pathlib.Path(folder) / "layer.tar", pathlib.Path(folder) / "image.tar"
            _run("tar", "--numeric-owner", "--owner=0", "--group=0", "-cf", layer,
                 f"--transform=s,^{str(KEPT / 'pod')[1:]},opt/pod,",
                 f"--transform=s,^{str(runner)[1:]}$,app/remote_runner.py,", KEPT / "pod", runner)
            variables = ["PYTHONPATH=/opt/pod", f"STORAGE_EMULATOR_HOST={self.place.pods_storage}",
                         f"GOOGLE_CLOUD_PROJECT={PROJECT}"]
            archive.write(file, [archive.Image(self.image, [_debian(), layer.read_bytes()], {"Env": variables})])
            command("import", file)

    def environment(self, storage, server):
        kubeconfig = self.folder / "kubeconfig"
        name = f"gke_{PROJECT}_{ZONE}_{CLUSTER}"
        kubeconfig.write_text(json.dumps(self.place.kubeconfig_to(server, name)))
        return {"PATH": f"{self.folder}:/usr/bin:/bin", "HOME": str(self.folder), "KUBECONFIG": str(kubeconfig),
                "GOOGLE_APPLICATION_CREDENTIALS": str(self.folder / "credential.json"),
                "STORAGE_EMULATOR_HOST": storage, "KINETIC_PROJECT": PROJECT, "KINETIC_ZONE": ZONE,
                "KINETIC_CLUSTER": CLUSTER}

    def script(self, detach=False, size=0, calls=1):
        """Returns a program that calls the function and prints the times of its returns, or the Job's name."""
        path = self.folder / "project/script.py"
        path.write_text(_SCRIPT.format(image=self.image, namespace=self.place.namespace, detach=detach, size=size,
                                       calls=calls))
        return [KEPT / "client/bin/python", path]

    def run(self, detach=False, size=0, far=False, calls=1):
        return self.place.run(self.script(detach, size, calls), self.environment(*self.place.ways(far)),
                              cwd=self.folder / "project")
