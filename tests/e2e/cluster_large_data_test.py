#!/usr/bin/env python3
"""Large logs and outputs on Kubernetes: a million lines with log rotation, three gigabytes of outputs.

    cluster_large_data_test.py KINETIC RUNNER GCS_SERVER [TEST...]
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unittest

import cluster
from cluster import command, wait_for
from cluster_machine import JobsTestCase

PROGRAMS = sys.argv[1:4]
LINES = 1_000_000

PRINTS = """import time
def main(n, at_once, pause):
    for i in range(n):
        print('line', i)
        if i % at_once == at_once - 1: time.sleep(pause)
    return n
"""
FILES, FILE_BYTES = 3, 1 << 30
WRITES = """import hashlib, os, random
def main(files, size):
    folder, sums, piece = os.environ['KINETIC_OUTPUT_DIR'], {}, 1 << 20
    noise = random.Random(7).randbytes(piece)
    for number in range(files):
        digest = hashlib.sha256()
        with open(f'{folder}/{number}.bin', 'wb') as file:
            for at in range(0, size, piece):
                block = b'%32d' % (number * size + at) + noise[32:]
                digest.update(block)
                file.write(block)
        sums[f'{number}.bin'] = digest.hexdigest()
    return sums
"""
# Resource request of the collector.
COLLECTOR_BYTES = 128 << 20


def collector_peak(pod_uid):
    """Returns the peak memory of a pod's collector without the page cache; 0 without a collector."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if b"kinetic-runner\0collect" not in (folder / "cmdline").read_bytes():
                continue
            if os.fsencode(pod_uid) not in (folder / "environ").read_bytes():
                continue
            found = re.search(r"VmHWM:\s+(\d+) kB", (folder / "status").read_text())
        except OSError:
            continue
        if found:
            return int(found[1]) << 10
    return 0


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Follower:
    """Reads the output of a following client and checks that line N is the N-th."""

    def __init__(self, stream):
        self.count, self.odd, self.other = 0, [], []
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream):
        for line in stream:
            if not line.startswith("line "):
                self.other.append(line)
            elif line != f"line {self.count}\n":
                self.odd.append((self.count, line))
                self.count = int(line[5:]) + 1
            else:
                self.count += 1

    def join(self):
        self._thread.join()


class LargeData(JobsTestCase):
    programs = PROGRAMS

    def follow(self, job, at_once, pause, meanwhile):
        self.machine.job("name: much\nfunction: much:main\ndependencies: null\n"
                         f"args: {{n: {LINES}, at_once: {at_once}, pause: {pause}}}\n", much_py=PRINTS)
        client = self.start(job)
        follower = Follower(client.stderr)
        meanwhile(follower)
        out = client.stdout.read()
        code = client.wait(timeout=60)
        follower.join()
        self.assertEqual((code, out), (0, f"{LINES}\n"), follower.other)
        self.assertEqual((follower.count, follower.odd[:10]), (LINES, []))
        self.assertEqual(self.agrees(job, 1)["state"], "succeeded")

    def test_million_lines_at_full_speed(self):
        def meanwhile(follower):
            wait_for("rotation", lambda: follower.count and self.rotated("fast"), 300)
        # The kubelet checks log sizes every three seconds.
        self.follow("fast", LINES // 4, 3.5, meanwhile)
        log = self.machine.run("logs", "fast")
        self.assertEqual(log.returncode, 0, log.stderr[-1000:])
        kept = [line for line in (log.stdout + log.stderr).splitlines() if line.startswith("line ")]
        self.assertEqual(kept, [f"line {i}" for i in range(LINES)])

    def test_million_lines_during_api_server_outage(self):
        def meanwhile(follower):
            wait_for("the first lines", lambda: follower.count > LINES // 10, 300)
            command("apiserver", "stop")
            self.addCleanup(command, "apiserver", "start")
            time.sleep(5)
            self.assertLess(follower.count, LINES, "it was over before the server went away")
            command("apiserver", "start")
            wait_for("rotation", lambda: self.rotated("restart"), 300)
        self.follow("restart", 1000, 0.05, meanwhile)

    def test_three_gigabytes_of_outputs(self):
        self.machine.job("name: large\nfunction: large:main\ndependencies: null\n"
                         f"args: {{files: {FILES}, size: {FILE_BYTES}}}\n", large_py=WRITES)
        client = self.start("outputs")
        peak = 0
        while client.poll() is None:
            for pod in self.view.pods("kinetic-outputs"):
                peak = max(peak, collector_peak(pod["metadata"]["uid"]))
            time.sleep(0.1)
        out, err = client.communicate()
        self.assertEqual(client.returncode, 0, out + err)
        print(f"collector: {peak / (1 << 20):.1f} MiB at most for {FILES * FILE_BYTES >> 20} MiB", flush=True)
        self.assertTrue(0 < peak < COLLECTOR_BYTES, peak)
        pod = self.agrees("outputs", 1) and self.view.pods("kinetic-outputs")[0]
        self.assertEqual([each["restartCount"] for each in pod["status"]["initContainerStatuses"]], [0])
        place = self.folder / "fetched"
        subprocess.run([self.machine.kinetic, "outputs", "get", "outputs", "--to", place], check=True,
                       cwd=self.machine.project, env=self.machine.environment, timeout=900)
        sums = self.machine.answer("result", "outputs")["value"]
        files = [path for path in place.iterdir() if path.name != ".gitignore"]
        self.assertEqual({path.name: digest_of(path) for path in files}, sums)
        self.assertEqual([path.stat().st_size for path in files], [FILE_BYTES] * FILES)


if __name__ == "__main__":
    cluster.need_cluster()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
