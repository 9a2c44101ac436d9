"""Tests named datasets."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from harness import JobCase

READ = """import pathlib
def main(data):
    data = pathlib.Path(data)
    files = [data] if data.is_file() else sorted(p for p in data.rglob('*') if p.is_file())
    return {str(p.relative_to(data)): p.read_text() for p in files}
"""


class Data(JobCase):
    def setUp(self):
        super().setUp()
        self.write("set/a.txt", "first")
        self.write("set/b/c.txt", "second")
        self.write("project/work.py", READ)

    def job(self, source, path="/data"):
        text = (f"function: work:main\nargs: {{data: {{$path: {path}}}}}\ndependencies: null\n"
                f"bundle: {{root: .}}\ndata:\n  {path}: {source}\n")
        self.write("project/job.yaml", text)
        return "project/job.yaml"

    def test_folder_is_put_used_listed_and_removed(self):
        done = self.run_kinetic("data", "put", "set")
        self.assertEqual(done.stdout, "data://set\n")
        self.assertIn("2 files", done.stderr)
        shutil.rmtree(self.work / "set")
        value = self.json("run", self.job("data://set"))["value"]
        self.assertEqual(value, {"a.txt": "first", "b/c.txt": "second"})
        listed = self.json("data", "ls")
        self.assertEqual([(one["name"], one["files"], one["size_bytes"]) for one in listed], [("set", 2, 11)])
        self.assertEqual(listed[0]["source"], str(self.work / "set"))
        self.assertIn("set", self.run_kinetic("data", "ls").stdout)
        self.assertEqual(self.json("data", "rm", "set"), {"removed": ["set"]})
        self.assertEqual(self.json("data", "ls"), [])

    def test_file_is_at_path_of_job(self):
        self.run_kinetic("data", "put", "set/a.txt", "--name", "table")
        self.assertEqual(self.json("run", self.job("data://table", "/in/rows.csv"))["value"], {".": "first"})

    def test_stored_content_is_not_stored_again(self):
        first = self.json("data", "put", "set")
        again = self.json("data", "put", "set", "--name", "copy")
        self.assertGreater(first["bytes_stored"], 0)
        self.assertEqual((again["bytes_stored"], again["replaced"]), (0, False))
        self.assertEqual(again["tree"], first["tree"])

    def test_job_keeps_content_of_submission(self):
        self.run_kinetic("data", "put", "set")
        gate = self.home / "gate"
        blocker = self.submit("sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.02; done",
                              options=("--concurrency", "1"))
        late = self.run_kinetic("run", self.job("data://set"), "--detach", "--concurrency", "1").stdout.strip()
        self.write("set/a.txt", "another")
        self.assertTrue(self.json("data", "put", "set")["replaced"])
        self.json("data", "rm", "set")
        self.run_kinetic("gc")
        gate.touch()
        self.run_kinetic("wait", late)
        self.assertEqual(self.json("result", late)["value"]["a.txt"], "first")
        self.run_kinetic("wait", blocker)

    def test_missing_name_is_reported_with_location(self):
        self.run_kinetic("data", "put", "set", "--name", "mnist")
        done = self.run_kinetic("run", self.job("data://mnits"), code=2)
        self.assertIn("job.yaml:6:10: data./data: no dataset 'mnits'", done.stderr)
        self.assertIn("did you mean 'mnist'?", done.stderr)
        self.run_kinetic("run", self.job("data://mnits"), "--dry-run", code=2)
        self.assertEqual(self.json("ps", "--all"), [])

    def test_missing_local_path_is_reported_with_location(self):
        done = self.run_kinetic("run", self.job("./absent"), code=2)
        self.assertIn("job.yaml:6:10: data./data: cannot open ", done.stderr)

    def test_invalid_arguments(self):
        self.assertIn("no such file", self.run_kinetic("data", "put", "absent", code=2).stderr.lower())
        self.assertIn("name", self.run_kinetic("data", "put", "set", "--name", "../x", code=2).stderr)
        os.mkfifo(self.work / "pipe")
        self.assertIn("neither a file nor a folder", self.run_kinetic("data", "put", "pipe", code=2).stderr)
        self.assertIn("no dataset", self.run_kinetic("data", "rm", "absent", code=2).stderr)
        for source in ("data://", "data://a/b", "s3://bucket/x"):
            done = self.run_kinetic("run", self.job(source), code=2)
            self.assertIn("expected a local path, gs://bucket/prefix or data://NAME", done.stderr)

    def test_pipes_are_left_out_with_a_warning(self):
        os.mkfifo(self.work / "set/pipe")
        self.assertIn("warning: pipe is a socket, pipe or device and is not stored",
                      self.run_kinetic("data", "put", "set").stderr)

    def test_damaged_data_set_is_named_and_stops_only_its_jobs(self):
        self.run_kinetic("data", "put", "set")
        path = self.home / ".local/share/kinetic/store/data/set"
        content = path.read_bytes()
        path.write_bytes(content.replace(b'"set"', b'"sat"'))
        for command in (("data", "ls"), ("gc",)):
            self.assertIn("data/set", self.run_kinetic(*command).stderr, command)
        error = self.json("run", self.job("data://set"), code=120)["error"]
        self.assertIn("data/set", error["message"])
        path.unlink()
        self.run_kinetic("gc")

    def test_names_are_completed(self):
        self.run_kinetic("data", "put", "set")
        self.assertIn("set", self.run_kinetic("__complete", "--", "data", "rm", "").stdout)

    def test_removed_data_is_collected(self):
        (self.work / "set/large").write_bytes(os.urandom(600_000))  # too large to be stored inline
        self.run_kinetic("data", "put", "set")
        kept = json.loads(self.run_kinetic("gc", "--dry-run", "--json").stdout)
        trees = next(one for one in kept["classes"] if one["name"] == "trees")
        self.assertEqual((trees["kept"], trees["removed"]), (1, 0))
        store = self.home / ".local/share/kinetic/store"
        for folder in ("trees", "packs"):
            for file in (store / folder).iterdir():
                os.utime(file, (1_000_000_000, 1_000_000_000))
        self.json("gc")
        self.assertEqual(len(list((store / "trees").iterdir())), 1, "a dataset keeps what it names")
        for folder in ("trees", "packs"):
            for file in (store / folder).iterdir():
                os.utime(file, (1_000_000_000, 1_000_000_000))
        self.json("data", "rm", "set")
        self.json("gc")
        self.assertEqual([list((store / folder).iterdir()) for folder in ("trees", "packs")], [[], []])

    def test_folder_is_taken_whole(self):
        self.write("set/.git/HEAD", "ref")
        self.write("set/.gitignore", "*")
        expected = {".git/HEAD": "ref", ".gitignore": "*", "a.txt": "first", "b/c.txt": "second"}
        self.assertEqual(self.json("run", self.job("../set"))["value"], expected)
        self.run_kinetic("data", "put", "set")
        self.assertEqual(self.json("run", self.job("data://set"))["value"], expected)

    def test_links_out_of_the_folder_are_followed_on_request(self):
        self.write("hub/blobs/1a", "weights")
        snapshot = self.work / "hub/snapshots/main"
        snapshot.mkdir(parents=True)
        (snapshot / "model.bin").symlink_to("../../blobs/1a")
        message = self.run_kinetic("run", self.job("../hub/snapshots/main"), code=2).stderr
        self.assertIn("job.yaml:6:10: data./data: ", message)
        self.assertIn("follow_links: true", message)
        source = "{source: ../hub/snapshots/main, follow_links: true}"
        self.assertEqual(self.json("run", self.job(source))["value"], {"model.bin": "weights"})
        self.assertIn("--follow-links", self.run_kinetic("data", "put", "hub/snapshots/main", code=2).stderr)
        self.run_kinetic("data", "put", "--follow-links", "hub/snapshots/main")
        self.assertEqual(self.json("run", self.job("data://main"))["value"], {"model.bin": "weights"})

    def test_overlapping_paths_are_refused(self):
        self.write("project/job.yaml", "function: work:main\ndata: {/a: ../set, /a/b: ../set}\n")
        message = self.run_kinetic("run", "project/job.yaml", code=2).stderr
        self.assertIn("error: project/job.yaml:2:20: data: /a/b and /a overlap", message)


# Reports the data and how it is mounted, and changes all of it.
CHANGE = """import os, pathlib, sys, time
def main(data, gate=None):
    data = pathlib.Path(data)
    mounts = pathlib.Path('/proc/self/mountinfo').read_text()
    real = os.path.realpath(data)
    overlay = any(' - overlay ' in line and real.startswith(line.split()[4]) for line in mounts.splitlines())
    files = [data] if data.is_file() else sorted(p for p in data.rglob('*') if p.is_file())
    seen = {str(p.relative_to(data)): p.read_text().strip('\\0') for p in files}
    for path in files:
        path.write_text('changed')
        path.unlink()
    if data.is_dir():
        (data / 'new').write_text('new')
    print('ready', flush=True)
    while gate and not os.path.exists(gate):
        time.sleep(0.02)
    if 'retry' in seen.values() and os.environ['KINETIC_ATTEMPT'] == '1':
        sys.exit(75)
    return {'overlay': overlay, 'seen': seen}
"""

FILES = {"a.txt": "first", "b/c.txt": "second", "large": "large"}


class InPlace(JobCase):
    def setUp(self):
        super().setUp()
        self.write("set/a.txt", "first")
        self.write("set/b/c.txt", "second")
        self.write_large("large")
        self.write("project/work.py", CHANGE)
        self.require_overlays()

    def write_large(self, name, text="large"):
        """Writes a file that is large enough for data in place, mostly a hole."""
        os.truncate(self.write(f"set/{name}", text), 16 << 20)

    def require_overlays(self):
        folders = {name: self.home / "probe" / name for name in ("lower", "upper", "work")}
        for folder in folders.values():
            folder.mkdir(parents=True)
        options = "lowerdir={lower},upperdir={upper},workdir={work}".format(**folders)
        mount = f"mount -t overlay overlay -o userxattr,{options} {folders['upper']}"
        user = [] if os.getuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
        probe = ["unshare", *user, "--mount", "sh", "-c", mount]
        done = subprocess.run(probe, capture_output=True, check=False) if shutil.which("unshare") else None
        if done is None or done.returncode != 0:
            self.skipTest("this machine cannot mount overlays")
        clone = ["cp", "--reflink=always", str(self.work / "set/a.txt"), str(self.home / "probe/clone")]
        if subprocess.run(clone, capture_output=True, check=False).returncode == 0:
            self.skipTest("the file system has reflinks, so data is copied")

    def job(self, source="../set", path="/data", **more):
        arguments = json.dumps({"data": {"$path": path}, **more.pop("args", {})})
        lines = ["function: work:main", f"args: {arguments}", "dependencies: null", "bundle: {root: .}",
                 *(f"{key}: {json.dumps(value)}" for key, value in more.items()), f"data: {{{path}: {source}}}", ""]
        self.write("project/job.yaml", "\n".join(lines))
        time.sleep(0.1)  # files that are newer may change again within the precision of their times
        return "project/job.yaml"

    def assert_unchanged(self):
        files = {str(path.relative_to(self.work / "set")): path.read_text().strip("\0")
                 for path in (self.work / "set").rglob("*") if path.is_file()}
        self.assertEqual(files, FILES)

    def test_jobs_change_only_what_they_see(self):
        job = self.job()
        for _ in range(2):
            done = self.json("run", job)
            self.assertEqual(done["value"], {"overlay": True, "seen": FILES})
            self.assert_unchanged()

    def test_attempts_start_with_the_data(self):
        self.write("set/a.txt", "retry")
        done = self.json("run", self.job(retry={"attempts": 2, "on": ["exit:75"]}))
        self.assertEqual(done["value"], {"overlay": True, "seen": {**FILES, "a.txt": "retry"}})

    def test_file(self):
        done = self.json("run", self.job("../set/large", "/in/rows.csv"))
        self.assertEqual(done["value"], {"overlay": True, "seen": {".": "large"}})
        self.assert_unchanged()

    def test_jobs_need_no_space(self):
        size = 30_000_000
        self.write("set/large", "x" * size)
        gate = self.home / "gate"
        job = self.job(args={"gate": str(gate)})
        jobs = [self.run_kinetic("run", "--detach", "--concurrency", "3", job).stdout.strip() for _ in range(3)]
        for each in jobs:
            self.until("the program", lambda each=each: "ready" in self.run_kinetic("logs", each).stdout)
        folder = self.home / ".local/state/kinetic/jobs"
        used = 0
        for path in folder.rglob("*"):
            with contextlib.suppress(FileNotFoundError):  # status files are replaced meanwhile
                used += os.lstat(path).st_blocks * 512
        self.assertLess(used, size)
        # What the job has written is visible from outside.
        self.assertEqual((folder / jobs[0] / "data/data/new").read_text(), "new")
        gate.touch()
        for each in jobs:
            self.run_kinetic("wait", each)
        self.assertFalse(folder.exists() and list(folder.iterdir()))
        self.assertEqual((self.work / "set/large").stat().st_size, size)

    def test_job_gets_what_was_submitted(self):
        gate = self.home / "gate"
        blocker = self.submit("sh", "-c", f"while [ ! -e {gate} ]; do sleep 0.02; done",
                              options=("--concurrency", "1"))
        late = self.run_kinetic("run", self.job(), "--detach", "--concurrency", "1").stdout.strip()
        self.write("set/a.txt", "another")
        self.write("set/more.txt", "more")
        gate.touch()
        self.run_kinetic("wait", blocker, late)
        self.assertEqual(self.json("result", late)["value"], {"overlay": False, "seen": FILES})

    def test_small_data_is_copied(self):
        done = self.json("run", self.job("../set/a.txt"))
        self.assertEqual(done["value"], {"overlay": False, "seen": {".": "first"}})

    def test_changes_of_data_in_use_are_reported(self):
        gate = self.home / "gate"
        job = self.run_kinetic("run", "--detach", self.job(args={"gate": str(gate)})).stdout.strip()
        self.until("the program", lambda: "ready" in self.run_kinetic("logs", job).stdout)
        self.write("set/more.txt", "more")
        gate.touch()
        self.run_kinetic("wait", job)
        self.assertIn(f"warning: the data /data was changed while the job read it: {self.work / 'set'}; ",
                      self.run_kinetic("logs", job).stderr)

    def test_data_at_its_own_path(self):
        path = f"/kinetic-{os.getpid()}/data"
        text = f"run: [sh, -c, 'cat {path}/a.txt && rm {path}/a.txt']\ndata: {{{path}: ../set}}\n"
        self.write("project/job.yaml", text)
        time.sleep(0.1)
        self.assertIn("first", self.run_kinetic("run", "project/job.yaml").stdout)
        self.assert_unchanged()


class Reflinks(JobCase):
    """Jobs on a file system that copies files without using space."""

    def setUp(self):
        super(JobCase, self).setUp()
        if os.getuid() != 0 or shutil.which("mkfs.xfs") is None:
            self.skipTest("needs root and mkfs.xfs")
        image = self.home / "image"
        image.touch()
        os.truncate(image, 400_000_000)
        disk = self.home / "disk"
        disk.mkdir()
        subprocess.run(["mkfs.xfs", "-q", "-m", "reflink=1", str(image)], check=True)
        if subprocess.run(["mount", "-o", "loop", str(image), str(disk)], capture_output=True, check=False).returncode:
            self.skipTest("needs a loop device and XFS in the kernel")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(disk)], check=True)
        self.addCleanup(self.end_jobs)  # before the file system is unmounted
        self.home = disk
        self.work = disk / "project"
        self.work.mkdir()

    def test_copies_need_no_space(self):
        size = 30_000_000
        self.write("set/large", "x" * size)
        gate = self.home / "gate"
        self.write("job.yaml", f"run: [sh, -c, 'wc -c < $KINETIC_DATA_DIR/set/large; grep -c overlay /proc/self/mountinfo;"
                               f" echo more >> $KINETIC_DATA_DIR/set/large; while [ ! -e {gate} ]; do sleep 0.02; done']\n"
                               "data: {/set: ./set}\nbundle: {exclude: [/set/]}\n")
        time.sleep(0.1)
        self.run_kinetic("data", "put", "set")
        before = shutil.disk_usage(self.home).used
        jobs = [self.run_kinetic("run", "--detach", "--concurrency", "3", "job.yaml").stdout.strip() for _ in range(3)]
        mounts = str(pathlib.Path("/proc/self/mountinfo").read_text().count("overlay"))
        for job in jobs:
            self.until("the program", lambda job=job: self.run_kinetic("logs", job).stdout == f"{size}\n{mounts}\n")
        self.assertLess(shutil.disk_usage(self.home).used - before, size)
        # Later changes do not affect the jobs.
        self.write("set/large", "another")
        gate.touch()
        for job in jobs:
            self.run_kinetic("wait", job)
            self.assertNotIn("warning", self.run_kinetic("logs", job).stderr)


if __name__ == "__main__":
    unittest.main()
