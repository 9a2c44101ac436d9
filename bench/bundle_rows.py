"""Rows about bundles: walk, pack, store, unpack."""

import itertools
import json
import os
import shutil
import time

from row import Row, cores
from measuring import interleaved, middle
from trees import make_files, make_large


def restic(place, tree, fresh):
    """Returns a restic backup of `tree`, into a new repository if `fresh`."""
    repository = place.folder / "restic"
    options = f"RESTIC_PASSWORD=x RESTIC_REPOSITORY={repository} RESTIC_CACHE_DIR={place.folder}/cache"
    if fresh or not repository.exists():
        shutil.rmtree(repository, ignore_errors=True)
        place.shell(f"{options} restic init -q")
    return place.shell(f"{options} restic backup -q .", cwd=tree)


def what_bounds_packing(place, tree, ours):
    parts = json.loads(place.measure([place.tool, "parts", str(tree), "parts.out"], cwd=place.folder).output)
    seconds = {"compression": parts["compression"], "hash": parts["hash"], "reading": parts["read"]}
    text = ", ".join(f"{what} {took * 1000:.0f} ms" for what, took in seconds.items())
    on_disk = f"disk {parts['disk'] * 1000:.0f} ms for {parts['stored_bytes'] / 1e6:.0f} MB"
    processors = os.cpu_count() or 1
    first = max(seconds, key=seconds.get) if sum(seconds.values()) / processors > parts["disk"] else "disk"
    return f"{first}: CPU of one core: {text}; {on_disk}; {cores(ours)}"


def pack(place):
    tree = place.folder / "tree"
    make_files(tree, 2000, 50_000)

    def ours():
        place.new_home()
        return place.submit(tree)

    def tar():
        return place.shell("tar c . | zstd -q -f -3 -T2 -o ../out.zst && sync ../out.zst", cwd=tree)

    def zip_file():
        return place.measure(["python3", "-m", "zipfile", "-c", "../out.zip", "."], cwd=tree)

    measured, fast, backup = interleaved(7, ours, tar, lambda: restic(place, tree, True))
    slow = zip_file()
    bounds = what_bounds_packing(place, tree, measured)
    what = "100 MB in 2,000 files, cold, to an accepted job"
    yield Row(what, ">= 20x", measured, slow, "zipfile", 20, bounds=bounds)
    yield Row(what, ">= 1x", measured, fast, "tar, zstd -3 -T2", 1)
    yield Row(what, ">= 1x", measured, backup, "restic backup", 1)


def new_content(place, before):
    """Returns the content objects in the store by name, except those in `before`."""
    found = {}
    for kind in ("packs", "trees"):
        for path in (place.store / kind).rglob("*"):
            if path.is_file() and path not in before:
                found[path] = path.stat().st_size
    return found


def make_repository(place, files):
    """Creates a git repository whose files are committed and in the stat cache."""
    tree = place.folder / "tree"
    make_files(tree, files, 1000)
    git = "git -c user.name=x -c user.email=x@x -c gc.auto=0"
    time.sleep(1.1)  # git reads files again if they are as new as its index
    place.shell(f"{git} init -q && {git} add -A && {git} commit -qm x", cwd=tree)
    place.submit(tree)
    return tree


def git_status(place, tree):
    return place.measure(["git", "status", "--porcelain"], cwd=tree, env={**os.environ, "HOME": str(place.folder)})


def dry(place):
    tree = make_repository(place, 30_000)
    ours, rival = interleaved(31, lambda: place.run("run", "--dry-run", "job.yaml", cwd=tree),
                              lambda: git_status(place, tree))
    yield Row("--dry-run of 30,000 files, unchanged", "<= 1.3x", ours, rival, "git status", 1 / 1.3, bounds=cores(ours))


def unchanged(place):
    tree = make_repository(place, 50_000)

    def status():
        return git_status(place, tree)

    cache = str(place.folder / "stat-cache")

    def identify():
        return place.measure([place.tool, "identify", str(tree), cache], cwd=place.folder)

    ours, library, rival = interleaved(9, lambda: place.submit(tree), identify, status)
    yield Row("50,000 files, unchanged, to an accepted job", "<= 1.5x", ours, rival, "git status", 1 / 1.5,
              bounds=f"{cores(ours)}; walking and naming alone {library.wall * 1000:.0f} ms")
    yield Row("  walking and naming alone", "<= 1.5x", library, rival, "git status", 1 / 1.5, bounds=cores(library))

    edits = iter(range(1000))
    added = []

    def edit():
        (tree / "area3/team2/project1/module_7.py").write_text(f"edited = {next(edits)}\n")

    def edited():
        edit()
        before = new_content(place, {})
        cost = place.submit(tree)
        added.append(new_content(place, before))
        return cost

    def backup():
        edit()
        return restic(place, tree, False)

    ours, rival, slow = interleaved(5, edited, status, backup)
    objects = max(len(found) for found in added)
    size = max(sum(found.values()) for found in added)
    what = "one of 50,000 files edited, to an accepted job"
    limits = ((objects, 1, "object"), (size / 1000, 100, "KB"))
    yield Row(what, "one object < 100 KB, <= 2x", ours, rival, "git status", 0.5, limits, cores(ours))
    yield Row(what, "-", ours, slow, "restic backup")


def unpack(place):
    tree = place.folder / "tree"
    make_files(tree, 50_000, 1000)
    place.submit(tree)
    place.shell("tar c . | zstd -q -3 -T2 -o ../tree.tar.zst", cwd=tree)
    digest = next(path.name for path in (place.store / "trees").rglob("*") if path.is_file())
    # Nothing is removed in between: on ext4, creating files is slow after others were removed.
    folders = (str(place.folder / f"out{number}") for number in itertools.count())

    def ours():
        return place.measure([place.tool, "unpack", str(place.store), digest, next(folders)], cwd=place.folder)

    def tar():
        out = next(folders)
        return place.shell(f"mkdir {out} && zstd -q -dc tree.tar.zst | tar x -C {out}")

    ours, rival = interleaved(5, ours, tar)
    yield Row("unpack 50,000 files in the runner", ">= 1x", ours, rival, "zstd, tar x", 1,
              bounds=f"creating the files; {cores(ours)}")


def large(place):
    tree = place.folder / "tree"
    make_large(tree, random_files=2, sparse_files=8)

    def ours():
        place.new_home()
        return place.submit(tree)

    cost = middle([ours()])
    yield Row("10 GiB of 8 sparse and 2 random files", "<= 64 MB", cost, limits=((cost.peak, 64, "MB"),),
              bounds=f"hash and reading; {cores(cost)}")
