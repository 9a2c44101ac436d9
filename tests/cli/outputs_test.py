"""Tests removing and fetching outputs."""

import os
import time
import unittest

from harness import JobCase


class Outputs(JobCase):
    def run_job(self, name, command="echo 12345 >$KINETIC_OUTPUT_DIR/out.txt"):
        self.run_kinetic("run", "--id", name, "--", "sh", "-c", command)
        return self.home / ".local/share/kinetic/store/outputs" / name

    def test_rm_keeps_outputs_unless_requested(self):
        kept, removed = self.run_job("kept"), self.run_job("removed")
        self.run_kinetic("rm", "kept")
        self.run_kinetic("rm", "removed", "--outputs")
        self.assertTrue((kept / "out.txt").exists())
        self.assertFalse((removed / "out.txt").exists())
        forced = self.run_job("forced")
        self.run_kinetic("rm", "--force", "--outputs", "forced")
        self.assertFalse((forced / "out.txt").exists())
        self.run_job("without", "true")
        self.run_kinetic("rm", "without", "--outputs")

    def test_outputs_of_removed_job_can_be_removed(self):
        first, longer = self.run_job("one"), self.run_job("one-more")
        self.run_kinetic("rm", "one")
        answer = self.json("outputs", "rm", "one")
        self.assertEqual(answer, {"removed": [{"id": "one", "files": 1, "bytes": 6}]})
        self.assertFalse((first / "out.txt").exists())
        done = self.run_kinetic("outputs", "rm", "one", code=2)
        self.assertIn("a prefix of an ID does not select outputs to remove: one", done.stderr)
        self.assertIn("pass the full ID: kinetic outputs rm one-more", done.stderr)
        self.assertTrue((longer / "out.txt").exists(), "an ID is no prefix here")
        self.run_kinetic("outputs", "rm", "one-more")
        self.assertEqual(self.json("outputs", "ls", "one-more"), [])
        self.assertEqual(self.state("one-more"), "succeeded")

    def test_outputs_are_removed_by_name_and_latest(self):
        self.run_kinetic("run", "--name", "train", "--", "sh", "-c", "echo 1 >$KINETIC_OUTPUT_DIR/a")
        self.assertEqual(self.json("outputs", "rm", "train")["removed"][0]["files"], 1)
        self.run_job("second")
        self.assertEqual(self.json("outputs", "rm", "latest")["removed"][0]["id"], "second")

    def test_get_keeps_files_that_differ(self):
        self.run_job("job", "echo new >$KINETIC_OUTPUT_DIR/a.py; echo b >$KINETIC_OUTPUT_DIR/b")
        self.write("a.py", "precious\n")
        done = self.run_kinetic("outputs", "get", "job", "--to", ".", code=2)
        self.assertIn("./a.py exists and differs from the stored output; nothing was downloaded", done.stderr)
        self.assertIn("--force", done.stderr)
        self.assertEqual((self.work / "a.py").read_text(), "precious\n")
        self.assertFalse((self.work / "b").exists())
        self.run_kinetic("outputs", "get", "job", "--to", ".", "--force")
        self.assertEqual((self.work / "a.py").read_text(), "new\n")
        self.assertEqual(self.json("outputs", "get", "job", "--to", ".")["files_present"], 2)

    def test_get_compares_contents_and_links(self):
        self.run_job("job", "echo 1 >$KINETIC_OUTPUT_DIR/a; ln -s a $KINETIC_OUTPUT_DIR/latest")
        self.write("a", "2\n")
        self.write("latest", "mine\n")
        done = self.run_kinetic("outputs", "get", "job", "--to", ".", code=2)
        self.assertIn("2 files exist and differ from the stored outputs, for example ./a", done.stderr)
        self.assertEqual((self.work / "latest").read_text(), "mine\n")
        self.run_kinetic("outputs", "get", "job", "--to", ".", "--force")
        self.assertEqual((self.work / "a").read_text(), "1\n")
        self.assertTrue((self.work / "latest").is_symlink())
        os.utime(self.work / "a", (0, 0))
        self.assertEqual(self.json("outputs", "get", "job", "--to", ".")["files_present"], 2)

    def test_outputs_of_running_job_stay(self):
        job = self.submit("sleep", "60")
        self.assertIn("is running", self.until("its start", lambda: self.state(job) == "running" and
                                               self.run_kinetic("outputs", "rm", job, code=None).stderr))

    def test_gc_removes_old_outputs_of_removed_jobs_on_request(self):
        folders = {name: self.run_job(name) for name in ("old", "new", "present")}
        self.run_kinetic("rm", "old", "new")
        before = time.time() - 2 * 24 * 3600
        for name in ("old", "present"):
            os.utime(folders[name] / "out.txt", (before, before))
        self.run_kinetic("gc")
        self.assertTrue((folders["old"] / "out.txt").exists())
        self.assertEqual(self.json("gc", "--outputs", "--dry-run")["removed"], ["outputs/old/"])
        answer = self.json("gc", "--outputs")
        (outputs,) = [entry for entry in answer["classes"] if entry["name"] == "outputs"]
        self.assertEqual((outputs["removed"], outputs["removed_bytes"], outputs["kept"]), (1, 6, 2))
        self.assertEqual([(name, (folder / "out.txt").exists()) for name, folder in folders.items()],
                         [("old", False), ("new", True), ("present", True)])

    def test_files_in_the_working_folder_are_named(self):
        self.write("code.py", "")
        self.run_job("writes", "mkdir -p a .cache; echo 1 >a/model.pt; echo 2 >data.csv; echo 3 >.cache/x; touch code.py")
        log = self.run_kinetic("logs", "writes").stderr
        self.assertIn("not kept: 3 files in the working folder (4 B): a/model.pt, code.py, data.csv; "
                      "to keep files, write them to $KINETIC_OUTPUT_DIR", log)
        self.run_job("keeps")
        self.assertNotIn("not kept", self.run_kinetic("logs", "keeps").stderr)

    def test_get_without_outputs_creates_no_folder(self):
        self.run_job("without", "true")
        done = self.run_kinetic("outputs", "get", "without")
        self.assertEqual(done.stdout, "")
        self.assertIn("job without has no outputs", done.stderr)
        self.assertIsNone(self.json("outputs", "get", "without")["folder"])
        self.assertFalse((self.work / "without").exists())

    def test_get_from_a_running_job(self):
        self.run_kinetic("run", "-d", "--id", "runs", "--", "sleep", "60")
        done = self.run_kinetic("outputs", "get", "runs", code=120)
        self.assertRegex(done.stderr, "error: job runs has not finished: its state is (queued|pending|running)")
        self.assertIn("hint: wait for it: kinetic wait runs", done.stderr)
        self.run_kinetic("cancel", "runs")

    def test_fetched_outputs_are_not_bundled(self):
        self.run_job("kept")
        self.write("work.py", "")
        self.run_kinetic("outputs", "get", "kept")
        self.run_kinetic("outputs", "get", "kept", "--to", ".")
        self.assertTrue((self.work / "kept/out.txt").exists())
        paths = [entry["path"] for entry in self.json("bundle", "ls")["entries"]]
        self.assertEqual([path for path in paths if "." in path], ["out.txt", "work.py"])


if __name__ == "__main__":
    unittest.main()
