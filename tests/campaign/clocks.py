#!/usr/bin/env python3
"""Runs jobs of several machines with wrong clocks in one store, and checks that nothing is lost or removed early.

    clocks.py KINETIC RUNNER GCS_SERVER WRONG_CLOCK [--seconds N] [--seed N]

In each round, three machines (homes) share a folder or a bucket. The clock of the first one is right, that of the
second is off by −60 to 400 days, and that of the third jumps in that range every second. So does the Date of every
response of the bucket in half of the rounds. The machines submit jobs, list and inspect all jobs, and remove what is
older than 12 hours.

Invariants:
  - every job succeeds and every client reads its value; no command shows a lost job
  - `gc` and `rm --older-than` remove nothing: they find nothing old, or stop because the clocks disagree
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "e2e"))
from bucket import Bucket  # noqa: E402
from machine import Machine  # noqa: E402

JOBS, ACTIONS = 6, 40
MIN_HOURS, MAX_HOURS = -60 * 24, 400 * 24
PROGRAM = "import time\ndef main(n, seconds):\n    time.sleep(seconds)\n    return n + 1\n"
READS = (["ps", "--all"], ["ps", "--all"], ["status", "ID"], ["why", "ID"], ["logs", "ID"])
REMOVALS = (["gc"], ["gc", "--jobs-older-than", "12h"], ["rm", "--all", "--older-than", "12h", "--yes"])


class Failure(Exception):
    pass


class Round:
    def __init__(self, options, folder, seed, bucket):
        self.chance = random.Random(seed)
        self.jobs = {}
        first = self.chance.randint(MIN_HOURS, MAX_HOURS)
        clocks = ("0:0:0", f"{first}:{first}:0", f"{MIN_HOURS}:{MAX_HOURS}:1")
        store = f"gs://bucket/{seed}" if bucket else str(folder / "store")
        self.machines = []
        for name, clock in zip("abc", clocks):
            machine = Machine(folder / name, options.kinetic, options.runner, None)
            (machine.project / "slow.py").write_text(PROGRAM)
            wrong = {"LD_PRELOAD": str(options.wrong_clock), "KINETIC_WRONG_CLOCK": clock}
            machine.environment |= {"KINETIC_STORE": store, "USER": "ana", **wrong, **machine.runner_with(wrong)}
            if bucket:
                machine.environment["STORAGE_EMULATOR_HOST"] = bucket.url
            self.machines.append(machine)

    def run(self, machine, *arguments):
        done = machine.run(*arguments)
        shown = f"{' '.join(arguments)} with clock {machine.environment['KINETIC_WRONG_CLOCK']}: " \
                f"exit code {done.returncode}: {done.stdout[-500:]} {done.stderr[-1000:]}"
        if "lost" in done.stdout.replace("may be lost", ""):
            raise Failure(f"shows a lost job: {shown}")
        return done, shown

    def submit(self):
        name = f"job-{len(self.jobs)}"
        done, shown = self.run(self.chance.choice(self.machines), "run", "slow:main", "--id", name, "--detach",
                               "--arg", f"n={len(self.jobs)}", "--arg", f"seconds={self.chance.choice((0, 3, 10))}")
        if done.returncode != 0:
            raise Failure(f"cannot submit: {shown}")
        self.jobs[name] = len(self.jobs) + 1

    def act(self):
        machine = self.chance.choice(self.machines)
        if self.chance.random() < 0.4:
            done, shown = self.run(machine, *self.chance.choice(REMOVALS))
            if done.returncode != 0 and "cannot determine ages" not in done.stderr:
                raise Failure(f"a removal failed: {shown}")
            return
        name = self.chance.choice(list(self.jobs))
        done, shown = self.run(machine, *(name if word == "ID" else word for word in self.chance.choice(READS)))
        if done.returncode != 0:
            raise Failure(f"a reading command failed: {shown}")

    def play(self):
        self.submit()
        for action in range(ACTIONS):
            if len(self.jobs) < JOBS and self.chance.random() < 0.3:
                self.submit()
            self.act()
        for name, value in self.jobs.items():
            for machine in self.machines:
                done, shown = self.run(machine, "wait", name)
                if done.returncode != 0:
                    raise Failure(f"a job did not succeed: {shown}")
                done, shown = self.run(machine, "result", name, "--json")
                if done.returncode != 0 or json.loads(done.stdout).get("value") != value:
                    raise Failure(f"a value is gone: {shown}")

    def end(self):
        for machine in self.machines:
            for pid in machine.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def set_dates(bucket, min_hours, max_hours):
    address = f"{bucket.url}/_control/dates?min={min_hours}&max={max_hours}"
    urllib.request.urlopen(urllib.request.Request(address, data=b"", method="POST"), timeout=10).close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("kinetic", "runner", "gcs_server", "wrong_clock"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    print(f"clocks: seed {options.seed}", flush=True)
    rounds, jobs, failures, seed = 0, 0, 0, options.seed
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-clocks-"))
        bucket = None
        if seed % 3 != 0:  # a function of the seed, so that a seed repeats its round
            (folder / "bucket").mkdir()
            bucket = Bucket(options.gcs_server, folder / "bucket")
            if seed % 3 == 1:
                set_dates(bucket, MIN_HOURS, MAX_HOURS)
        played = Round(options, folder, seed, bucket)
        try:
            played.play()
        except Failure as failure:
            failures += 1
            print(f"FAILED: --seed {seed}: {failure}", flush=True)
        finally:
            played.end()
            if bucket:
                bucket.stop()
            shutil.rmtree(folder, ignore_errors=True)
        rounds, jobs, seed = rounds + 1, jobs + len(played.jobs), seed + 1
    print(f"clocks: {rounds} rounds, {jobs} jobs, {failures} failed rounds", flush=True)
    sys.exit(1 if failures or not jobs else 0)


if __name__ == "__main__":
    main()
