"""Tests the origin of settings."""

import unittest

from harness import Case


class Settings(Case):
    def setUp(self):
        super().setUp()
        self.config = self.home / ".config/kinetic/config.yaml"
        self.config.parent.mkdir(parents=True)
        self.config.write_text(
            "target: fast\nprofiles:\n  fast: {store: /data/fast, concurrency: 3}\n  slow:\n")

    def shown(self, name, *options, **env):
        entry = self.json("config", "show", *options, env=env)[name]
        return entry["value"], entry["origin"], entry["source"]

    def test_every_origin_is_shown(self):
        self.assertEqual(self.shown("store"), ("/data/fast", "profile", f"{self.config}:3:17"))
        self.assertEqual(self.shown("store", KINETIC_STORE="/e"), ("/e", "environment", "KINETIC_STORE"))
        self.assertEqual(self.shown("store", "--store", "/f", KINETIC_STORE="/e"), ("/f", "option", "--store"))
        self.assertEqual(self.shown("color"), ("auto", "default", ""))

    def test_values_of_the_current_profile_can_be_changed(self):
        self.config.write_text(self.config.read_text() + "# a comment\n")
        done = self.run_kinetic("config", "set", "concurrency", "7")
        self.assertIn("removed the comments", done.stderr)
        self.assertEqual(self.shown("concurrency")[:2], ("7", "profile"))
        self.assertEqual(self.shown("store")[0], "/data/fast")
        self.assertEqual(self.run_kinetic("config", "get", "concurrency").stdout, "7\n")
        self.assertEqual(self.json("config", "get", "store"),
                         {"key": "store", "value": "/data/fast", "origin": "profile",
                          "source": f"{self.config}:6:12"})
        self.run_kinetic("config", "set", "color", "never", "--target", "slow")
        self.assertEqual(self.shown("color", "--target", "slow")[0], "never")
        self.assertEqual(self.shown("color")[0], "auto")
        answer = self.json("config", "unset", "concurrency")
        self.assertEqual(answer, {"key": "concurrency", "profile": "fast", "file": str(self.config)})
        self.assertEqual(self.shown("concurrency")[1], "default")
        self.assertIn("concurrency is not set in the profile fast",
                      self.run_kinetic("config", "unset", "concurrency", code=2).stderr)

    def test_built_in_profile_can_have_values(self):
        self.config.unlink()
        self.run_kinetic("config", "set", "store", "kept")
        self.assertEqual(self.shown("store")[0], str(self.work / "kept"))
        self.run_kinetic("config", "unset", "store")
        self.assertEqual(self.config.read_text(), "# Profiles of kinetic, edited by `kinetic profile`.\n")
        self.assertEqual(self.shown("store")[1], "default")
        done = self.run_kinetic("config", "set", "store", "again")
        self.assertNotIn("comments", done.stderr)
        self.assertEqual(self.shown("store")[0], str(self.work / "again"))

    def test_target_selects_the_profile(self):
        self.run_kinetic("config", "set", "target", "slow")
        self.assertEqual(self.run_kinetic("config", "get", "target").stdout, "slow\n")
        self.run_kinetic("config", "unset", "target")
        self.assertEqual(self.run_kinetic("config", "get", "target").stdout, "local\n")
        self.assertIn("no profile 'quick'", self.run_kinetic("config", "set", "target", "quick", code=2).stderr)

    def test_invalid_values_change_nothing(self):
        before = self.config.read_text()
        for key, value, error in [("concurency", "1", "did you mean 'concurrency'?"),
                                  ("concurrency", "many", "concurrency: expected a whole number from 0 to 4294967295, found 'many'"),
                                  ("color", "sometimes", "expected one of auto, always, never"),
                                  ("namespace", "ml", "namespace has no effect in a profile of kind local"),
                                  ("config", "x", "unknown setting 'config'")]:
            done = self.run_kinetic("config", "set", key, value, code=2)
            self.assertIn(error, done.stderr)
        self.run_kinetic("config", "set", "color", "never", "--target", "fsat", code=2)
        self.assertEqual(self.config.read_text(), before)
        self.assertIn("did you mean 'store'?", self.run_kinetic("config", "get", "stor", code=2).stderr)

    def test_profile_can_be_selected(self):
        default = str(self.home / ".local/share/kinetic/store")
        self.assertEqual(self.shown("store", "--target", "slow")[0], default)
        self.assertEqual(self.shown("store", KINETIC_TARGET="local")[0], default)
        done = self.run_kinetic("config", "show", "--target", "fsat", code=2)
        self.assertIn("--target: no profile 'fsat'", done.stderr)
        self.assertIn("did you mean 'fast'?", done.stderr)

    def test_unsupported_python_is_rejected(self):
        for options, env, place in [(["--python", "3.8"], {}, "--python"),
                                    ([], {"KINETIC_PYTHON": "three"}, "KINETIC_PYTHON")]:
            done = self.run_kinetic("config", "show", *options, env=env, code=2)
            self.assertIn(f"error: {place}: expected a version such as 3.12 (3.9 or newer), found '", done.stderr)
        self.assertEqual(self.shown("python", "--python", "3.10")[0], "3.10")

    def test_only_option_overrides_python_of_job_file(self):
        self.write("job.yaml", "run: ls\npython: '3.97'\n")
        for options, env, asked in [([], {"KINETIC_PYTHON": "3.98"}, "3.97"), (["--python", "3.98"], {}, "3.98")]:
            done = self.run_kinetic("run", "job.yaml", "--target", "local", *options, env=env, code=2)
            self.assertIn(f"Python {asked} is not installed", done.stderr)

    def test_folders_follow_xdg(self):
        self.assertEqual(self.shown("cache_dir", XDG_CACHE_HOME="/c")[0], "/c/kinetic")
        self.assertEqual(self.shown("state_dir", XDG_STATE_HOME="/s")[0], "/s/kinetic")

    def test_configuration_file_can_be_selected(self):
        other = self.write("other.yaml", "profiles: {x: {color: never}}\n")
        self.assertEqual(self.shown("color", "--config", str(other), "--target", "x")[0], "never")
        done = self.run_kinetic("ps", "--config", "none.yaml", code=2)
        self.assertIn("none.yaml does not exist", done.stderr)

    def test_runner_is_found_beside_program(self):
        self.assertTrue(self.shown("runner")[0].endswith("/kinetic-runner"))

    def test_table_shows_origins_on_request(self):
        self.assertNotIn("config.yaml:3", self.run_kinetic("config", "show").stdout)
        self.assertIn("config.yaml:3:17", self.run_kinetic("config", "show", "--origin").stdout)

    def test_profile_overrides_variables_of_other_programs(self):
        env = {"https_proxy": "http://ana:pa55@env:1", "GOOGLE_APPLICATION_CREDENTIALS": "key.json"}
        self.assertEqual(self.shown("proxy", **env), ("http://[secret]@env:1", "environment", "https_proxy"))
        self.assertEqual(self.shown("credentials", **env),
                         (str(self.work / "key.json"), "environment", "GOOGLE_APPLICATION_CREDENTIALS"))
        self.config.write_text("target: p\nprofiles: {p: {proxy: 'http://eva:pa55@file:1'}}\n")
        self.assertEqual(self.shown("proxy", **env)[:2], ("http://[secret]@file:1", "profile"))
        self.assertNotIn("pa55", self.run_kinetic("profile", "show", "p").stdout)

    def test_access_token_has_no_option_and_is_not_printed(self):
        env = {"KINETIC_ACCESS_TOKEN": "ya29.x"}
        self.assertEqual(self.shown("access_token", **env), ("[secret]", "environment", "KINETIC_ACCESS_TOKEN"))
        self.run_kinetic("ps", "--access-token", "ya29.x", code=2)
        self.config.write_text("profiles: {p: {access_token: ya29.x}}\n")
        done = self.run_kinetic("ps", code=2)
        self.assertIn("unknown key 'access_token'", done.stderr)
        self.assertNotIn("ya29", done.stderr)

    def test_store_in_bucket(self):
        self.assertEqual(self.shown("store", "--store", "gs://abc/x/")[0], "gs://abc/x")
        self.assertEqual(self.shown("store", KINETIC_STORE="gs://abc")[0], "gs://abc")
        done = self.run_kinetic("config", "show", "--store", "gs://Ab", code=2)
        self.assertIn("--store: 'gs://Ab' is not a valid store", done.stderr)
        self.assertIn("KINETIC_STORE: expected a folder or gs://",
                      self.run_kinetic("ps", code=2, env={"KINETIC_STORE": "s3://abc"}).stderr)
        self.config.write_text("profiles:\n  p: {store: gs://goog}\n")
        self.assertIn(f"{self.config}:2:14: store: 'gs://goog'", self.run_kinetic("ps", code=2).stderr)

    def test_bucket_settings_are_ignored_for_folder(self):
        self.run_kinetic("ps", "--store", str(self.home / "store"), env={
            "GOOGLE_APPLICATION_CREDENTIALS": "absent.json", "CURL_CA_BUNDLE": "absent.pem",
            "https_proxy": "no address", "STORAGE_EMULATOR_HOST": "no address"})

    def test_unusable_folder_is_named_with_its_option(self):
        self.write("file", "")
        self.write("work.py", "def main(): return 1\n")
        for option, variable in (("--state-dir", "KINETIC_STATE_DIR"), ("--cache-dir", "KINETIC_CACHE_DIR"),
                                 ("--store", "KINETIC_STORE")):
            path = str(self.work / "file/below")
            for given, env in (([option, path], {}), ([], {variable: path})):
                done = self.run_kinetic("run", "work:main", *given, env=env, code=None)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(f"hint: {given[0] if given else variable} sets this folder; "
                              f"to use another folder: {option} DIR or {variable}\n", done.stderr)

    def test_color(self):
        self.assertNotIn("\x1b", self.run_kinetic("nonsense", code=2).stderr)
        self.assertIn("\x1b[", self.run_kinetic("nonsense", code=2, env={"KINETIC_COLOR": "always"}).stderr)


if __name__ == "__main__":
    unittest.main()
