"""Tests `kinetic auth status`: origin of the credential, and errors of unusable ones."""

import base64
import json
import os
import sys
import unittest

TOKEN_SERVER = os.path.abspath(sys.argv.pop(2))
from harness import Case
from servers import Proxy, TokenServer

SECRETS = ("1//refresh", "s/e+c&t=", "PRIVATE KEY", "token-1")


class Auth(Case):
    def setUp(self):
        super().setUp()
        self.serve()

    def serve(self, *options):
        self.tokens = TokenServer(self, TOKEN_SERVER, *options)

    def key(self, content):
        text = content if isinstance(content, str) else json.dumps(content)
        return str(self.write("key.json", text))

    def environment(self, **more):
        base = {"KINETIC_METADATA_HOST": "none", "KINETIC_LOCAL_TOKEN_SERVICES": "yes"}
        return super().environment(**{**base, **more})

    def refused(self, *options, env=None, code=120):
        """Returns message and hint of an unusable credential after checking that they contain no secret."""
        done = self.run_kinetic("auth", "status", "-vv", *options, env=env, code=code)
        self.assertEqual(done.stdout, "")
        for secret in SECRETS:
            self.assertNotIn(secret, done.stderr)
        return done.stderr

    def test_user_login(self):
        told = self.json("auth", "status", "--credentials", self.key(self.tokens.user))
        self.assertEqual(told["kind"], "authorized_user")
        self.assertEqual(told["origin"], f"the file {self.work}/key.json")
        self.assertEqual(told["account"], "ana@example.org")
        self.assertEqual(told["quota_project"], "billed")
        self.assertTrue(told["renewable"])
        self.assertRegex(told["expiry"], r"^20\d\d-.*Z$")
        self.assertEqual(told["remarks"], [])
        shown = self.run_kinetic("auth", "status", env={"GOOGLE_APPLICATION_CREDENTIALS": "key.json"})
        self.assertRegex(shown.stdout, r"expires: .*, renewed automatically")
        self.assertEqual(self.json("auth", "--credentials", "key.json")["account"], "ana@example.org")
        self.assertIn("unknown command 'kinetic auth stats'", self.run_kinetic("auth", "stats", code=2).stderr)

    def test_service_account(self):
        told = self.json("auth", "status", "--credentials", self.key(self.tokens.service_account))
        self.assertEqual(told["account"], "robot@p.iam.gserviceaccount.com")
        self.assertEqual(told["project"], "proj")
        self.assertEqual(told["scopes"], ["https://www.googleapis.com/auth/cloud-platform"])

    def test_gcloud_login(self):
        folder = self.home / ".config/gcloud"
        folder.mkdir(parents=True)
        (folder / "application_default_credentials.json").write_text(json.dumps(self.tokens.user))
        self.assertEqual(self.json("auth", "status")["kind"], "authorized_user")
        folder.rename(self.home / "elsewhere")
        told = self.json("auth", "status", env={"CLOUDSDK_CONFIG": str(self.home / "elsewhere")})
        self.assertIn("elsewhere", told["origin"])

    def test_machine_credential(self):
        told = self.json("auth", "status", env={"KINETIC_METADATA_HOST": "",
                                                "GCE_METADATA_HOST": self.tokens.url.removeprefix("http://")})
        self.assertEqual(told["kind"], "metadata")
        self.assertEqual(told["project"], "proj")

    def test_emulator_needs_no_credential(self):
        key = self.key("never read")
        told = self.json("auth", "status", env={"STORAGE_EMULATOR_HOST": "localhost:1",
                                                "GOOGLE_APPLICATION_CREDENTIALS": key})
        self.assertEqual(told["kind"], "none")
        self.assertIn("http://localhost:1", told["origin"])

    def test_missing_credentials(self):
        done = self.refused()
        self.assertIn(str(self.home / ".config/gcloud/application_default_credentials.json"), done)
        self.assertIn("gcloud auth application-default login", done)
        told = self.json("auth", "status", code=120)
        self.assertEqual(told["error"]["code"], "UNAUTHENTICATED")

    def test_malformed_credential_files(self):
        self.assertIn("key.json", self.refused("--credentials", self.key("{")))
        self.assertIn("absent.json", self.refused("--credentials", "absent.json"))
        for kind, member in (("authorized_user", "client_id"), ("service_account", "private_key"),
                             ("external_account", "audience"),
                             ("impersonated_service_account", "service_account_impersonation_url")):
            said = self.refused("--credentials", self.key({"type": kind}))
            self.assertIn(f"key.json: {member}: ", said)
        broken = dict(self.tokens.service_account)
        broken["private_key"] = broken["private_key"][:60] + "AAAA" + broken["private_key"][64:]
        self.assertIn("key.json", self.refused("--credentials", self.key(broken)))
        self.assertIn("'new_kind' are not supported", self.refused("--credentials", self.key({"type": "new_kind"}), code=2))

    def test_revoked_login(self):
        self.serve("--revoked")
        said = self.refused("--credentials", self.key(self.tokens.user))
        self.assertIn("invalid_grant", said)
        self.assertIn("gcloud auth application-default login", said)

    def test_wrong_clock_is_reported(self):
        self.serve("--date-shift", "600")
        said = self.refused("--credentials", self.key(self.tokens.service_account))
        self.assertIn("clock is 10 minutes behind", said)

    def test_credential_file_cannot_redirect_requests(self):
        env = {"KINETIC_LOCAL_TOKEN_SERVICES": "no"}
        stranger = dict(self.tokens.service_account, token_uri="https://oauth2.example.com/token")
        self.assertIn("would send secrets to oauth2.example.com",
                      self.refused("--credentials", self.key(stranger), env=env))
        local = self.key(self.tokens.service_account)
        self.assertIn("127.0.0.1", self.refused("--credentials", local, env=env))
        program = {"type": "external_account", "audience": "//iam/pool",
                   "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                   "token_url": self.tokens.url + "/token",
                   "credential_source": {"executable": {"command": str(self.work / "print")}}}
        self.assertIn("GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1",
                      self.refused("--credentials", self.key(program)))
        script = self.write("print", "#!/bin/sh\necho '{\"version\": 1, \"success\": true, \"token_type\": "
                            "\"urn:ietf:params:oauth:token-type:id_token\", \"id_token\": \"subject\"}'\n")
        script.chmod(0o700)
        told = self.json("auth", "status", "--credentials", self.key(program),
                         env={"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"})
        self.assertEqual(told["kind"], "external_account")

    def test_given_access_tokens(self):
        def token(end):
            claims = base64.urlsafe_b64encode(json.dumps({"exp": end}).encode()).decode().rstrip("=")
            return f"e30.{claims}.c2ln"

        done = self.run_kinetic("auth", "status", env={"KINETIC_ACCESS_TOKEN": token(4102444800)})
        self.assertIn("2100-01-01T00:00:00", done.stdout)
        self.assertIn("this credential cannot be renewed", done.stderr)
        self.assertNotIn(token(4102444800), done.stdout + done.stderr)
        self.assertIn("has expired", self.refused(env={"KINETIC_ACCESS_TOKEN": token(1000000000)}))
        self.assertIn("no access token", self.refused("--token-file", str(self.write("t", "two words"))))
        self.assertIn("absent", self.refused("--token-file", "absent"))

    def test_proxy_with_password(self):
        proxy = Proxy(self, 407)
        env = {"KINETIC_ACCESS_TOKEN": "opaque", "https_proxy": f"http://ana:pa55word@{proxy.address}"}
        said = self.refused(env=env)
        self.assertEqual(proxy.asked, ["CONNECT oauth2.googleapis.com:443"])
        self.assertIn("proxy", said)
        self.assertNotIn("pa55word", said)

    def test_trace_shows_requests(self):
        self.run_kinetic("auth", "status", "--trace", "trace.jsonl",
                         "--credentials", self.key(self.tokens.user))
        lines = [json.loads(line) for line in (self.work / "trace.jsonl").read_text().splitlines()]
        self.assertEqual(len(lines), 1)
        self.assertEqual((lines[0]["method"], lines[0]["url"], lines[0]["status"], lines[0]["error"]),
                         ("POST", self.tokens.url + "/token", 200, None))
        self.assertTrue(lines[0]["new_connection"])
        self.assertGreater(lines[0]["sent_bytes"], 0)
        self.assertLessEqual(lines[0]["start_us"], lines[0]["first_byte_us"])
        self.assertLessEqual(lines[0]["first_byte_us"], lines[0]["end_us"])
        self.assertEqual((self.work / "trace.jsonl").stat().st_mode & 0o777, 0o600)
        self.assertIn("--trace: cannot open trace file", self.refused("--trace", "no/such/folder", code=2))

    def test_request_log_has_no_secrets(self):
        done = self.run_kinetic("auth", "status", "-vv", "--credentials", self.key(self.tokens.user))
        self.assertIn(f"POST {self.tokens.url}/token: 200", done.stderr)
        for secret in SECRETS:
            self.assertNotIn(secret, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
