#!/usr/bin/env python3
"""Attacks a sandboxed kinetic at random, and checks after each attack that nothing is lost or leaked.

    run.py KINETIC [--seconds N] [--seed N] [--only files|damage|links|kills|planted] [--keep]

Attacks: hostile job files; damaged, deleted and foreign store objects; links and files planted in the store, and
everything else that can have a name there (planted.py); SIGKILL of client, supervisor, program, or two of them. A failure prints the seed of its round: --seed repeats a campaign from there.

Invariants:
  - no file outside store, state and cache changes, and no content from there reaches the store
  - every command ends within 60 seconds with a documented exit code
  - no control character of a job, file or object reaches the terminal
  - every job reaches a terminal state, and only a job whose program completed has succeeded
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

import attacks
import planted
from sandbox import Failure, Sandbox

ROUNDS = {"files": attacks.hostile_file, "damage": attacks.damaged_object, "links": attacks.planted_link,
          "kills": attacks.killed_processes, "planted": planted.planted_object}


def run_round(kinetic, name, seed, keep):
    """Returns the number of commands that the round ran. Raises Failure if an invariant does not hold."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-campaign-"))
    user = planted.USER if name == "planted" and os.geteuid() == 0 else None
    sandbox = Sandbox(folder, kinetic, random.Random(seed), user)
    try:
        ROUNDS[name](sandbox)
        sandbox.check_outside()
        return sandbox.commands
    finally:
        sandbox.end_processes()
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinetic", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--only", choices=ROUNDS)
    parser.add_argument("--keep", action="store_true", help="keep the folders of the rounds")
    options = parser.parse_args()
    print(f"campaign: seed {options.seed}", flush=True)
    names = [options.only] if options.only else list(ROUNDS)
    rounds, commands, failures = collections.Counter(), 0, 0
    end = time.monotonic() + options.seconds
    seed = options.seed
    while time.monotonic() < end:
        name = names[seed % len(names)]  # a function of the seed, so that a seed repeats its round
        try:
            commands += run_round(options.kinetic.resolve(), name, seed, options.keep)
        except Failure as failure:
            failures += 1
            print(f"FAILED: --only {name} --seed {seed}: {failure}", flush=True)
        rounds[name] += 1
        seed += 1
    print(f"campaign: {dict(rounds)} rounds, {commands} commands, {failures} failed rounds", flush=True)
    if sum(rounds.values()) == 0 or commands == 0:
        sys.exit("campaign: nothing was run")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
