"""An image registry for one test: Debian's docker-registry with configurable authentication."""

import base64
import gzip
import hashlib
import http.server
import json
import pathlib
import shutil
import socket
import subprocess
import tarfile
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

TIMEOUT = 30  # seconds
USER, PASSWORD = "ana", "s3cret-pass"
READER = "bo"  # has the same password and may read
IDENTITY_TOKEN = "s3cret-identity"
GOOGLE_TOKEN = "ya29.s3cret-token"
# Output of `htpasswd -B` for the two users.
PASSWORDS = """ana:$2b$04$7kiUuqi2LLJcB8cakWzMr.Tm4gSFM9QxMLwLwxDlUwTTtJKQtBdNC
oauth2accesstoken:$2b$04$WM2FscWuzGk28nnMQDJBTOiBMeLaotqIq24EAbi8.sESUPc3t0cYa
"""
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
SERVICE, ISSUER = "registry.test", "tokens.test"


def missing():
    """Returns the missing requirements of this machine, or None."""
    return None if shutil.which("docker-registry") else "not installed: docker-registry"


def sha256(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Registry:
    """`auth`: that part of its configuration. `identity`: a file with certificate and key. `deletes`: whether
    deletion is enabled."""

    def __init__(self, folder, auth=None, identity=None, deletes=True):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        settings = {"version": 0.1, "log": {"level": "warn", "accesslog": {"disabled": True}},
                    "storage": {"filesystem": {"rootdirectory": str(self.folder / "data")}, "delete": {"enabled": deletes}},
                    "http": {"addr": self.host, "secret": "of-this-test"}}
        if auth:
            settings["auth"] = auth
        if identity:
            settings["http"]["tls"] = {"certificate": str(identity), "key": str(identity)}
        config = self.folder / "config.yml"
        config.write_text(json.dumps(settings))  # JSON is YAML
        with open(self.folder / "log", "wb") as log:
            self._server = subprocess.Popen(["docker-registry", "serve", config], stdout=log, stderr=log)
        self._wait()

    def _wait(self):
        deadline = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if self._server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((self.folder / "log").read_text()) from None
                time.sleep(0.02)

    def stop(self):
        self._server.kill()
        self._server.wait()

    def get(self, path, accept=None):
        request = urllib.request.Request(f"http://{self.host}/v2/{path}", headers={"Accept": accept} if accept else {})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.read()

    def tags(self, repository):
        return json.loads(self.get(f"{repository}/tags/list"))["tags"]

    def image(self, repository, name):
        """Returns manifest, configuration and layers of an image after checking every digest and size."""
        document = self.get(f"{repository}/manifests/{name}", f"{MANIFEST}, {DOCKER_MANIFEST}")
        manifest = json.loads(document)

        def blob(descriptor):
            content = self.get(f"{repository}/blobs/{descriptor['digest']}")
            assert (sha256(content), len(content)) == (descriptor["digest"], descriptor["size"])
            return content

        return document, json.loads(blob(manifest["config"])), [blob(layer) for layer in manifest["layers"]]

    def stored(self, repository):
        """Returns the digests that a repository has on disk, including manifests, after checking the contents."""
        digests = set()
        for part in ("_layers/sha256", "_manifests/revisions/sha256"):
            links = self.folder / "data/docker/registry/v2/repositories" / repository / part
            digests |= {link.read_text() for link in links.glob("*/link")}
        for digest in digests:
            hexadecimal = digest.removeprefix("sha256:")
            data = self.folder / f"data/docker/registry/v2/blobs/sha256/{hexadecimal[:2]}/{hexadecimal}/data"
            assert sha256(data.read_bytes()) == digest
        return digests


    def uploads(self, repository):
        """Returns upload sessions that were neither completed nor cancelled."""
        folder = self.folder / "data/docker/registry/v2/repositories" / repository / "_uploads"
        return [path.parent.name for path in folder.glob("*/startedat")]

    def _ask(self, method, address, body, **headers):
        url = address if address.startswith("http") else f"http://{self.host}/v2/{address}"
        request = urllib.request.Request(url, body, headers, method=method)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.headers

    def put_blob(self, repository, content):
        """@returns digest and size, for a descriptor"""
        session = self._ask("POST", f"{repository}/blobs/uploads/", b"")["Location"]
        digest = sha256(content)
        self._ask("PUT", f"{session}&digest={urllib.parse.quote(digest)}", content,
                  **{"Content-Type": "application/octet-stream"})
        return {"digest": digest, "size": len(content)}

    def put_manifest(self, repository, name, document):
        """@param name  a tag, or None   @returns media type, digest and size, for a descriptor"""
        content = json.dumps(document).encode()
        self._ask("PUT", f"{repository}/manifests/{name or sha256(content)}", content,
                  **{"Content-Type": document["mediaType"]})
        return {"mediaType": document["mediaType"], "digest": sha256(content), "size": len(content)}

    def put_archived(self, repository, tag, archive, name):
        """Stores an image of a docker-archive with compressed layers."""
        with tarfile.open(archive) as images:
            def read(member):
                return images.extractfile(member).read()

            [image] = [one for one in json.loads(read("manifest.json")) if name in one["RepoTags"]]
            layers = [gzip.compress(read(layer), compresslevel=1, mtime=0) for layer in image["Layers"]]
            kind = "application/vnd.oci.image.{}"
            self.put_manifest(repository, tag, {
                "schemaVersion": 2, "mediaType": MANIFEST,
                "config": {"mediaType": kind.format("config.v1+json"),
                           **self.put_blob(repository, read(image["Config"]))},
                "layers": [{"mediaType": kind.format("layer.v1.tar+gzip"), **self.put_blob(repository, layer)}
                           for layer in layers]})


def basic_auth(folder):
    """Returns the configuration for the users in PASSWORDS."""
    file = pathlib.Path(folder) / "htpasswd"
    file.write_text(PASSWORDS)
    return {"htpasswd": {"realm": "kinetic", "path": str(file)}}


class TokenService:
    """Issues tokens of a registry. USER has all rights, READER may read."""

    def __init__(self, folder, lifetime=300):
        self.folder = pathlib.Path(folder)
        self.asked = []  # "GET ana repository:team/app:pull,push"
        self.lifetime = lifetime
        self.unavailable = 0  # number of requests to answer with 503 first
        self.certificate, self._key = self.folder / "tokens.crt", self.folder / "tokens.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", self._key, "-out",
                        self.certificate, "-days", "2", "-subj", "/CN=tokens"], check=True, capture_output=True)
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                service._get(self)

            def do_POST(self):
                service._post(self)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def auth(self):
        """Returns the configuration of a registry that requires its tokens."""
        return {"token": {"realm": f"http://127.0.0.1:{self._server.server_port}/token", "service": SERVICE,
                          "issuer": ISSUER, "rootcertbundle": str(self.certificate)}}

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def _get(self, request):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
        shown = request.headers.get("Authorization", "").removeprefix("Basic ")
        user, _, password = base64.b64decode(shown).decode().partition(":")
        if shown and (user not in (USER, READER) or password != PASSWORD or query["account"] != [user]):
            return self._answer(request, 401, {"details": "incorrect username or password"})
        self._give(request, user, query["service"], query.get("scope", []))

    def _post(self, request):
        form = urllib.parse.parse_qs(request.rfile.read(int(request.headers["Content-Length"])).decode())
        if form["grant_type"] != ["refresh_token"] or form["refresh_token"] != [IDENTITY_TOKEN]:
            return self._answer(request, 401, {"details": "invalid refresh token"})
        self._give(request, USER, form["service"], form["scope"][0].split())

    def _give(self, request, user, services, scopes):
        self.asked.append(f"{request.command} {user} {' '.join(scopes)}")
        if self.unavailable > 0:
            self.unavailable -= 1
            return self._answer(request, 503, {})
        if services != [SERVICE]:
            return self._answer(request, 400, {"details": "another service"})
        allowed = {USER: {"pull", "push", "delete"}, READER: {"pull"}}.get(user, set())
        access = []
        for scope in scopes:
            kind, name, actions = scope.split(":")
            access.append({"type": kind, "name": name, "actions": sorted(allowed & set(actions.split(",")))})
        self._answer(request, 200, {"token": self._token(user, access), "expires_in": self.lifetime})

    def _token(self, user, access):
        lines = self.certificate.read_text().splitlines()
        header = {"typ": "JWT", "alg": "RS256", "x5c": ["".join(line for line in lines if "-----" not in line)]}
        now = int(time.time())
        claims = {"iss": ISSUER, "sub": user, "aud": SERVICE, "exp": now + self.lifetime, "nbf": now - 10, "iat": now,
                  "jti": str(len(self.asked)), "access": access}
        body = ".".join(_url_form(json.dumps(part).encode()) for part in (header, claims))
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self._key], input=body.encode(),
                                   capture_output=True, check=True).stdout
        return f"{body}.{_url_form(signature)}"

    @staticmethod
    def _answer(request, status, document):
        body = json.dumps(document).encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


def _url_form(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Tunnels:
    """An HTTP proxy whose tunnels all lead to one port of this machine."""

    def __init__(self, port):
        self.asked = []
        tunnels = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_CONNECT(self):
                tunnels.asked.append(self.path)
                with socket.create_connection(("127.0.0.1", port)) as behind:
                    self.send_response(200)
                    self.end_headers()
                    back = threading.Thread(target=_pass_on, args=(behind, self.connection))
                    back.start()
                    _pass_on(self.connection, behind)
                    back.join()
                self.close_connection = True

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


def _pass_on(source, target):
    try:
        while piece := source.recv(1 << 16):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # either end may disconnect at any time


class RegistriesCase(unittest.TestCase):
    """Tests with registries that all tests of a class share, and a home directory for each test."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-registry-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    @classmethod
    def serve(cls, name, **more):
        registry = Registry(cls.folder / name, **more)
        cls.addClassCleanup(registry.stop)
        return registry

    @classmethod
    def serve_with_tokens(cls):
        """Returns a registry with a token service, and the service."""
        tokens = TokenService(cls.folder)
        cls.addClassCleanup(tokens.stop)
        return cls.serve("tokens", auth=tokens.auth()), tokens

    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="home-", dir=self.folder))
