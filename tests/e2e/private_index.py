"""Serves a package index with one tiny package on a free port, to those who give the password.

Prints the port. Ends when its standard input is closed.
"""

import base64
import hashlib
import http.server
import io
import sys
import threading
import zipfile

USER, PASSWORD, NAME = "ana", sys.argv[1], "kinetic-private-sample"
FILE = "kinetic_private_sample-1.0-py3-none-any.whl"


def make_wheel():
    info = "kinetic_private_sample-1.0.dist-info/"
    files = {
        "kinetic_private_sample.py": "def main():\n    print('private')\n",
        info + "METADATA": f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n",
        info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        info + "entry_points.txt": "[console_scripts]\nprivate-sample = kinetic_private_sample:main\n",
    }
    record = "".join(f"{name},,\n" for name in files) + info + "RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        for name, text in {**files, info + "RECORD": record}.items():
            wheel.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


WHEEL = make_wheel()
PAGES = {
    f"/simple/{NAME}/": (
        f'<html><body><a href="/files/{FILE}#sha256={hashlib.sha256(WHEEL).hexdigest()}">{FILE}</a></body></html>'
    ).encode(),
    f"/files/{FILE}": WHEEL,
}
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
