"""Tests profiles: create, use, show and remove."""

import stat
import unittest

from harness import Case


class Profiles(Case):
    def names(self):
        return {entry["name"]: entry["in_use"] for entry in self.json("profile", "ls")}

    def test_profile_is_created_changed_and_removed(self):
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

    def test_relative_path_is_made_absolute(self):
        self.run_kinetic("profile", "create", "a", "--set", "store=here", "--set", "gcloud_folder=~/login")
        shown = self.json("profile", "show", "a")
        self.assertEqual((shown["store"], shown["gcloud_folder"]), (str(self.work / "here"), str(self.home / "login")))

    def test_json_list_marks_active_profile(self):
        self.assertFalse(self.json("profile", "create", "a")["in_use"])
        self.assertTrue(self.json("profile", "create", "a", "--use")["in_use"])
        self.assertTrue(self.json("profile", "create", "a", "--concurrency", "2")["in_use"])

    def test_configuration_file_is_readable_by_owner_only(self):
        self.run_kinetic("profile", "create", "a")
        mode = (self.home / ".config/kinetic/config.yaml").stat().st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_removing_active_profile_activates_local(self):
        self.run_kinetic("profile", "create", "a", "--use")
        self.run_kinetic("profile", "rm", "a")
        self.assertEqual(self.names(), {"local": True})

    def test_removed_comments_cause_a_warning(self):
        config = self.home / ".config/kinetic/config.yaml"
        self.run_kinetic("profile", "create", "a")
        self.assertEqual(self.run_kinetic("-q", "profile", "use", "a").stderr, "")
        before = "# mine\n" + config.read_text()
        config.write_text(before)
        done = self.run_kinetic("profile", "use", "local")
        self.assertIn(f"warning: removed the comments from {config}; the previous version is {config}.old", done.stderr)
        self.assertEqual(config.with_name("config.yaml.old").read_text(), before)
        self.assertNotIn("comments", self.run_kinetic("profile", "rm", "a").stderr)

    def test_kubernetes_profile(self):
        self.run_kinetic("profile", "create", "prod", "--kind", "kubernetes", "--context", "gpu", "--namespace", "ml",
                         "--kubeconfig", "a/config:~/b", "--store", "gs://bucket/jobs", "--set",
                         "runner_credentials=secret:key", "--set", "service_account=jobs")
        shown = self.json("profile", "show", "prod")
        self.assertEqual((shown["kind"], shown["context"], shown["namespace"]), ("kubernetes", "gpu", "ml"))
        self.assertEqual(shown["kubeconfig"], f"{self.work}/a/config:{self.home}/b")
        self.run_kinetic("profile", "create", "tpu", "--kind", "gke", "--project", "p", "--location", "l", "--cluster",
                         "c", "--set", "cluster_endpoint=dns")
        listed = self.run_kinetic("profile", "ls").stdout
        self.assertRegex(listed, r"prod +kubernetes +gpu +gs://bucket/jobs")
        self.assertRegex(listed, r"tpu +gke +p/l/c +-")
        self.assertEqual({entry["name"]: entry["kind"] for entry in self.json("profile", "ls")},
                         {"local": "local", "prod": "kubernetes", "tpu": "gke"})
        self.run_kinetic("profile", "create", "prod", "--namespace", "other")
        self.assertEqual(self.json("profile", "show", "prod")["kind"], "kubernetes")

    def test_unusable_cluster_is_explained(self):
        self.run_kinetic("profile", "create", "prod", "--kind", "kubernetes", "--store", "gs://bucket/jobs", "--context", "gpy",
                         "--storage-endpoint", "http://127.0.0.1:1", "--set", "runner_image=x/y:1")
        gone = self.run_kinetic("ps", "--target", "prod", code=2).stderr
        self.assertIn(f"cannot read the kubeconfig {self.home}/.kube/config: no such file", gone)
        (self.home / ".kube").mkdir()
        (self.home / ".kube/config").write_text("contexts: [{name: gpu, context: {cluster: k}}]\n")
        wrong = self.run_kinetic("ps", "--target", "prod", code=2).stderr
        self.assertIn("context 'gpy' does not exist", wrong)
        self.assertIn("did you mean 'gpu'?", wrong)
        (self.home / ".kube/config").write_text("contexts: [\n")
        self.assertIn(".kube/config:", self.run_kinetic("ps", "--target", "prod", code=2).stderr)
        elsewhere = self.work / "other"
        elsewhere.write_text("clusters: [7]\n")
        self.assertIn(f"{elsewhere}:1:12", self.run_kinetic("ps", "--target", "prod", code=2,
                                                           env={"KUBECONFIG": str(elsewhere)}).stderr)

    def test_local_profile_rejects_cluster_options(self):
        self.assertIn("--context has no effect on target local, which is of kind local", self.run_kinetic("ps", "--context", "x", code=2).stderr)

    def test_contexts_are_completed(self):
        (self.home / ".kube").mkdir()
        (self.home / ".kube/config").write_text(
            "contexts: [{name: gpu, context: {cluster: k}}, {name: cpu}]\n"
            "clusters: [{name: k, cluster: {server: https://k.example}}]\n")
        offered = self.run_kinetic("__complete", "--", "ps", "--context", "g").stdout
        self.assertEqual(offered, "gpu\thttps://k.example\n")

    def test_invalid_profiles_are_rejected(self):
        for arguments, message in [
            (("use", "nope"), "no profile 'nope'"),
            (("show", "nope"), "no profile 'nope'"),
            (("rm", "nope"), "no profile 'nope'"),
            (("create", "a/b"), "'a/b' is not a valid profile name"),
            (("create", "a", "--set", "stroe=/x"), "--set: unknown setting 'stroe'"),
            (("create", "a", "--set", "color"), "--set: expected KEY=VALUE"),
            (("create", "a", "--kind", "gek"), "--kind: "),
            (("create", "local", "--kind", "gke"), "the profile 'local' is reserved for this machine"),
            (("create", "a", "--context", "x"), "a: context has no effect in a profile of kind local"),
            (("create", "a", "--kind", "gke", "--context", "x"), "valid for kind: kubernetes"),
            (("create", "a", "--kind", "kubernetes", "--concurrency", "3"), "a: concurrency has no effect"),
            (("create", "a", "--kind", "gke", "--namespace", "Mine"), "--namespace: expected 1 to 63 lowercase letters"),
            (("create", "a", "--kind", "gke", "--set", "runner_credentials=key.json"), "expected metadata, secret:NAME or none"),
            (("create", "a", "--set", "concurrency=x"), "concurrency: expected a whole number"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.run_kinetic("profile", *arguments, code=2).stderr)
        self.assertFalse((self.home / ".config/kinetic/config.yaml").exists())

    def test_absent_current_profile_can_be_repaired(self):
        config = self.home / ".config/kinetic/config.yaml"
        broken = "target: gone\nprofiles: {fast: {kind: local}}\n"
        for source in ("file", "variable"):
            env = {} if source == "file" else {"KINETIC_TARGET": "gone"}
            text = broken if source == "file" else broken.replace("target: gone\n", "")
            for command in (("profile", "ls"), ("profile", "show"), ("profile", "show", "fast"), ("config", "show"),
                            ("profile", "use", "fast"), ("profile", "create", "new"), ("profile", "rm", "fast")):
                with self.subTest(source=source, command=command):
                    config.parent.mkdir(parents=True, exist_ok=True)
                    config.write_text(text)
                    done = self.run_kinetic(*command, env=env)
                    self.assertIn("no profile 'gone'", done.stderr)
            config.write_text(text)
            done = self.run_kinetic("ps", env=env, code=2)
            self.assertIn("no profile 'gone'", done.stderr)
        config.write_text(broken)
        self.run_kinetic("profile", "use", "local")
        self.assertNotIn("gone", self.run_kinetic("ps").stderr)


if __name__ == "__main__":
    unittest.main()
