"""A package index on a free port of this machine, so that requirements can fail without a network."""

import http.server
import io
import tarfile
import threading
import zipfile

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


def wheel(name, version, requires=()):
    info = f"{name}-{version}.dist-info/"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    files = {f"{name}.py": "", info + "METADATA": metadata + "".join(f"Requires-Dist: {r}\n" for r in requires),
             info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    files[info + "RECORD"] = "".join(f"{file},,\n" for file in files) + info + "RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file, text in files.items():
            archive.writestr(zipfile.ZipInfo(file), text)
    return f"{name}-{version}-py3-none-any.whl", buffer.getvalue()


def source_that_needs_a_compiler(name):
    files = {"pyproject.toml": PROJECT, "backend.py": BACKEND.replace("{name}", name),
             "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for file, text in files.items():
            entry = tarfile.TarInfo(f"{name}-1.0/{file}")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"{name}-1.0.tar.gz", buffer.getvalue()


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
