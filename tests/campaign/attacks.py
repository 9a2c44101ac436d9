"""The attacks of the campaign. Each takes a sandbox and uses its chance for every choice."""

import os
import pathlib
import signal
import subprocess
import time

from sandbox import Failure

# Commands that read or remove what a job left. {} is the job's id.
READERS = [["ps"], ["status", "{}"], ["why", "{}"], ["logs", "{}"], ["result", "{}"], ["wait", "{}"], ["attach", "{}"],
           ["outputs", "ls", "{}"], ["outputs", "get", "{}", "--to", "fetched"], ["data", "ls"], ["env", "ls"]]
REMOVERS = [["gc"], ["rm", "{}"], ["rm", "--force", "{}"], ["data", "rm", "set"]]

HOSTILE_TEXTS = ["\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "a\rb", "a\nb", "\x7f", "\x00", "\u202ereversed", "\u2028",
                 "../" * 20 + "etc/passwd", "/", "", " ", "~", "$(touch owned)", "`id`", "%s%n", "a" * 70000, "\ud7ff",
                 "null", "NaN", "0x10", "1e308", "-1", "9" * 40, "*", "&a", "!!python/object:os.system", "{", "- ["]
KEYS = ["name", "function", "run", "args", "accelerator", "bundle", "dependencies", "python", "env", "secrets", "data",
        "resources", "spot", "retry", "timeouts", "pod", "target", "image", "queue", "array", "slices", "max_cost"]


def quoted(text):
    """Returns a YAML scalar; half of the time one that is not quoted."""
    escaped = "".join(c if c.isalnum() or c in " ./-_" else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'


def hostile_value(chance, depth=0):
    kind = chance.randrange(8 if depth < 4 else 5)
    text = chance.choice(HOSTILE_TEXTS)
    if kind < 2:
        return quoted(text)
    if kind == 2:
        return text.replace("\n", " ") or "''"
    if kind == 3:
        return str(chance.choice([0, -1, 1, 2**31, 2**63, 2**64, 10**30, 1e308, 0.1]))
    if kind == 4:
        return chance.choice(["true", "null", "~", "[]", "{}", "1d", "999999999d", "1e9Gi", "-5s", "1.5"])
    if kind == 5:
        return "[" + ", ".join(hostile_value(chance, depth + 1) for _ in range(chance.randrange(4))) + "]"
    return "{" + ", ".join(f"{quoted(chance.choice(HOSTILE_TEXTS + KEYS)[:200])}: {hostile_value(chance, depth + 1)}"
                           for _ in range(chance.randrange(4))) + "}"


def hostile_file(sandbox):
    """Runs job files with hostile keys and values, and a job whose name, error and files are hostile."""
    chance = sandbox.chance
    for number in range(6):
        lines = ["function: work:main", f"args: {{marker: {sandbox.markers}/m{number}}}"]
        for key in chance.sample(KEYS, chance.randint(1, 3)):
            lines.append(f"{key}: {hostile_value(chance)}")
        if chance.random() < 0.2:
            lines.append("nested: " + "[" * 2000)
        text = "\n".join(lines).encode("utf-8", "surrogatepass")
        if chance.random() < 0.2:
            at = chance.randrange(len(text))
            text = text[:at] + bytes([chance.randrange(256)]) + text[at:]
        (sandbox.project / "job.yaml").write_bytes(text)
        sandbox.run("run", "--dry-run", "job.yaml")
        sandbox.run("run", "--detach", "job.yaml")
    hostile_program(sandbox)


def hostile_program(sandbox):
    text = sandbox.chance.choice([t for t in HOSTILE_TEXTS if t and "\0" not in t and len(t) < 200])
    (sandbox.project / "hostile.py").write_text(
        f"import os, pathlib\nTEXT = {text!r}\n"
        "def main():\n"
        "    (pathlib.Path(os.environ['KINETIC_OUTPUT_DIR']) / TEXT.replace('/', '_')).write_text(TEXT)\n"
        "    print(TEXT)\n"
        "    raise type(TEXT.replace('\\0', ''), (Exception,), {})(TEXT)\n", "utf-8", "surrogatepass")
    (sandbox.project / "hostile.yaml").write_text("function: hostile:main\n")
    sandbox.run("run", "hostile.yaml", "--id", "hostile")
    for command in READERS:
        sandbox.run(*[word.format("hostile") for word in command])


def populate(sandbox):
    """Runs two jobs and stores a dataset."""
    for name, code in (("job-a", 0), ("job-b", 3)):
        sandbox.run_job(name, code=code)
    (sandbox.project / "set").mkdir()
    (sandbox.project / "set" / "file").write_bytes(os.urandom(3000))
    sandbox.run("data", "put", "set", "--name", "set")
    for command in READERS:
        code, output = sandbox.run(*[word.format("job-a") for word in command])
        if code != 0:
            raise Failure(f"{command} fails before any attack: {output!r}")


def damage(chance, path, others):
    """Damages a store object. Returns what was done."""
    content = path.read_bytes()
    kind = chance.choice(["truncated", "flipped", "emptied", "garbage", "deleted", "extended", "foreign", "a folder"])
    if kind == "truncated":
        path.write_bytes(content[:chance.randrange(len(content) + 1)])
    elif kind == "flipped" and content:
        at = chance.randrange(len(content))
        path.write_bytes(content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1:])
    elif kind == "emptied":
        path.write_bytes(b"")
    elif kind == "garbage":
        path.write_bytes(chance.randbytes(chance.randrange(1, 5000)))
    elif kind == "deleted":
        path.unlink()
    elif kind == "extended":
        path.write_bytes(content + b"\x1b]0;owned\x07")
    elif kind == "foreign":
        path.write_bytes(chance.choice(others).read_bytes())
    elif kind == "a folder":
        path.unlink()
        path.mkdir()
        (path / "file").write_text("x")
    return kind


def use_damaged_store(sandbox):
    """Runs reading and removing commands, and then a new job of the same code until it succeeds."""
    chance = sandbox.chance
    for command in chance.sample(READERS, 5) + chance.sample(REMOVERS, 2):
        sandbox.run(*[word.format(chance.choice(["job-a", "job-b"])) for word in command])
    ends = [sandbox.run_job(f"again-{number}")[0] for number in range(3)]
    if 0 not in ends and 2 not in ends and 120 not in ends:
        raise Failure(f"three runs of unchanged code failed: exit codes {ends}")


def damaged_object(sandbox):
    """Damages objects of the store, one after the other."""
    populate(sandbox)
    restore = sandbox.snapshot()
    for _ in range(3):
        objects = sorted(path for path in sandbox.store.rglob("*") if path.is_file() and not path.name.isdigit())
        target = sandbox.chance.choice(objects)
        kind = damage(sandbox.chance, target, objects)
        try:
            use_damaged_store(sandbox)
        except Failure as failure:
            raise Failure(f"{target.relative_to(sandbox.store)} was {kind}: {failure}") from None
        restore()


def planted_link(sandbox):
    """Replaces files and folders of the store by links to files outside it."""
    populate(sandbox)
    restore = sandbox.snapshot()
    for _ in range(3):
        places = sorted(sandbox.store.rglob("*"))
        target = sandbox.chance.choice(places)
        end = sandbox.outside / "record.json" if target.is_file() else sandbox.outside
        if target.is_dir():
            subprocess.run(["rm", "-r", target], check=True)
        else:
            target.unlink()
        target.symlink_to(end)
        try:
            use_damaged_store(sandbox)
            sandbox.check_outside()
        except Failure as failure:
            raise Failure(f"{target.relative_to(sandbox.store)} was a link: {failure}") from None
        restore()


def killed_processes(sandbox):
    """Kills the client, the supervisor, the program, or two of them, at a random moment of a job."""
    chance = sandbox.chance
    for number in range(3):
        name = f"job-{number}"
        client = sandbox.start(*sandbox.job(name, seconds=chance.choice([0.0, 0.3])),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * 0.8)
        for kind in chance.sample(["client", "supervisor", "program"], chance.choice([1, 2])):
            kill(sandbox, client, kind)
        if client.poll() is None:
            client.wait(60)
        check_killed(sandbox, name)


def kill(sandbox, client, kind):
    pids = [client.pid] if kind == "client" else sandbox.processes(kind)
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def check_killed(sandbox, name):
    """A killed client leaves either no job or one that ends; the same command then repeats or attaches to it."""
    listed = sandbox.json("ps", "--all")
    jobs = {job["id"] for job in (listed if isinstance(listed, list) else listed.get("jobs", []))}
    if name in jobs:
        sandbox.check_end(name)
    else:
        sandbox.run_job(name)
        sandbox.check_end(name)
