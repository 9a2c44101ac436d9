"""Queues many jobs of one user.   many_queued_test.py KINETIC COUNT

All succeed, also with Linux's default limit of 128 inotify instances. Prints what a waiting job costs.
"""

import concurrent.futures
import os
import pathlib
import sys
import time
import unittest

COUNT = int(sys.argv.pop(2))

from harness import JobCase  # noqa: E402  (takes its own argument)


class ManyQueued(JobCase):
    def environment(self, **more):
        return super().environment(KINETIC_CONCURRENCY="2", KINETIC_STATE_DIR=str(self.home / "state"), **more)

    def costs(self):
        """Returns processes, threads, inotify instances and private kB of all supervisors and their parents."""
        processes = threads = instances = size = 0
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                is_supervisor = (folder / "comm").read_text() == "kinetic-runner\n"
                if not is_supervisor or str(self.home) not in os.readlink(folder / "cwd"):
                    continue
                processes += 1
                threads += len(list((folder / "task").iterdir()))
                instances += sum("inotify" in os.readlink(fd) for fd in (folder / "fd").iterdir())
                lines = (folder / "smaps_rollup").read_text().splitlines()
                size += sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
            except OSError:
                continue
        return processes, threads, instances, size

    def test_all_succeed(self):
        gate = self.home / "gate"
        job = ("sh", "-c", f"until [ -e {gate} ]; do sleep 1; done")
        begun = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            jobs = list(pool.map(lambda _: self.submit(*job), range(COUNT)))
        print(f"{COUNT} submitted in {time.monotonic() - begun:.0f} s", flush=True)
        processes, threads, instances, size = self.costs()
        print(f"per job: {processes / COUNT:.2f} processes, {threads / COUNT:.2f} threads, "
              f"{instances / COUNT:.2f} inotify instances, {size / COUNT:.0f} kB private memory", flush=True)
        self.assertLess(processes, COUNT + 20)
        self.assertLess(threads, COUNT + 60)
        gate.touch()
        waiting = self.start("wait", *jobs)  # fails if one has failed
        _, err = waiting.communicate()
        self.assertEqual(waiting.returncode, 0, err)
        states = {self.state(job) for job in jobs[:: max(1, COUNT // 50)]}
        self.assertEqual(states, {"succeeded"})


if __name__ == "__main__":
    unittest.main()
