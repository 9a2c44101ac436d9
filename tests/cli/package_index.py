"""A package index on a free port of this machine, so that requirements can fail without a network."""

import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from python_packages import source_archive, wheel

# A build backend that needs nothing from an index, and whose compiler is not there.
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
    sys.exit("error: command 'gcc' failed: No such file or directory")
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'


def module(name, version, requires=()):
    """A wheel of one empty module."""
    return wheel(name, [(f"{name}.py", "")], requires, version=version)


def source_that_needs_a_compiler(name):
    return source_archive(name, {"pyproject.toml": PROJECT, "backend.py": BACKEND.replace("{name}", name)})


class PackageIndex:
    """Serves files, each as `name-version…`, until it is closed."""

    def __init__(self, *files):
        contents = dict(files)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                parts = self.path.strip("/").split("/")
                body = contents.get(parts[-1]) if parts[0] == "files" else None
                kind = "application/octet-stream"
                if parts[0] == "simple" and len(parts) == 2:
                    links = [f'<a href="/files/{file}">{file}</a>' for file in contents
                             if file.split("-")[0] == parts[1]]
                    body, kind = "".join(links).encode() if links else None, "text/html"
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.lines = f"--index-url http://127.0.0.1:{self.server.server_address[1]}/simple\n"

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
