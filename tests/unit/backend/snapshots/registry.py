"""An image registry without images, for failed, denied and slow pulls."""

import contextlib
import hashlib
import http.server
import json
import threading
import time

SIZE = 50_000_000
LAYER = "sha256:" + hashlib.sha256(b"dripping").hexdigest()
CONFIG = json.dumps({"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": [LAYER]}}).encode()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


MANIFEST = json.dumps({
    "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digest(CONFIG),
               "size": len(CONFIG)},
    "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": LAYER, "size": SIZE}],
}).encode()


INDEX = json.dumps({
    "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
    "manifests": [{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest(MANIFEST),
                   "size": len(MANIFEST), "platform": {"architecture": "arm64", "os": "linux"}}],
}).encode()


class Registry(http.server.BaseHTTPRequestHandler):
    """/v2/absent does not exist, /v2/private requires a login, /v2/denied denies access, /v2/foreign is for
    arm64 only, and /v2/slow never ends."""

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        parts = self.path.split("/")
        name = parts[2] if len(parts) > 2 else ""
        if name == "slow":
            return self.drip()
        if name == "foreign" and "/manifests/" in self.path:
            return self.answer(200, INDEX, "application/vnd.oci.image.index.v1+json")
        code, word = {"private": (401, "UNAUTHORIZED"), "denied": (403, "DENIED"),
                      "": (200, "")}.get(name, (404, "MANIFEST_UNKNOWN"))
        self.answer(code, json.dumps({"errors": [{"code": word, "message": word.lower()}]}).encode())

    def drip(self):
        if "/manifests/" in self.path:
            return self.answer(200, MANIFEST, "application/vnd.oci.image.manifest.v1+json")
        if digest(CONFIG) in self.path:
            return self.answer(200, CONFIG)
        self.send_response(200)
        self.send_header("Content-Length", str(SIZE))
        self.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(120):
                self.wfile.write(b"x" * 1000)
                self.wfile.flush()
                time.sleep(1)

    def answer(self, code, body, kind="application/json"):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Docker-Content-Digest", digest(body))
        if code == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="private"')
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
