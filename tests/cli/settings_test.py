"""Settings: where each value comes from, for the built program."""

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

    def test_each_origin(self):
        self.assertEqual(self.shown("store"), ("/data/fast", "profile", f"{self.config}:3:17"))
        self.assertEqual(self.shown("store", KINETIC_STORE="/e"), ("/e", "environment", "KINETIC_STORE"))
        self.assertEqual(self.shown("store", "--store", "/f", KINETIC_STORE="/e"), ("/f", "option", "--store"))
        self.assertEqual(self.shown("color"), ("auto", "default", ""))

    def test_the_profile_can_be_chosen(self):
        default = str(self.home / ".local/share/kinetic/store")
        self.assertEqual(self.shown("store", "--target", "slow")[0], default)
        self.assertEqual(self.shown("store", KINETIC_TARGET="local")[0], default)
        done = self.run_kinetic("config", "show", "--target", "fsat", code=2)
        self.assertIn("--target: there is no profile 'fsat'", done.stderr)
        self.assertIn("did you mean 'fast'?", done.stderr)

    def test_folders_follow_xdg(self):
        self.assertEqual(self.shown("cache_dir", XDG_CACHE_HOME="/c")[0], "/c/kinetic")
        self.assertEqual(self.shown("state_dir", XDG_STATE_HOME="/s")[0], "/s/kinetic")

    def test_another_file(self):
        other = self.write("other.yaml", "profiles: {x: {color: never}}\n")
        self.assertEqual(self.shown("color", "--config", str(other), "--target", "x")[0], "never")
        done = self.run_kinetic("ps", "--config", "none.yaml", code=2)
        self.assertIn("none.yaml does not exist", done.stderr)

    def test_the_runner_is_found_beside_the_program(self):
        self.assertTrue(self.shown("runner")[0].endswith("/kinetic-runner"))

    def test_the_table_shows_origins_when_asked(self):
        self.assertNotIn("config.yaml:3", self.run_kinetic("config", "show").stdout)
        self.assertIn("config.yaml:3:17", self.run_kinetic("config", "show", "--origin").stdout)

    def test_colour(self):
        self.assertNotIn("\x1b", self.run_kinetic("nonsense", code=2).stderr)
        self.assertIn("\x1b[", self.run_kinetic("nonsense", code=2, env={"KINETIC_COLOR": "always"}).stderr)


if __name__ == "__main__":
    unittest.main()
