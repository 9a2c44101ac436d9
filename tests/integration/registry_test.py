"""kinetic image runner --push against docker-registry: authentication and faults.

registry_test.py KINETIC PROGRAM (statically linked, so that the image is small)
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import image_registry
from counting_proxy import Counter, CountingProxy, make_identity
from image_registry import GOOGLE_TOKEN, IDENTITY_TOKEN, PASSWORD, READER, USER

KINETIC, PROGRAM = (os.path.abspath(word) for word in sys.argv[1:3])
REFUSED = 120  # docs/reference/exit-codes.md
SECRETS = [PASSWORD, IDENTITY_TOKEN, GOOGLE_TOKEN, base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode(),
           base64.b64encode(f"oauth2accesstoken:{GOOGLE_TOKEN}".encode()).decode(), "eyJ"]
LIMIT = 120  # seconds


class RegistryCase(image_registry.RegistriesCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("kinetic-runner", "kinetic-launcher"):
            shutil.copy(PROGRAM, cls.folder / name)
        (cls.folder / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\n")

    def words(self, reference, *options):
        return [KINETIC, "image", "runner", "--push", reference, "--runner", self.folder / "kinetic-runner",
                "--ca-certificates", self.folder / "ca.pem", *options]

    def environment(self, **more):
        return {"HOME": str(self.home), "PATH": f"{self.home}:{os.environ['PATH']}", "KINETIC_METADATA_HOST": "none",
                **more}

    def push(self, reference, *options, code=0, **environment):
        """Pushes with all diagnostics and checks that they contain no secret.
        @returns the printed document or error"""
        trace = self.home / "trace"
        done = subprocess.run(self.words(reference, "--json", "-vvv", "--trace", trace, *options), capture_output=True,
                              text=True, env=self.environment(**environment), timeout=LIMIT)
        self.assertEqual(done.returncode, code, done.stderr)
        said = done.stdout + done.stderr + trace.read_text()
        for secret in SECRETS:
            self.assertNotIn(secret, said)
        return json.loads(done.stdout) if code == 0 else said

    def log_in(self, **entry):
        """Writes config.json as `docker login` does, with the given keys."""
        (self.home / ".docker").mkdir(exist_ok=True)
        (self.home / ".docker/config.json").write_text(json.dumps(entry))

    def log_in_as(self, registry, user, password=PASSWORD):
        shown = base64.b64encode(f"{user}:{password}".encode()).decode()
        self.log_in(auths={registry.host: {"auth": shown}})

    def expect_image(self, registry, repository, told):
        """Checks that the repository contains the reported image and nothing else."""
        wanted = {told["digest"], told["image_id"], *(layer["digest"] for layer in told["layers"])}
        self.assertEqual(registry.stored(repository), wanted)


class Open(RegistryCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry = cls.serve("open")

    def test_pulled_image_equals_pushed_image(self):
        told = self.push(f"{self.registry.host}/team/app")
        name, _, digest = told["reference"].rpartition("@")
        tag = name.rpartition(":")[2]
        self.assertEqual(name, f"{self.registry.host}/team/app:{tag}")
        self.assertTrue(tag.endswith(told["image_id"].removeprefix("sha256:")[:12]))
        self.assertEqual(self.registry.tags("team/app"), [tag])
        by_tag, config, _ = self.registry.image("team/app", tag)
        self.assertEqual(image_registry.sha256(by_tag), digest)
        self.assertEqual(self.registry.image("team/app", digest)[0], by_tag)
        self.assertEqual(config["rootfs"]["diff_ids"], [layer["diff_id"] for layer in told["layers"]])
        self.expect_image(self.registry, "team/app", told)
        size = sum(layer["compressed_bytes"] for layer in told["layers"]) + len(by_tag)
        self.assertGreater(told["sent_bytes"], size)
        self.assertEqual(told["present_bytes"], 0)
        self.assertEqual(list((self.home / ".cache/kinetic/images").iterdir()), [])

    def test_tag_can_be_selected(self):
        told = self.push(f"{self.registry.host}/team/chosen:one", "--compression", "gzip")
        self.assertEqual(told["name"], f"{self.registry.host}/team/chosen:one")
        self.assertEqual(self.registry.tags("team/chosen"), ["one"])

    def test_existing_blobs_are_not_uploaded_again(self):
        counter = Counter()
        proxy = CountingProxy(f"http://{self.registry.host}", counter)
        self.addCleanup(proxy.stop)
        host = proxy.url.removeprefix("http://")
        first = self.push(f"{host}/team/twice")
        counter.arm(None, False, None)
        second = self.push(f"{host}/team/twice")
        self.assertEqual({request.split()[0] for request in counter.requests}, {"HEAD"})
        self.assertEqual((second["sent_bytes"], second["present_bytes"]), (0, first["sent_bytes"]))
        self.assertEqual(second["reference"], first["reference"])
        counter.arm(None, False, None)
        renamed = self.push(f"{host}/team/twice:other")
        self.assertEqual([request for request in counter.requests if not request.startswith("HEAD")],
                         ["PUT /v2/team/twice/manifests/other"])
        self.assertEqual(renamed["digest"], first["digest"])

    def test_stdout_is_only_image_reference(self):
        done = subprocess.run(self.words(f"{self.registry.host}/team/printed"), capture_output=True, text=True,
                              env=self.environment(), check=True)
        self.assertRegex(done.stdout, rf"^{self.registry.host}/team/printed:\S+@sha256:[0-9a-f]{{64}}\n$")
        self.assertIn("pushed, 0 B already in the registry", done.stderr)

    def test_leftover_scratch_is_removed_after_a_day(self):
        images = self.home / ".cache/kinetic/images"
        for age in (0, 2):
            left = images / f"image-{age}"
            left.mkdir(parents=True)
            (left / "part").write_text("x")
            for path in (left / "part", left):
                os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age * 86400))
        self.push(f"{self.registry.host}/team/left")
        self.assertEqual([path.name for path in images.iterdir()], ["image-0"])

    def test_errors_are_reported(self):
        for reference, options, message in (("app", [], "no registry to push"), ("localhost:1/UP", [], "image name"),
                                            (f"{self.registry.host}/a", ["--output", "f"], "--output cannot be combined with --push"),
                                            (f"{self.registry.host}/a", ["--ref", "b"], "--ref cannot be combined with --push")):
            done = subprocess.run(self.words(reference, *options), env=self.environment(), capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(message, done.stderr)

    def test_single_faults_are_retried(self):
        counter = Counter()
        proxy = CountingProxy(f"http://{self.registry.host}", counter)
        self.addCleanup(proxy.stop)
        host = proxy.url.removeprefix("http://")
        for fault, answered in ((None, False), (None, True), (500, False), (500, True), (429, False)):
            at, struck = -1, [True]
            while struck:
                at, struck = at + 1, []
                counter.arm(at, answered, lambda: struck.append(True) or fault)
                repository = f"faults/{fault or 'cut'}-{answered}-{at}".lower()
                told = self.push(f"{host}/{repository}")
                self.expect_image(self.registry, repository, told)
                self.assertEqual(len(self.registry.tags(repository)), 1)
            self.assertGreaterEqual(at, 11)  # each request of a push

    def test_push_recovers_after_killed_push(self):
        counter = Counter()
        proxy = CountingProxy(f"http://{self.registry.host}", counter)
        self.addCleanup(proxy.stop)
        host = proxy.url.removeprefix("http://")
        for answered in (False, True):
            at = 0
            while self.killed_at(counter, at, answered, f"{host}/killed/{at}-{answered}".lower()):
                repository = f"killed/{at}-{answered}".lower()
                self.expect_image(self.registry, repository, self.push(f"{host}/{repository}"))
                at += 1
            self.assertGreaterEqual(at, 11)

    def killed_at(self, counter, at, answered, reference):
        started, client = threading.Event(), []

        def strike():
            started.wait()
            client[0].kill()
            client[0].wait()

        counter.arm(at, answered, strike)
        client.append(subprocess.Popen(self.words(reference), env=self.environment(), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL))
        started.set()
        code = client[0].wait(LIMIT)
        counter.arm(None, False, None)
        return code == -9


class WithPasswords(RegistryCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "passwords").mkdir()
        cls.registry = cls.serve("passwords", auth=image_registry.basic_auth(cls.folder / "passwords"))

    def test_docker_login_is_used(self):
        self.log_in_as(self.registry, USER)
        told = self.push(f"{self.registry.host}/team/app")
        self.expect_image(self.registry, "team/app", told)
        self.assertEqual(self.push(f"{self.registry.host}/team/app")["sent_bytes"], 0)

    def test_credential_helper_is_used(self):
        program = self.home / "docker-credential-test"
        program.write_text(f"""#!/bin/sh
read -r server; test "$1 $server" = "get {self.registry.host}" || exit 1
echo '{{"ServerURL":"'$server'","Username":"{USER}","Secret":"{PASSWORD}"}}'
""")
        program.chmod(0o755)
        self.log_in(credHelpers={self.registry.host: "test"})
        self.push(f"{self.registry.host}/team/program")

    def test_docker_config_folder_can_be_selected(self):
        self.log_in_as(self.registry, USER)
        (self.home / ".docker").rename(self.home / "elsewhere")
        said = self.push(f"{self.registry.host}/team/elsewhere", code=REFUSED)
        self.assertIn(f"there is none in {self.home}/.docker/config.json", said)
        self.assertIn(f"docker login {self.registry.host}", said)
        self.push(f"{self.registry.host}/team/elsewhere", DOCKER_CONFIG=str(self.home / "elsewhere"))

    def test_wrong_password_is_not_retried(self):
        self.log_in_as(self.registry, USER, "wrong")
        said = self.push(f"{self.registry.host}/team/wrong", code=REFUSED)
        self.assertIn(f"{self.registry.host} rejected the login in the file {self.home}/.docker/config.json", said)
        self.assertNotIn("attempts", said)


class WithTokens(RegistryCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.registry, cls.tokens = cls.serve_with_tokens()

    def setUp(self):
        super().setUp()
        self.tokens.asked.clear()
        self.tokens.lifetime = 300

    def test_one_token_covers_a_push(self):
        self.log_in_as(self.registry, USER)
        told = self.push(f"{self.registry.host}/team/app")
        self.expect_image(self.registry, "team/app", told)
        self.assertEqual(self.tokens.asked, ["GET ana repository:team/app:pull,push"])

    def test_identity_token_is_exchanged(self):
        self.log_in(auths={self.registry.host: {"auth": base64.b64encode(b"ana:").decode(),
                                                "identitytoken": IDENTITY_TOKEN}})
        self.push(f"{self.registry.host}/team/identity")
        self.assertEqual(self.tokens.asked, ["POST ana repository:team/identity:pull,push"])

    def test_expired_token_is_renewed(self):
        self.tokens.lifetime = 5  # so short that each request needs a new one
        self.log_in_as(self.registry, USER)
        self.expect_image(self.registry, "team/short", self.push(f"{self.registry.host}/team/short"))
        self.assertGreater(len(self.tokens.asked), 5)

    def test_token_service_outage_is_retried(self):
        self.log_in_as(self.registry, USER)
        self.tokens.unavailable = 2
        self.push(f"{self.registry.host}/team/moment")
        self.assertEqual(len(self.tokens.asked), 3)

    def test_missing_permission_is_reported(self):
        self.log_in_as(self.registry, READER)
        said = self.push(f"{self.registry.host}/team/reader", code=REFUSED)
        self.assertIn("lacks the permission", said)
        self.log_in_as(self.registry, USER, "wrong")
        said = self.push(f"{self.registry.host}/team/reader", code=REFUSED)
        self.assertIn("responded with 401 incorrect username or password to the login in the file", said)
        self.log_in()
        said = self.push(f"{self.registry.host}/team/reader", code=REFUSED)
        self.assertIn("requires a login, and there is none", said)


class WithTls(RegistryCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.identity = make_identity(cls.folder, "DNS:registry.test,DNS:test-docker.pkg.dev")
        (cls.folder / "tls").mkdir()
        cls.registry = cls.serve("tls", auth=image_registry.basic_auth(cls.folder / "tls"), identity=cls.identity)
        cls.tunnels = image_registry.Tunnels(cls.registry.port)
        cls.addClassCleanup(cls.tunnels.stop)

    def trusting(self):
        return ["--proxy", self.tunnels.url, "--ca-file", self.folder / "proxy.crt"]

    def test_registry_uses_tls(self):
        self.log_in(auths={"https://registry.test": {"username": USER, "password": PASSWORD}})
        told = self.push("registry.test/team/app", *self.trusting())
        self.expect_image(self.registry, "team/app", told)
        self.assertIn("registry.test:443", self.tunnels.asked)

    def test_untrusted_certificate_is_rejected(self):
        self.log_in(auths={"registry.test": {"username": USER, "password": PASSWORD}})
        said = self.push("registry.test/team/app", "--proxy", self.tunnels.url, code=REFUSED)
        self.assertIn("certificate", said)

    def test_google_registries_receive_google_credential(self):
        told = self.push("test-docker.pkg.dev/project/folder/app", *self.trusting(), KINETIC_ACCESS_TOKEN=GOOGLE_TOKEN)
        self.expect_image(self.registry, "project/folder/app", told)

    def test_other_registries_receive_no_google_credential(self):
        said = self.push("registry.test/team/other", *self.trusting(), KINETIC_ACCESS_TOKEN=GOOGLE_TOKEN,
                         code=REFUSED)
        self.assertIn("requires a login", said)


if __name__ == "__main__":
    if why := image_registry.missing():
        sys.exit(f"{why}: scripts/install-packages test")
    unittest.main(argv=sys.argv[:1])
