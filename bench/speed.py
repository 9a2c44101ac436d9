#!/usr/bin/env python3
"""Measures kinetic against what people would use instead, in one run on one machine.

    bench/speed.py [--kinetic build/release/bin/kinetic] [ROW...]

Each row is a ratio of medians of the same work done by both; a row without a rival gives the figure alone.
Nothing here is a test: a figure is read by people, and says what bounds it.
"""

import argparse
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

WORDS = [bytes(random.Random(seed).choices(b"abcdefghijklmnopqrstuvwxyz", k=3 + seed % 9)) for seed in range(4000)]


def text(rng, size):
    """Bytes that compress about as well as source code does."""
    out = bytearray()
    while len(out) < size:
        out += b" ".join(rng.choices(WORDS, k=12)) + b"\n"
    return bytes(out[:size])


def make_tree(root, files, size):
    rng = random.Random(7)
    for number in range(files):
        path = root / f"d{number % 100:02}" / f"f{number:06}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text(rng, size))
    (root / "requirements.txt").write_text("")
    (root / "job.yaml").write_text("run: 'true'\ndependencies: null\nbundle: {root: .}\n")


def timed(command, **options):
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    return time.perf_counter() - begin


def median(function, times):
    return statistics.median(function() for _ in range(times))


class Bench:
    def __init__(self, kinetic, folder):
        self.kinetic = str(pathlib.Path(kinetic).resolve())
        self.folder = pathlib.Path(folder)
        self.homes = 0
        self.fresh_home()

    def fresh_home(self):
        self.homes += 1
        home = self.folder / f"home{self.homes}"
        home.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(home)}

    def run(self, *arguments, **options):
        return timed([self.kinetic, *arguments], env=self.environment, **options)

    def report(self, what, ours, rival=None, rival_name=""):
        line = f"{what:<52} {ours * 1000:9.1f} ms"
        if rival is not None:
            line += f"   {rival_name} {rival * 1000:9.1f} ms   {rival / ours:6.2f}x as fast"
        print(line, flush=True)

    # --- rows -------------------------------------------------------------------------------------------

    def help(self):
        self.run("--help")
        self.report("kinetic --help", median(lambda: self.run("--help"), 21))

    def pack(self):
        tree = self.folder / "pack"
        make_tree(tree, 2000, 50_000)

        def ours():
            self.fresh_home()
            return self.run("run", "--detach", "job.yaml", cwd=tree)

        def python_zip():
            begin = time.perf_counter()
            with zipfile.ZipFile(self.folder / "out.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                for path in sorted(tree.rglob("*")):
                    archive.write(path, path.relative_to(tree))
            return time.perf_counter() - begin

        def tar_zstd():
            return timed(["sh", "-c", "tar c . | zstd -q -3 -T2 >../out.tar.zst; sync ../out.tar.zst"], cwd=tree)

        def restic():
            shutil.rmtree(self.folder / "restic", ignore_errors=True)
            environment = {**os.environ, "RESTIC_PASSWORD": "x", "RESTIC_REPOSITORY": str(self.folder / "restic")}
            subprocess.run(["restic", "init", "-q"], env=environment, check=True)
            return timed(["restic", "backup", "-q", "--no-cache", str(tree)], env=environment)

        measured = median(ours, 3)
        self.report("100 MB in 2,000 files, cold, to an accepted job", measured, python_zip(), "zipfile")
        self.report("  the same", measured, median(tar_zstd, 3), "tar|zstd -3 -T2")
        if shutil.which("restic"):
            self.report("  the same", measured, median(restic, 3), "restic backup")

    def unchanged(self):
        tree = self.folder / "many"
        make_tree(tree, 50_000, 1_000)
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
            subprocess.run([*git, *command], cwd=tree, check=True)
        self.fresh_home()
        self.run("run", "--detach", "job.yaml", cwd=tree)
        time.sleep(2)
        self.run("run", "--dry-run", "job.yaml", cwd=tree)

        def ours():
            return self.run("run", "--dry-run", "job.yaml", cwd=tree)

        def status():
            return timed(["git", "status", "--porcelain"], cwd=tree)

        status()
        rival = median(status, 5)
        self.report("50,000 files, unchanged: run --dry-run", median(ours, 5), rival, "git status")
        store = pathlib.Path(self.environment["HOME"]) / ".local/share/kinetic/store"
        before = {path: path.stat().st_size for path in store.rglob("*") if path.is_file()}
        (tree / "d07" / "f000007.py").write_bytes(b"edited\n")
        edited = self.run("run", "--detach", "job.yaml", cwd=tree)
        content = [
            path.stat().st_size
            for path in store.rglob("*")
            if path.is_file() and path not in before and path.relative_to(store).parts[0] in ("packs", "trees")
        ]
        self.report("one of 50,000 edited: to an accepted job", edited, rival, "git status")
        print(f"  new content objects: {len(content)}, {sum(content)} bytes")

    def trivial(self):
        tree = self.folder / "trivial"
        tree.mkdir()
        (tree / "job.yaml").write_text("function: f:f\ndependencies: null\nbundle: {root: .}\n")
        (tree / "f.py").write_text("def f():\n    return 1\n")
        self.run("run", "job.yaml", cwd=tree)
        ours = median(lambda: self.run("run", "job.yaml", cwd=tree), 11)
        rival = median(lambda: timed(["python3", "-c", "import json, traceback, importlib"]), 11)
        self.report("trivial function, submit to value", ours, rival, "python3 -c import")

    def lines(self):
        tree = self.folder / "lines"
        tree.mkdir()
        program = "import sys\nfor i in range(1000000): sys.stdout.write('line %d of the log, as a program writes it\\n' % i)"
        (tree / "p.py").write_text(program)
        (tree / "job.yaml").write_text("run: [python3, p.py]\ndependencies: null\nbundle: {root: .}\n")

        def ours():
            with open(os.devnull, "w", encoding="utf-8") as sink:
                begin = time.perf_counter()
                subprocess.run([self.kinetic, "run", "job.yaml"], env=self.environment, cwd=tree, stdout=sink,
                               stderr=subprocess.DEVNULL, check=True)
                return time.perf_counter() - begin

        def redirect():
            return timed(["sh", "-c", "python3 p.py > ../lines.txt"], cwd=tree)

        self.report("1,000,000 log lines, followed", median(ours, 3), median(redirect, 3), "to a file")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"  the largest process so far held {peak / 1024:.0f} MB")

    def ps(self):
        tree = self.folder / "ps"
        tree.mkdir()
        (tree / "job.yaml").write_text("run: 'true'\ndependencies: null\nbundle: {root: .}\n")
        self.fresh_home()
        self.run("run", "job.yaml", cwd=tree)
        index = pathlib.Path(self.environment["HOME"]) / ".local/share/kinetic/store/index"
        entry = next(path for path in index.rglob("*") if path.is_file())
        for number in range(9_999):
            shutil.copy(entry, entry.with_name(f"{entry.name[:-6]}{number:06}"))
        self.report("kinetic ps with 10,000 jobs", median(lambda: self.run("ps"), 5))
        self.report("kinetic ps --all with 10,000 jobs", median(lambda: self.run("ps", "--all"), 5))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinetic", default="build/release/bin/kinetic")
    parser.add_argument("rows", nargs="*", default=[])
    options = parser.parse_args()
    names = ["help", "pack", "unchanged", "trivial", "lines", "ps"]
    unknown = set(options.rows) - set(names)
    if unknown:
        sys.exit(f"unknown rows: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    with tempfile.TemporaryDirectory(prefix="kinetic-bench-") as folder:
        bench = Bench(options.kinetic, folder)
        for name in options.rows or names:
            getattr(bench, name)()


if __name__ == "__main__":
    main()
