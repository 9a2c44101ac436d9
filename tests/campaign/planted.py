"""Objects that another user or program puts into a store: every kind of thing at every place.

PLACES and KINDS are also used by tests/cli/planted_objects_test.py, which tries some combinations.
"""

import os
import shutil
import socket
import stat

from sandbox import DOCUMENTED, Failure

USER = 65534  # kinetic runs as this user, so that root's private files are those of another user
MAGIC = b"KNTCMETA"


def make_folder(path):
    path.mkdir()
    path.chmod(0o777)
    (path / "file").write_text("x")


def make_private_folder(path):
    make_folder(path)
    path.chmod(0o700)


def make_private_file(path):
    path.write_bytes(b"x")
    path.chmod(0o600)


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as one:
        here = os.getcwd()
        os.chdir(path.parent)  # the address has at most 107 bytes
        try:
            one.bind(path.name)
        finally:
            os.chdir(here)


def make_huge(path):
    with open(path, "wb") as file:
        file.truncate(1 << 40)


KINDS = {
    "dangling link": lambda path: path.symlink_to("/nowhere/at/all"),
    "pipe": os.mkfifo,
    "socket": make_socket,
    "device": lambda path: os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5)),
    "folder": make_folder,
    "empty folder": lambda path: path.mkdir(),
    "1 TiB": make_huge,
    "noise": lambda path: path.write_bytes(os.urandom(3000)),
    "forged trailer": lambda path: path.write_bytes(b"x\xff\xff\xff\x7f" + MAGIC),
    "deep JSON": lambda path: path.write_bytes(b"[" * 200_000),
    "empty": lambda path: path.write_bytes(b""),
    "private file": make_private_file,
    "private folder": make_private_folder,
}
FOLDER_KINDS = ["link", "dangling link", "pipe", "socket", "device", "noise"]  # in place of a class's folder
CLASSES = ["packs", "trees", "data", "locks", "checkpoints", "outputs", "index", "jobs"]


def kinds():
    return ["link", *KINDS]


def plant(sandbox, path, kind):
    """Replaces what is at a path."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
    missing = [each for each in path.parents if not each.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    for each in missing:
        os.chown(each, sandbox.user or os.geteuid(), -1)
    if kind == "link":
        path.symlink_to(sandbox.outside)
    else:
        KINDS[kind](path)


def places(store):
    """Returns the paths of the objects of the store, of names that it does not use yet, and of its folders, by place."""
    found = {
        "index/new": store / "index" / "0000000000000001-zz",
        "index/new.ended": store / "index" / "0000000000000001-zz.ended",
        "index/unparsable": store / "index" / "zz",
        "jobs/new": store / "jobs" / "zz",
        "data/new": store / "data" / "zz",
        "data/new/below": store / "data" / "zz" / "y",
        "trees/new": store / "trees" / ("0" * 64),
        "packs/new": store / "packs" / ("0" * 64),
        "checkpoints/new": store / "checkpoints" / "zz",
        "locks/new": store / "locks" / "zz",
        "environments/new": store / "environments" / "zz",
        "builds/new": store / "builds" / "zz.json",
        "compiled/new": store / "compiled" / "zz",
        "downloads/new": store / "downloads" / "zz",
        "jobs/victim": store / "jobs" / "victim",
        "outputs/victim": store / "outputs" / "victim",
        "checkpoints/victim": store / "checkpoints" / "victim",
        ".tmp": store / ".tmp",
        ".locks": store / ".locks",
    }
    for path in sorted(store.rglob("*")):
        name = str(path.relative_to(store))
        parts = name.split("/")
        if not path.is_file() or parts[0] in (".tmp", ".locks", "format.json"):
            continue
        if parts[0] in ("jobs", "outputs", "checkpoints") and parts[1] == "victim":
            found[name] = path
        elif parts[0] in ("packs", "trees", "locks", "data"):
            found[f"{parts[0]}/used"] = path
        elif parts[0] == "index" and "-victim" in name:
            found["index/victim" + path.suffix] = path
    for one in CLASSES:
        found[one] = store / one
    return found


def populate(sandbox):
    """Runs two jobs and stores a dataset."""
    (sandbox.project / "more.bin").write_bytes(os.urandom(400_000))  # so that there is a pack
    for name in ("other", "victim"):
        code, output = sandbox.run_job(name)
        if code != 0:
            raise Failure(f"job {name} fails before anything was planted: {output!r}")
    (sandbox.project / "set").mkdir()
    (sandbox.project / "set" / "file").write_bytes(os.urandom(3000))
    sandbox.run("data", "put", "set", "--name", "set")


def expect(sandbox, *arguments, codes=(0,)):
    code, output = sandbox.run(*arguments)
    if code not in codes:
        raise Failure(f"{' '.join(arguments)}: exit code {code}: {output[-600:]!r}")
    return output


def check(sandbox, place, kind):
    """Plants one object, and checks that it blocks no command, is shown as damaged, and can be removed."""
    store = sandbox.store
    path = places(store)[place]
    plant(sandbox, path, kind)
    status = path.lstat()
    is_class = place in CLASSES
    of_victim = "victim" in place
    every = DOCUMENTED
    # What concerns the victim, or what a replaced folder held, may fail, but must end.
    for command in (["status"], ["result"], ["logs"], ["wait"], ["outputs", "ls"]):
        expect(sandbox, *command, "victim", codes=every)
        expect(sandbox, *command, "other", codes=every if place in ("jobs", "index", "outputs") else (0,))
    expect(sandbox, "ps", "--all")
    expect(sandbox, "data", "ls")
    is_left = os.path.lexists(path) and os.path.samestat(path.lstat(), status)  # no writer has replaced it
    # Unreadable objects may refer to anything, so nothing is removed.
    collected = (0, 120) if is_class or kind.startswith("private") else (0,)
    warned = expect(sandbox, "gc", codes=collected)
    is_other_type = not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode)
    is_reported = is_other_type and place not in (".tmp", ".locks") and not place.startswith("outputs")
    if is_reported and is_left and "damaged" not in " ".join(warned.split()):
        raise Failure(f"gc does not report it: {warned!r}")
    for attempt in range(3):
        code, output = sandbox.run_job(f"again-{attempt}")
        if code == 0:
            break
        if code != 123 or "run the job again" not in " ".join(output.split()):
            raise Failure(f"a new job: exit code {code}: {output[-600:]!r}")
    else:
        raise Failure(f"three runs of unchanged code failed: {output[-600:]!r}")
    if of_victim:
        expect(sandbox, "rm", "--force", "--outputs", "victim", codes=(0, 2) if is_class else (0,))
    elif place.startswith("data/"):
        expect(sandbox, "data", "rm", path.relative_to(store).parts[1], codes=every)
    elif place in ("jobs/new", "checkpoints/new"):
        expect(sandbox, "rm", "--force", "zz", codes=every)
    expect(sandbox, "gc", "--verify", codes=collected)
    expect(sandbox, "ps", "--all")
    is_left = os.path.lexists(path) and os.path.samestat(path.lstat(), status)
    if is_left and is_other_type and not place.startswith(("outputs", ".locks")):
        raise Failure("it is still there")


def planted_object(sandbox):
    """Plants objects of every kind at random places, one after the other."""
    populate(sandbox)
    restore = sandbox.snapshot()
    for _ in range(4):
        place = sandbox.chance.choice(sorted(places(sandbox.store)))
        kind = sandbox.chance.choice(FOLDER_KINDS if place in (*CLASSES, ".tmp", ".locks") else kinds())
        try:
            check(sandbox, place, kind)
            sandbox.check_outside()
        except Failure as failure:
            raise Failure(f"{kind} at {place}: {failure}") from None
        restore()
