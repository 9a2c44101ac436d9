"""A package index on a free port of this machine, for failing requirements without a network."""

import base64
import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from python_packages import project, source_archive, wheel

# A build backend without dependencies, whose compiler is missing.
BACKEND = """
import os, sys

def _info(folder):
    os.makedirs(os.path.join(folder, "{name}-1.0.dist-info"))
    with open(os.path.join(folder, "{name}-1.0.dist-info", "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
    return "{name}-1.0.dist-info"

def get_requires_for_build_wheel(config=None):
    return []

def prepare_metadata_for_build_wheel(folder, config=None):
    return _info(folder)

def build_wheel(folder, config=None, metadata=None):
    print("compiling {name}.c", flush=True)
    sys.exit("error: command 'gcc' failed: No such file or directory")
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


def module(name, version, requires=()):
    """Returns a wheel with one empty module."""
    return wheel(name, [(f"{name}.py", "")], requires, version=version)


def fake_jax(platform, count=1, version="1.0"):
    """Returns a wheel of a fake JAX that reports the given number of devices of a platform."""
    return wheel("jax", [("jax.py", f"class Device:\n    platform = {platform!r}\n\n\n__version__ = {version!r}\n\n\n"
                          f"def local_devices():\n    return [Device()] * {count}\n")], version=version)


def project_requiring_compiler(name):
    return {"pyproject.toml": PROJECT, "backend.py": BACKEND.replace("{name}", name)}


def source_requiring_compiler(name):
    return source_archive(name, project_requiring_compiler(name))


class PackageIndex:
    """Serves files, each as `name-version…`, until it is closed.

    @param address  address of this machine for other machines; by default only this machine has access
    @param login    "user:password" that is required
    """

    def __init__(self, *files, address="127.0.0.1", login=None):
        contents = dict(files)
        expected = login and "Basic " + base64.b64encode(login.encode()).decode()
        self.may_answer = threading.Event()  # cleared: requests wait
        self.may_answer.set()
        self.asked = threading.Event()
        index = self
        self.requests = []  # (path, credentials)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_HEAD(self):
                self.record()
                self.answer(404, b"", "text/plain")

            def record(self):
                index.requests.append((self.path, self.headers.get("Authorization")))

            def do_GET(self):
                self.record()
                index.asked.set()
                index.may_answer.wait()
                if expected and self.headers.get("Authorization") != expected:
                    return self.answer(401, b"login required", "text/plain")
                parts = self.path.strip("/").split("/")
                body = contents.get(parts[-1]) if parts[0] == "files" else None
                kind = "application/octet-stream"
                if parts[0] == "simple" and len(parts) == 2:
                    links = [f'<a href="/files/{file}">{file}</a>' for file in contents
                             if file.split("-")[0] == parts[1]]
                    body, kind = "".join(links).encode() if links else None, "text/html"
                return self.answer(404 if body is None else 200, body or b"", kind)

            def answer(self, status, body, kind):
                self.send_response(status)
                if status == 401:
                    self.send_header("WWW-Authenticate", "Basic realm=index")
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except ConnectionError:
                    pass  # the client was terminated

            def log_message(self, *_):
                pass

        here = address == "127.0.0.1"
        self.server = http.server.ThreadingHTTPServer((address if here else "0.0.0.0", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.place = f"{address}:{self.server.server_address[1]}/simple"
        self.lines = f"--index-url http://{self.place}\n" + ("" if here else f"--trusted-host {address}\n")

    def close(self):
        self.may_answer.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class RepositoryServer:
    """Serves the files of a git repository, without its protocol, to clients that log in."""

    def __init__(self, files, login):
        expected = "Basic " + base64.b64encode(login.encode()).decode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                is_user = self.headers.get("Authorization") == expected
                body = files.get(self.path.strip("/").split("?")[0]) if is_user else b""
                self.send_response(401 if not is_user else 404 if body is None else 200)
                if not is_user:
                    self.send_header("WWW-Authenticate", "Basic realm=git")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.place = f"127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
