"""Tests `doctor` and `version --check`."""

import os
import pathlib
import shutil
import stat
import unittest

from harness import KINETIC, Case


class Health(Case):
    def checks(self, *command, code=0, **env):
        return {check["name"]: check for check in self.json(*command, env=env, code=code)["checks"]}

    def program(self, name, text):
        path = self.write(f"bin/{name}", text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_parts_have_versions_and_paths(self):
        checks = self.checks("version", "--check")
        self.assertEqual(list(checks), ["runner", "launcher", "python", "uv"])
        version = self.json("version")["version"]
        for name in ("runner", "launcher"):
            path = os.path.realpath(pathlib.Path(KINETIC).parent / f"kinetic-{name}")
            self.assertEqual((checks[name]["state"], checks[name]["version"], checks[name]["path"]),
                             ("ok", version, path))
        self.assertTrue(checks["python"]["version"].startswith("3."))
        lines = self.run_kinetic("version", "--check").stdout.splitlines()
        self.assertEqual(lines[0], f"kinetic {version}")
        self.assertRegex(lines[1], r"^ok +runner +[0-9.]+ at /.*/kinetic-runner$")

    def test_missing_parts_have_consequences(self):
        runner = self.program("kinetic-runner", "#!/bin/sh\necho 9.9.9\n")
        checks = self.checks("version", "--check", "--runner", str(runner), PATH=str(self.work / "bin"), code=1)
        self.assertIn("has version 9.9.9, but kinetic has version", checks["runner"]["evidence"])
        self.assertIn("install kinetic again", checks["runner"]["advice"])
        self.assertEqual(checks["launcher"]["state"], "failed")
        self.assertIn("cannot build the runner image", checks["launcher"]["advice"])
        self.assertEqual(checks["python"]["state"], "failed")
        self.assertIn("cannot run on this machine", checks["python"]["advice"])
        self.assertEqual((checks["uv"]["state"], checks["uv"]["path"]), ("warning", None))
        self.assertIn("pip", checks["uv"]["advice"])

    def test_uv_is_found(self):
        for version, found in (("0.8.1", ("ok", "0.8.1", f"{self.work}/bin/uv")), ("0.7.9", ("warning", None, None))):
            self.program("uv", f"#!/bin/sh\necho 'uv {version} (abc 2025-07-17)'\n")
            uv = self.checks("version", "--check", PATH=f"{self.work}/bin:/usr/bin:/bin")["uv"]
            self.assertEqual((uv["state"], uv["version"], uv["path"]), found)

    def test_own_uv_is_found(self):
        root = self.home / ".cache/kinetic/tools/uv-0.13.9"
        (root / "bin").mkdir(parents=True)
        (root / "bin/uv").write_text("")
        uv = self.checks("version", "--check", PATH=str(self.work / "bin"), code=1)["uv"]
        self.assertEqual((uv["state"], uv["version"], uv["path"]), ("ok", "0.13.9", f"{root}/bin/uv"))

    def test_healthy_machine(self):
        checks = self.checks("doctor")
        self.assertEqual(list(checks)[4:], ["config", "store disk", "state disk", "cache disk", "store"])
        self.assertIn("does not exist yet", checks["store"]["evidence"])
        self.assertFalse((self.home / ".local/share/kinetic").exists(), "doctor creates no store")
        self.run_kinetic("run", "--", "true")
        self.assertIn("is readable and writable", self.checks("doctor")["store"]["evidence"])
        self.assertFalse(list((self.home / ".local/share/kinetic/store").glob("leases/*")))

    def test_invalid_configuration_is_one_failed_check(self):
        config = self.home / ".config/kinetic/config.yaml"
        config.parent.mkdir(parents=True)
        config.write_text("profiles: {fast: {stor: /x}}\n")
        done = self.run_kinetic("doctor", code=1)
        self.assertIn(f"{config}:1:19: unknown key 'stor'; did you mean 'store'?", done.stdout)
        config.write_text("target: gone\n")
        self.assertIn("no profile 'gone'", self.checks("doctor", code=1)["config"]["evidence"])

    def test_unwritable_folders(self):
        (self.home / "file").write_text("")
        checks = self.checks("doctor", "--store", str(self.home / "file/store"), code=1)
        self.assertEqual(checks["store disk"]["state"], "failed")
        self.assertIn("--store", checks["store disk"]["advice"])
        self.assertEqual(checks["store"]["state"], "failed", checks["store"])
        self.assertIn("cannot be created", checks["store"]["evidence"])

    def test_unreachable_cluster(self):
        kubeconfig = self.write("kubeconfig", (
            "apiVersion: v1\nkind: Config\ncurrent-context: c\nusers: [{name: u, user: {token: t}}]\n"
            "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:9'}}]\n"
            "contexts: [{name: c, context: {cluster: c, user: u}}]\n"))
        self.run_kinetic("profile", "create", "far", "--kind", "kubernetes", "--kubeconfig", str(kubeconfig),
                         "--store", "gs://bucket/x", "--set", "runner_image=registry.example/r:1",
                         "--set", "storage_endpoint=http://127.0.0.1:9")
        checks = self.checks("doctor", "--target", "far", KINETIC_ACCESS_TOKEN="t", code=1)
        for name in ("store", "cluster"):
            self.assertEqual(checks[name]["state"], "failed", checks[name])
            self.assertIn("127.0.0.1", checks[name]["evidence"])
        self.assertNotIn("clock", checks)


if __name__ == "__main__":
    unittest.main()
