"""The registry client against docker-registry: images are read, mounted, copied and removed.

registry_client_test.py REGISTRY_TOOL
"""

import base64
import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import image_registry
from counting_proxy import Counter, CountingProxy
from image_registry import PASSWORD, READER, USER, sha256

TOOL = os.path.abspath(sys.argv[1])
LIMIT = 120  # seconds
DOCKER, OCI = "application/vnd.docker.distribution.", "application/vnd.oci.image."
DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"
DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json"
KINDS = {  # index, manifest, config and layer
    "oci": (f"{OCI}index.v1+json", f"{OCI}manifest.v1+json", f"{OCI}config.v1+json", f"{OCI}layer.v1.tar+gzip"),
    "docker": (f"{DOCKER}manifest.list.v2+json", f"{DOCKER}manifest.v2+json", DOCKER_CONFIG, DOCKER_LAYER)}
LAYERS = [
    {"usr/bin/env": "", "lib64/ld-linux-x86-64.so.2": "", "bin": "usr/bin", "big": os.urandom(1_000_000)},
    {"usr/local/bin/python3.12": "", "usr/local/bin/python3": "python3.12", "opt/Ünicode": b"x"}]


def layer(files):
    """Returns a tar archive of files and links: a string is a link target, an empty one a program."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.mode = 0o755
            if isinstance(content, str) and content:
                entry.type, entry.linkname = tarfile.SYMTYPE, content
            content = content if isinstance(content, bytes) else b""
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def make_image(registry, repository, kind="docker", tag=None, architecture="amd64"):
    """@returns the descriptor of its manifest"""
    _, manifest, config_type, layer_type = KINDS[kind]
    archives = [layer(files) for files in LAYERS]
    config = {"architecture": architecture, "os": "linux", "x-unknown": {"kept": True},
              "config": {"Env": ["PATH=/usr/local/bin:/usr/bin"]},
              "rootfs": {"type": "layers", "diff_ids": [sha256(archive) for archive in archives]}}
    document = {"schemaVersion": 2, "mediaType": manifest,
                "config": {"mediaType": config_type, **registry.put_blob(repository, json.dumps(config).encode())},
                "layers": [{"mediaType": layer_type, **registry.put_blob(repository, gzip.compress(archive, mtime=0))}
                           for archive in archives]}
    return registry.put_manifest(repository, tag, document)


def make_index(registry, repository, tag, kind, architectures):
    entries = [{**make_image(registry, repository, kind, architecture=architecture),
                "platform": {"os": "linux", "architecture": architecture}} for architecture in architectures]
    entries.append({**entries[0], "platform": {"os": "unknown", "architecture": "unknown"}})
    return registry.put_manifest(repository, tag, {"schemaVersion": 2, "mediaType": KINDS[kind][0],
                                                   "manifests": entries})


class ClientCase(image_registry.RegistriesCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = cls.serve("base")
        make_image(cls.base, "team/base", tag="1")

    def setUp(self):
        super().setUp()
        self.config = self.home / "config.json"

    def log_in_as(self, registry, user):
        shown = base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
        self.config.write_text(json.dumps({"auths": {registry.host: {"auth": shown}}}))

    def ask(self, verb, image, **more):
        """@returns {"done": …} or {"error", "message", "hint"}"""
        words = [TOOL, "--scratch", self.home / "scratch", "--docker-config", self.config, "--image", image]
        (self.home / "scratch").mkdir(exist_ok=True)
        for option, value in more.items():
            words += [f"--{option}", value]
        done = subprocess.run([*words, verb], capture_output=True, text=True, timeout=LIMIT)
        return json.loads(done.stdout)

    def do(self, verb, image, **more):
        told = self.ask(verb, image, **more)
        self.assertIn("done", told, told)
        return told["done"]

    def refused(self, verb, image, **more):
        told = self.ask(verb, image, **more)
        self.assertIn("error", told, told)
        return told["error"], told["message"]

    def expect_extended(self, registry, repository, tag):
        """Checks that the image is complete and consists of the layers of the base."""
        document, config, layers = registry.image(repository, tag)
        manifest = json.loads(document)
        self.assertEqual(manifest["mediaType"], KINDS["oci"][1])
        self.assertEqual({entry["mediaType"] for entry in manifest["layers"]}, {KINDS["oci"][3]})
        self.assertEqual([sha256(gzip.decompress(content)) for content in layers], config["rootfs"]["diff_ids"])
        self.assertEqual(config["config"]["Labels"], {"extended": "yes"})
        self.assertEqual(config["x-unknown"], {"kept": True})
        self.assertEqual(list((self.home / "scratch").iterdir()), [])


class Open(ClientCase):
    def test_image_is_read_by_tag_and_digest(self):
        for kind in KINDS:
            made = make_image(self.base, f"read/{kind}", kind, "1")
            for name in ("1", made["digest"]):
                told = self.do("read", f"{self.base.host}/read/{kind}", name=name)
                self.assertEqual((told["digest"], told["named"]), (made["digest"], made["digest"]))
                self.assertEqual(len(told["layers"]), len(LAYERS))

    def test_index_is_resolved_to_platform(self):
        for kind in KINDS:
            index = make_index(self.base, f"index/{kind}", "1", kind, ["s390x", "amd64", "arm64"])
            for architecture in ("amd64", "arm64"):
                told = self.do("read", f"{self.base.host}/index/{kind}:1", architecture=architecture)
                self.assertEqual(told["named"], index["digest"])
                self.assertEqual(json.loads(told["config"])["architecture"], architecture)
            error, message = self.refused("read", f"{self.base.host}/index/{kind}:1", architecture="ppc64le")
            self.assertEqual(error, "FAILED_PRECONDITION")
            self.assertTrue(message.endswith("is for s390x, amd64 and arm64, but the nodes are ppc64le"), message)

    def test_missing_image_is_reported(self):
        for image in ("team/base:2", "team/none:1"):
            self.assertEqual(self.refused("read", f"{self.base.host}/{image}")[0], "NOT_FOUND")

    def test_missing_blob_is_detected(self):
        made = make_image(self.base, "lost/bytes", tag="1")
        digest = json.loads(self.base.get(f"lost/bytes/manifests/{made['digest']}", made["mediaType"]))["config"]["digest"]
        hexadecimal = digest.removeprefix("sha256:")
        blob = self.base.folder / f"data/docker/registry/v2/blobs/sha256/{hexadecimal[:2]}/{hexadecimal}/data"
        content = blob.read_bytes()
        self.addCleanup(blob.write_bytes, content)
        blob.write_bytes(content.replace(b"linux", b"Linux"))
        self.assertEqual(self.refused("read", f"{self.base.host}/lost/bytes:1")[0], "DATA_LOSS")

    def test_python_of_image_is_found(self):
        found = self.do("python", f"{self.base.host}/team/base:1")
        self.assertEqual(found, {"path": "/usr/local/bin/python3.12", "has_glibc": True})
        shutil.rmtree(self.home / "scratch")
        error, message = self.refused("python", f"{self.base.host}/team/base:1", minor="3.11")
        self.assertEqual(error, "FAILED_PRECONDITION")
        self.assertTrue(message.endswith("team/base:1 has Python 3.12, but the job requires 3.11"), message)

    def test_blob_is_mounted_from_another_repository(self):
        digest = self.base.put_blob("mount/from", b"content of the blob")["digest"]
        goal = f"{self.base.host}/mount/to"
        self.assertIs(self.do("mount", goal, other=f"{self.base.host}/mount/from", name=digest), True)
        self.assertEqual(self.base.get(f"mount/to/blobs/{digest}"), b"content of the blob")

    def test_failed_mount_leaves_no_upload_session(self):
        goal = f"{self.base.host}/mount/none"
        for source in ("mount/from", "mount/nobody"):
            self.assertIs(self.do("mount", goal, other=f"{self.base.host}/{source}", name=sha256(b"unknown")), False)
        self.assertEqual(self.base.uploads("mount/none"), [])

    def test_tags_are_listed(self):
        for tag in ("a", "b", "c"):
            digest = make_image(self.base, "team/tags", tag=tag)["digest"]
        self.assertEqual(sorted(self.do("tags", f"{self.base.host}/team/tags")), ["a", "b", "c"])
        self.assertEqual(self.do("tags", f"{self.base.host}/team/nothing"), [])
        self.do("remove", f"{self.base.host}/team/tags", name=digest)
        self.assertEqual(self.do("tags", f"{self.base.host}/team/tags"), [])

    def test_image_is_removed_by_digest(self):
        digest = make_image(self.base, "team/removed", tag="1")["digest"]
        image = f"{self.base.host}/team/removed"
        error, message = self.refused("remove", image, name="1")
        self.assertEqual(error, "UNIMPLEMENTED")
        self.assertTrue(message.endswith("the registry does not remove tags"), message)
        for _ in range(2):
            self.do("remove", image, name=digest)
        self.assertEqual(self.refused("read", f"{image}:1")[0], "NOT_FOUND")

    def test_registry_without_delete(self):
        registry = self.serve("keeps", deletes=False)
        digest = make_image(registry, "team/kept", tag="1")["digest"]
        error, message = self.refused("remove", f"{registry.host}/team/kept", name=digest)
        self.assertEqual(error, "UNIMPLEMENTED")
        self.assertTrue(message.endswith("the registry does not support deletion"), message)
        self.do("read", f"{registry.host}/team/kept:1")

    def test_copy_within_registry_uploads_nothing(self):
        counter = Counter()
        proxy = CountingProxy(f"http://{self.base.host}", counter)
        self.addCleanup(proxy.stop)
        host = proxy.url.removeprefix("http://")
        self.assertEqual(self.do("extend", f"{host}/team/base:1", other=f"{host}/team/beside:1"), 0)
        self.expect_extended(self.base, "team/beside", "1")
        sent = [request.split("?")[0] for request in counter.requests if request.startswith("PUT")]
        self.assertEqual(len(sent), 2, sent)  # the configuration and the manifest
        self.assertEqual(self.base.uploads("team/beside"), [])

    def test_image_is_copied_from_another_registry(self):
        goal = self.serve("goal")
        sent = self.do("extend", f"{self.base.host}/team/base:1", other=f"{goal.host}/team/copy:1")
        self.assertGreater(sent, 1_000_000)
        self.expect_extended(goal, "team/copy", "1")
        self.assertEqual(self.do("extend", f"{self.base.host}/team/base:1", other=f"{goal.host}/team/copy:2"), 0)
        first, second = (goal.image("team/copy", tag)[0] for tag in ("1", "2"))
        self.assertEqual(first, second)

    def test_single_faults_are_retried(self):
        goal = self.serve("faults")
        for beside in (False, True):
            counter = Counter()
            proxies = [CountingProxy(f"http://{registry.host}", counter)
                       for registry in ([goal, goal] if beside else [self.base, goal])]
            for proxy in proxies:
                self.addCleanup(proxy.stop)
            source, host = (proxy.url.removeprefix("http://") for proxy in proxies)
            if beside:
                source = host
                make_image(goal, "team/base", tag="1")
            for fault, answered in ((None, False), (None, True), (500, False), (500, True), (429, False)):
                at, struck = -1, [True]
                while struck:
                    at, struck = at + 1, []
                    counter.arm(at, answered, lambda: struck.append(True) or fault)
                    repository = f"faults/{beside}-{fault or 'cut'}-{answered}-{at}".lower()
                    self.do("extend", f"{source}/team/base:1", other=f"{host}/{repository}:1")
                    self.expect_extended(goal, repository, "1")
                self.assertGreaterEqual(at, 10)  # each request


class WithPasswords(ClientCase):
    def test_login_covers_all_operations(self):
        registry = self.serve("passwords", auth=image_registry.basic_auth(self.folder))
        self.log_in_as(registry, USER)
        self.do("extend", f"{self.base.host}/team/base:1", other=f"{registry.host}/team/base:1")
        self.assertEqual(self.do("tags", f"{registry.host}/team/base"), ["1"])
        self.assertEqual(self.do("extend", f"{registry.host}/team/base:1", other=f"{registry.host}/team/app:1"), 0)
        digest = self.do("read", f"{registry.host}/team/app:1")["digest"]
        self.do("remove", f"{registry.host}/team/app", name=digest)
        self.assertEqual(self.do("tags", f"{registry.host}/team/app"), [])


class WithTokens(ClientCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry, cls.tokens = cls.serve_with_tokens()

    def setUp(self):
        super().setUp()
        self.log_in_as(self.registry, USER)
        self.do("extend", f"{self.base.host}/team/base:1", other=f"{self.registry.host}/team/base:1")
        self.tokens.asked.clear()

    def test_token_of_a_push_covers_the_source_of_its_mounts(self):
        image = f"{self.registry.host}/team"
        self.assertEqual(self.do("extend", f"{image}/base:1", other=f"{image}/beside:1"), 0)
        self.assertEqual(self.tokens.asked, ["GET ana repository:team/base:pull",
                                             "GET ana repository:team/beside:pull,push repository:team/base:pull"])

    def test_read_requests_only_pull_scope(self):
        self.log_in_as(self.registry, READER)
        self.do("read", f"{self.registry.host}/team/base:1")
        self.assertEqual(self.tokens.asked, ["GET bo repository:team/base:pull"])

    def test_scope_of_another_repository_is_requested_on_demand(self):
        digest = self.do("read", f"{self.registry.host}/team/base:1")["layers"][0]
        self.tokens.asked.clear()
        self.assertIs(self.do("mount", f"{self.registry.host}/team/late", other=f"{self.registry.host}/team/base",
                              name=digest), True)
        self.assertEqual(self.tokens.asked, ["GET ana repository:team/late:pull,push repository:team/base:pull"])

    def test_removal_requests_delete_scope(self):
        digest = self.do("read", f"{self.registry.host}/team/base:1")["digest"]
        self.tokens.asked.clear()
        self.do("remove", f"{self.registry.host}/team/base", name=digest)
        self.assertTrue(self.tokens.asked[0].endswith(":delete"), self.tokens.asked)

    def test_missing_permission_is_reported(self):
        digest = self.do("read", f"{self.registry.host}/team/base:1")["digest"]
        self.log_in_as(self.registry, READER)
        self.assertEqual(self.refused("remove", f"{self.registry.host}/team/base", name=digest)[0], "PERMISSION_DENIED")
        error, message = self.refused("extend", f"{self.registry.host}/team/base:1",
                                      other=f"{self.registry.host}/team/reader:1")
        self.assertEqual(error, "PERMISSION_DENIED", message)


if __name__ == "__main__":
    if why := image_registry.missing():
        sys.exit(f"{why}: scripts/install-packages test")
    unittest.main(argv=sys.argv[:1])
