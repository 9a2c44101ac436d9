"""Serves a package index with a few tiny packages on a free port, protected by a password.

Prints the port. Ends when its standard input is closed.
"""

import base64
import hashlib
import http.server
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from python_packages import source_archive, wheel

USER, PASSWORD = "ana", sys.argv[1]


def source(name):
    """Returns a source archive that cannot be built: its backend is missing."""
    return source_archive(name, {"pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "nowhere"\n'})


PACKAGES = {
    "kinetic-private-sample": [wheel("kinetic-private-sample", [
        ("kinetic_private_sample.py", "def main():\n    print('private')\n"),
        ("INFO/entry_points.txt", "[console_scripts]\nprivate-sample = kinetic_private_sample:main\n")])],
    # Its dependencies vary with Python and platform.
    "kinetic-marked": [wheel("kinetic-marked", [("kinetic_marked.py", "")], [
        "kinetic-new; python_version >= '3.12'", "kinetic-old; python_version < '3.12'",
        "kinetic-exact; python_full_version == '3.12.0'", "kinetic-win; sys_platform == 'win32'",
        "kinetic-arm; platform_machine == 'aarch64'"])],
    **{f"kinetic-{one}": [wheel(f"kinetic-{one}", [(f"kinetic_{one}.py", "")])]
       for one in ("new", "old", "exact", "win", "arm")},
    # All parts that a wheel can have.
    "kinetic-full": [wheel("kinetic-full", [
        ("kinetic_full/__init__.py", "def main():\n    print('full')\n"),
        ("kinetic_full/__pycache__/x.cpython-312.pyc", "old"),
        ("kinetic_full/template.py", "import {{ name }}\n"),
        ("kinetic_full/tool.sh", "#!/bin/sh\n", 0o755),
        ("kinetic_full/a,b.txt", "comma"),
        ("share/in_site.txt", "in site-packages"),
        ("DATA/purelib/kinetic_pure.py", ""),
        ("DATA/platlib/kinetic_plat.py", ""),
        ("DATA/scripts/full-script", "#!python\nimport kinetic_full\nkinetic_full.main()\n", 0o644),
        ("DATA/scripts/full-options", "#!python -E\nimport kinetic_full\nkinetic_full.main()\n"),
        ("DATA/scripts/full-shell", "#!/bin/sh\necho shell\n"),
        ("DATA/scripts/full-env", "#!/usr/bin/env python3\n"),
        ("DATA/scripts/full-binary", b"\x7fELF\0\0"),
        ("DATA/data/share/full/data.txt", "data"),
        ("DATA/data/etc/full.conf", "conf"),
        ("DATA/data/lib/libfull.so", "library"),
        ("DATA/headers/full.h", "header"),
        ("INFO/licenses/LICENSE", "licence"),
        ("INFO/entry_points.txt",
         "[console_scripts]\nfull = kinetic_full:main\nfull-extra = kinetic_full:main [extra]\n"
         "[gui_scripts]\nfull-window = kinetic_full:main\n[other]\nnone = kinetic_full:main\n")])],
    "kinetic-source": [source("kinetic-source")],
    "kinetic-foreign": [wheel("kinetic-foreign", [("kinetic_foreign.py", "")], tag="cp312-cp312-win_amd64")],
    "kinetic-compiled": [wheel("kinetic-compiled", [("kinetic_compiled.py", f"tag = '{tag}'\n")], tag=tag)
                         for tag in ("cp311-cp311-manylinux_2_17_x86_64", "cp312-cp312-manylinux_2_17_x86_64",
                                     "cp312-cp312-manylinux_2_31_x86_64", "cp312-cp312-manylinux_2_35_x86_64",
                                     "cp312-cp312-manylinux_2_31_aarch64", "cp312-cp312-musllinux_1_2_x86_64")],
}
FILES = {file: content for files in PACKAGES.values() for file, content in files}
PAGES = {f"/files/{file}": content for file, content in FILES.items()}
for package, files in PACKAGES.items():
    links = "".join(f'<a href="/files/{file}#sha256={hashlib.sha256(content).hexdigest()}">{file}</a>'
                    for file, content in files)
    PAGES[f"/simple/{package}/"] = f"<html><body>{links}</body></html>".encode()
EXPECTED = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        allowed = self.headers.get("Authorization") == EXPECTED
        body = PAGES.get(self.path) if allowed else b"who are you?"
        self.send_response(401 if not allowed else 200 if body else 404)
        if not allowed:
            self.send_header("WWW-Authenticate", "Basic realm=index")
        body = body or b""
        self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
