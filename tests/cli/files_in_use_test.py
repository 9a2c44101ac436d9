"""Tests that a folder can be packaged while other programs write to it, and how names and text of other systems appear."""

import base64
import json
import os
import threading
import unittest

from harness import JobCase
from package_index import PackageIndex, module


class FilesInUse(JobCase):
    def meanwhile(self, change):
        """Calls `change(number)` again and again until the test ends."""
        done = threading.Event()

        def repeat():
            number = 0
            while not done.is_set():
                change(number)
                number += 1

        thread = threading.Thread(target=repeat)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(done.set)

    def setUp(self):
        super().setUp()
        self.write(".kineticignore", "")
        self.write("job.py", "print('ok')\n")

    def test_a_growing_file_is_stored_up_to_its_length(self):
        log = self.work / "train.log"
        log.write_bytes(os.urandom(30_000_000))
        file = log.open("ab")
        self.addCleanup(file.close)
        self.meanwhile(lambda _: (file.write(b"line\n"), file.flush()))
        warning = "warning: files changed while they were read, and are stored as read: train.log\n"
        for _ in range(20):  # on a busy machine, the writer may pause while the file is read
            done = self.run_kinetic("run", "job.py")
            self.assertIn("ok\n", done.stdout)
            if warning in done.stderr:
                return
        self.fail(done.stderr)

    def test_files_that_vanish_are_left_out(self):
        def churn(_):
            for index in range(50):
                (self.work / f"temporary{index}/x").mkdir(parents=True, exist_ok=True)
                (self.work / f"temporary{index}/x/f").write_text("x")
            for index in range(50):
                (self.work / f"temporary{index}/x/f").unlink()
                os.removedirs(self.work / f"temporary{index}/x")

        self.meanwhile(churn)
        for _ in range(12):
            self.assertEqual(self.run_kinetic("run", "--quiet", "job.py").stdout, "ok\n")


class NamesInJson(JobCase):
    def test_bytes_can_be_recovered(self):
        for name in (b"\xfe", b"\xff", b"plain"):
            with open(os.path.join(os.fsencode(self.work), name), "w") as file:
                file.write("x")
        self.write(".kineticignore", "")
        self.write("job.py", "import os, sys\n"
                   "folder = os.environb[b'KINETIC_OUTPUT_DIR']\n"
                   "for name in b'\\xfe', b'\\xff', b'plain': open(os.path.join(folder, name), 'w').close()\n"
                   "sys.stdout.buffer.write(b'\\xfe\\n')\n")

        def names(entries, key="path"):
            return {base64.b64decode(each[key + "_base64"]) if key + "_base64" in each else each[key].encode()
                    for each in entries}

        listing = json.loads(self.run_kinetic("bundle", "ls", "--json", "job.py").stdout)["entries"]
        self.assertEqual(names(listing), {b"\xfe", b"\xff", b"plain", b".kineticignore", b"job.py"})
        self.assertNotIn("path_base64", next(each for each in listing if each["path"] == "plain"))
        job = json.loads(self.run_kinetic("run", "--json", "job.py").stdout)["id"]
        self.assertEqual(names(self.json("outputs", "ls", job)), {b"\xfe", b"\xff", b"plain"})
        records = [json.loads(line) for line in self.run_kinetic("logs", job, "--json").stdout.splitlines()]
        self.assertIn(b"\xfe\n", names(records, "text"))
        os.rename(os.path.join(os.fsencode(self.work), b"\xff"), os.path.join(os.fsencode(self.work), b"\xfd"))
        self.assertEqual(names(json.loads(self.run_kinetic("bundle", "diff", "--json", "job.py").stdout)["changes"]), {b"\xff", b"\xfd"})


class TextOfOtherSystems(JobCase):
    def test_a_list_of_dependencies_has_one_line_each(self):
        self.write("job.yaml", 'run: python -c "import six"\n')
        index = PackageIndex(module("one", "1.0"), module("two", "1.0"))
        self.addCleanup(index.close)
        for end in ("", "\u00a0"):
            text = f"{index.lines}one==1.0{end}\ntwo\n"
            (self.work / "requirements.txt").write_bytes(text.encode("utf-8" if end else "utf-16"))
            self.assertIn("2 packages, resolved", self.run_kinetic("lock", "job.yaml").stderr)
            shown = self.run_kinetic("env", "explain", "job.yaml").stdout
            self.assertRegex(shown, "  dependencies  one==1.0.*\n                two\n")

    def test_a_job_file_in_utf16_is_named(self):
        (self.work / "job.yaml").write_bytes("run: 'true'\n".encode("utf-16"))
        self.assertIn("not valid UTF-8", self.run_kinetic("run", "job.yaml", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
