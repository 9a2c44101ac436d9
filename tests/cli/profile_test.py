"""Profiles: made, used, shown and removed."""

import stat
import unittest

from harness import Case


class Profiles(Case):
    def names(self):
        return {entry["name"]: entry["in_use"] for entry in self.json("profile", "ls")}

    def test_a_life(self):
        self.assertEqual(self.names(), {"local": True})
        self.run_kinetic("profile", "create", "fast", "--store", "stores/fast", "--concurrency", "2", "--use",
                         "--set", "color=never")
        self.assertEqual(self.names(), {"local": False, "fast": True})
        shown = self.json("profile", "show")
        self.assertEqual(shown["name"], "fast")
        self.assertEqual(shown["store"], str(self.work / "stores/fast"))
        self.assertEqual((shown["concurrency"], shown["color"]), ("2", "never"))
        self.run_kinetic("profile", "create", "fast", "--concurrency", "5")
        self.assertEqual(self.json("profile", "show", "fast")["concurrency"], "5")
        self.assertEqual(self.json("profile", "show", "fast")["color"], "never")
        self.run_kinetic("profile", "use", "local")
        self.assertEqual(self.names(), {"local": True, "fast": False})
        self.run_kinetic("profile", "rm", "fast")
        self.assertEqual(self.names(), {"local": True})

    def test_a_path_starts_from_here_however_it_is_given(self):
        self.run_kinetic("profile", "create", "a", "--set", "store=here", "--set", "gcloud_folder=~/login")
        shown = self.json("profile", "show", "a")
        self.assertEqual((shown["store"], shown["gcloud_folder"]), (str(self.work / "here"), str(self.home / "login")))

    def test_as_json_it_says_which_one_is_in_use(self):
        self.assertFalse(self.json("profile", "create", "a")["in_use"])
        self.assertTrue(self.json("profile", "create", "a", "--use")["in_use"])
        self.assertTrue(self.json("profile", "create", "a", "--concurrency", "2")["in_use"])

    def test_the_file_is_private(self):
        self.run_kinetic("profile", "create", "a")
        mode = (self.home / ".config/kinetic/config.yaml").stat().st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_removing_the_one_in_use_goes_back_to_local(self):
        self.run_kinetic("profile", "create", "a", "--use")
        self.run_kinetic("profile", "rm", "a")
        self.assertEqual(self.names(), {"local": True})

    def test_comments_are_not_lost_without_a_word(self):
        config = self.home / ".config/kinetic/config.yaml"
        self.run_kinetic("profile", "create", "a")
        self.assertEqual(self.run_kinetic("-q", "profile", "use", "a").stderr, "")
        before = "# mine\n" + config.read_text()
        config.write_text(before)
        done = self.run_kinetic("profile", "use", "local")
        self.assertIn(f"warning: comments in {config} are not kept; {config}.old is the file as it was", done.stderr)
        self.assertEqual(config.with_name("config.yaml.old").read_text(), before)
        self.assertNotIn("comments", self.run_kinetic("profile", "rm", "a").stderr)

    def test_refusals(self):
        for arguments, message in [
            (("use", "nope"), "there is no profile 'nope'"),
            (("show", "nope"), "there is no profile 'nope'"),
            (("rm", "nope"), "there is no profile 'nope'"),
            (("create", "a/b"), "'a/b' cannot be a profile's name"),
            (("create", "a", "--set", "stroe=/x"), "--set: unknown setting 'stroe'"),
            (("create", "a", "--set", "color"), "--set: expected KEY=VALUE"),
            (("create", "a", "--set", "concurrency=x"), "concurrency: expected a whole number"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.run_kinetic("profile", *arguments, code=2).stderr)
        self.assertFalse((self.home / ".config/kinetic/config.yaml").exists())


if __name__ == "__main__":
    unittest.main()
