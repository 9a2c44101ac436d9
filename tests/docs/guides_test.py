#!/usr/bin/env python3
"""Runs the commands of documentation pages and compares their output with what the page shows.

    guides_test.py [--update] --bin FOLDER [--gcs-server FILE] [--build FOLDER] PAGE...

Each page runs in order, in one shell in a pseudo-terminal of 100 columns, in a new home directory, with the kinetic of
--bin in PATH. Fenced blocks are executed according to their language:

    ```console               commands, each after "$ ", and their expected output
    ```yaml title="job.yaml" a file (of any language), written to the shell's folder

Other blocks are errors unless a comment gives the reason why they are skipped. Comments control the test:

    <!-- test: cluster -->         the page needs this fixture (see FIXTURES)
    <!-- test: run: COMMAND -->    runs a command that is not shown; it must succeed
    <!-- test: skip: REASON -->    the next block is not run; the test prints the reason

Output is compared after normalize(). A line "..." matches any lines. "^C" presses Ctrl-C when the line above it has
appeared. Consecutive progress lines (✓) may come in any order, because kinetic runs several phases at the same time.
A job id in a page stands for the actual id of the run, also in later commands, which may shorten it to four
characters. --update writes the real output into the pages instead.
"""

import argparse
import dataclasses
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "e2e")]
from terminal import Screen, Terminal

COLUMNS, ROWS, WIDE = 100, 1000, 10_000
COMMAND_SECONDS = 300
BUILD_SECONDS = 5400  # with the fixture source
USER, HOST = "ana", "laptop"
FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\s*$")
DIRECTIVE = re.compile(r"^<!-- test: (run: |skip: |)(.+) -->$")
JOB_ID = re.compile(r"(?:(?<![\w.-])|(?<=\bkinetic-))[a-z2-7]{16}(?!\w|-\w{6})")

# Runs each command that arrives on descriptor 9 and reports its exit code. The last code is in $? as in any shell.
SHELL = r"""
trap : INT
code=0
while IFS= read -r -u 9 -d '' command; do
  (exit "$code")
  eval "$command" 9<&-
  code=$?
  printf '\036%d\036' "$code"
done
"""


@dataclasses.dataclass
class Command:
    """A command. The lines `first` to `last` (exclusive) of the page are its expected output."""

    text: str
    line: int
    first: int
    last: int
    shown: bool = True


@dataclasses.dataclass
class File:
    name: str
    text: str


@dataclasses.dataclass
class Skipped:
    line: int
    reason: str


class PageError(Exception):
    """The page is invalid."""


def parse(lines):
    """Returns the fixture that a page needs, or None, and its commands, files and skipped blocks in order."""
    fixture, items, reason, at = None, [], None, 0
    while at < len(lines):
        directive, fence = DIRECTIVE.match(lines[at]), FENCE.match(lines[at])
        if directive:
            kind, text = directive.groups()
            if kind == "run: ":
                items.append(Command(text, at, at, at, shown=False))
            elif kind == "skip: ":
                reason = text
            else:
                fixture = text
        elif fence:
            end = lines.index("```", at + 1)
            language, title = fence.groups()
            if reason:
                items.append(Skipped(at, reason))
            elif title:
                items.append(File(title, "\n".join(lines[at + 1:end]) + "\n"))
            elif language == "console":
                items += parse_commands(lines, at + 1, end)
            else:
                raise PageError(f"line {at + 1}: the block is neither `console` nor a file with a title, "
                                "and no comment gives a reason to skip it")
            reason, at = None, end
        at += 1
    return fixture, items


def parse_commands(lines, at, end):
    commands = []
    while at < end:
        if not lines[at].startswith("$ "):
            raise PageError(f"line {at + 1}: a console block must begin with a command after '$ '")
        line, text = at, lines[at][2:]
        while text.endswith("\\"):
            at += 1
            text = text[:-1].rstrip() + " " + lines[at].strip()
        first = at = at + 1
        while at < end and not lines[at].startswith("$ "):
            at += 1
        commands.append(Command(text, line, first, at))
    return commands


def normalize(line):
    """Returns a line of output without the parts that differ between runs.

    | text                                             | becomes   |
    |--------------------------------------------------|-----------|
    | id of a job: 16 characters of a-z and 2-7        | ID        |
    | the end of a pod's name: kinetic-ID-x9k2p        | POD       |
    | 2026-11-22T03:00:59.000Z                         | DATE      |
    | a duration or an age: 0.03s, 250ms, 2m 5s        | TIME      |
    | a size: 2.6 KiB, 347 B                           | SIZE      |
    | 64 or 12 hexadecimal digits                      | DIGEST    |
    | a version of Python: 3.11, 3.12.7                | PYTHON    |
    | a bar of kinetic timeline: ####                  | BAR       |
    | several spaces; spaces at the end                | one; none |
    """
    line = re.sub(r"\bkinetic-ID-[a-z0-9]{5}\b", "kinetic-ID-POD", JOB_ID.sub("ID", line))
    line = re.sub(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?", "DATE", line)
    line = re.sub(r"(?<![\w.-])\d+(\.\d+)?(ms|s|m|h|d)( \d+(ms|s|m|h))?(?![\w.-]*\w)", "TIME", line)
    line = re.sub(r"(?<![\w.])\d+(\.\d+)? (B|KiB|MiB|GiB)\b", "SIZE", line)
    line = re.sub(r"\b([0-9a-f]{64}|(?=[0-9a-f]*\d)[0-9a-f]{12})\b", "DIGEST", line)
    line = re.sub(r"(?<![\w.])3\.(9|1\d)(\.\d\d?)?(?!\.?\w)", "PYTHON", line)
    line = re.sub(r"(?<= )#+(?= |$)", "BAR", line)
    return re.sub(r" +", " ", line).rstrip()


def normalized(lines):
    """Returns the lines to compare, without phases that are shown only because they took long."""
    kept = [line for line in map(normalize, lines) if not re.fullmatch(r"✓ \w+ TIME|\^C", line)]
    groups = itertools.groupby(kept, lambda line: line.startswith("✓ "))
    return [line for progress, group in groups for line in (sorted(group) if progress else group)]


def matches(expected, actual):
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[skipped:]) for skipped in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def distinct_ids(lines):
    return list(dict.fromkeys(found for line in lines for found in JOB_ID.findall(line)))


# Fixtures that a page may need besides a home directory and kinetic. Each is called with the session before it starts.

def need_nothing(_):
    pass


def need_bucket(session):
    """A Cloud Storage server on this machine with the bucket my-bucket."""
    from bucket import Bucket
    server = Bucket(session.options.gcs_server, session.root, host="0.0.0.0")
    session.cleanups.append(server.stop)
    server.create("my-bucket")
    session.environment["STORAGE_EMULATOR_HOST"] = server.url
    return server


def need_cluster(session):
    """The test cluster, with the context prod, its own namespace (shown as ml), and a bucket that pods can reach.
    Settings that differ from those of a real cluster are set in the environment, so pages do not show them."""
    import secrets

    import cluster
    from cluster_machine import import_runner
    cluster.need_cluster()
    server, running = need_bucket(session), cluster.Cluster()
    namespace = f"guide-{secrets.token_hex(4)}"
    running.api.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    session.cleanups.append(lambda: running.api.delete(f"/api/v1/namespaces/{namespace}"))
    cluster.wait_for("the service account of pods",
                     lambda: running.api.find(f"/api/v1/namespaces/{namespace}/serviceaccounts/default"))
    folder = session.home / ".kube"
    folder.mkdir()
    text = pathlib.Path(running.kubeconfig).read_text()
    (folder / "config").write_text(text)
    kubectl = [running.kubectl_program, "--kubeconfig", folder / "config"]
    current = subprocess.run([*kubectl, "config", "current-context"], capture_output=True, text=True, check=True).stdout
    subprocess.run([*kubectl, "config", "rename-context", current.strip(), "prod"], check=True, capture_output=True)
    subprocess.run([*kubectl, "config", "set-context", "prod", "--namespace", namespace], check=True, capture_output=True)
    (session.root / "bin").mkdir(exist_ok=True)
    (session.root / "bin/kubectl").symlink_to(running.kubectl_program)
    port = server.url.rsplit(":", 1)[1]
    runner = import_runner(session.options.bin / "kinetic", session.options.bin / "kinetic-runner")
    session.environment |= {"KINETIC_RUNNER_ENDPOINT": f"http://{running.address}:{port}",
                            "KINETIC_RUNNER_CREDENTIALS": "none", "KINETIC_RUNNER_IMAGE": runner,
                            "KINETIC_IMAGE": running.images["python"]}
    session.replacements[namespace] = "ml"


def need_google(session):
    """A stand-in for Google Cloud with the project my-project, whose GKE cluster is the test cluster."""
    import urllib.parse

    import cluster
    import image_registry
    from bucket import Bucket
    from google_cloud import GoogleCloud, Options
    cluster.need_cluster()
    running = cluster.Cluster()
    documents = subprocess.run([TESTS / "support/google-documents"], capture_output=True, text=True, check=True)
    registry = image_registry.Registry(session.root / "registry")
    session.cleanups.append(registry.stop)
    (session.root / "objects").mkdir()
    storage = Bucket(session.options.gcs_server, session.root / "objects", host="0.0.0.0", name="my-project-kinetic")
    session.cleanups.append(storage.stop)
    google = GoogleCloud(Options(
        documents=documents.stdout.strip(), host=running.address, project="my-project",
        tokens={running.token: "user:ana@example.com"},
        dns_endpoint=urllib.parse.urlsplit(running.server).netloc, registry=registry.host)).start()
    session.cleanups.append(google.stop)
    namespace = "/api/v1/namespaces/kinetic"
    session.cleanups.append(lambda: cluster.wait_for("the end of the namespace", lambda: not running.api.find(namespace)))
    session.cleanups.append(lambda: running.api.delete(namespace))
    port = storage.url.rsplit(":", 1)[1]
    session.environment |= {
        "KINETIC_API_ENDPOINT": google.url, "KINETIC_ACCESS_TOKEN": running.token, "KINETIC_CA_FILE": running.ca_file,
        "KINETIC_STORAGE_ENDPOINT": storage.url, "KINETIC_RUNNER_ENDPOINT": f"http://{running.address}:{port}",
        "KINETIC_RUNNER_CREDENTIALS": "none", "KINETIC_IMAGE": running.images["python"]}


def need_installed(session):
    """An installed kinetic, in ~/.local."""
    subprocess.run(["cmake", "--install", session.options.build, "--prefix", session.home / ".local"],
                   check=True, stdout=subprocess.DEVNULL)


def need_source(session):
    """A clone of this checkout in ~/kinetic. Its build uses the compiler cache of earlier builds."""
    subprocess.run(["git", "clone", "--quiet", TESTS.parent, session.home / "kinetic"], check=True)
    session.environment |= {"CCACHE_BASEDIR": str(session.home), "CCACHE_NOHASHDIR": "1",
                            "CCACHE_DIR": os.environ.get("CCACHE_DIR", os.path.expanduser("~/.cache/ccache"))}


def need_python(session):
    """The Python package of the build, for the Python that it was built for."""
    (session.root / "bin").mkdir(exist_ok=True)
    (session.root / "bin/python3").symlink_to("/usr/bin/python3")
    session.environment["PYTHONPATH"] = str(session.options.bin.parent / "python")


FIXTURES = {None: need_nothing, "python": need_python, "bucket": need_bucket, "cluster": need_cluster, "google": need_google,
            "installed": need_installed,
            "source": need_source}


class Session:
    """The shell of one page."""

    def __init__(self, options, fixture):
        self.options = options
        self.patience = BUILD_SECONDS if fixture == "source" else COMMAND_SECONDS
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-guide-"))
        self.home = self.root / USER
        self.home.mkdir()
        self.cleanups = [lambda: shutil.rmtree(self.root, ignore_errors=True)]
        self.ids = {}  # from ids in the page to ids of this run
        self.replacements = {str(self.home): f"/home/{USER}"}
        path = [f"{self.home}/.local/bin", str(self.root / "bin"), str(options.bin), os.environ["PATH"]]
        kept = ("PIP_", "UV_", "SSL_", "PYENV_ROOT", "GIT_CONFIG_")
        self.environment = {
            "PATH": ":".join(path), "HOME": str(self.home), "USER": USER, "LOGNAME": USER, "LANG": "C.UTF-8",
            "CMAKE_GENERATOR": "Ninja", "KINETIC_OWNER": f"{USER}@{HOST}", "TERM": "xterm-256color",
            "UV_CACHE_DIR": os.path.expanduser("~/.cache/uv"),
            **{name: value for name, value in os.environ.items() if name.startswith(kept)}}
        try:
            FIXTURES[fixture](self)
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        reading, self._commands = os.pipe()
        os.dup2(reading, 9, inheritable=True)
        os.close(reading)
        self._terminal = Terminal(["bash", "--noprofile", "--norc", "-c", SHELL], self.environment, self.home,
                                  COLUMNS, ROWS)
        os.close(9)
        self.cleanups.append(self._end)

    def run(self, text, expected=()):
        """Returns a command's exit code and the lines that the terminal shows."""
        text = re.sub(r"(?<![\w-])[a-z2-7]{4,16}(?![\w-])", self._real_id, text)
        os.write(self._commands, text.encode() + b"\0")
        raw = ""
        presses = [line for line in range(1, len(expected)) if expected[line] == "^C"]
        if presses:
            awaited = normalize(expected[presses[0] - 1])
            deadline = time.monotonic() + self.patience
            while not any(normalize(line) == awaited for line in self._screen(self._terminal.output)):
                if time.monotonic() > deadline or not self._terminal.read(0.1):
                    raise TimeoutError(f"`{text}` did not print: {expected[presses[0] - 1]}")
            self._terminal.write("\x03")
        raw, found = self._terminal.read_until("\x1e(\\d+)\x1e", self.patience)
        return int(found[1]), self._screen(raw)

    def bind(self, expected, actual):
        """Maps each id in the page to an id of this run. Returns whether this is consistent with earlier mappings."""
        for shown, real in zip(distinct_ids(expected), distinct_ids(actual)):
            if self.ids.get(shown, real) != real or (shown not in self.ids and real in self.ids.values()):
                return False
            self.ids[shown] = real
        return True

    def _real_id(self, found):
        """Returns the id of this run for an id, or a prefix of one, in a command of the page."""
        return next((real for shown, real in self.ids.items() if shown.startswith(found[0])), found[0])

    def _screen(self, raw):
        for real, shown in self.replacements.items():
            raw = raw.replace(real, shown)
        screen = Screen(WIDE, ROWS)  # only progress is cut to the terminal's width; pages scroll long lines
        screen.feed(raw)
        lines = screen.text()
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def write(self, file):
        _, [folder] = self.run("pwd")
        path = pathlib.Path(folder.replace(f"/home/{USER}", str(self.home))) / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
        path.chmod(0o755 if file.text.startswith("#!") else 0o644)

    def _end(self):
        # Cancels jobs that the page left running.
        os.write(self._commands, b"for id in $(kinetic ps --json 2>/dev/null | python3 -c '"
                                 b"import json, sys; [print(job[\"id\"]) for job in json.load(sys.stdin) "
                                 b"if job[\"state\"] in (\"queued\", \"pending\", \"running\")]' 2>/dev/null); "
                                 b"do kinetic cancel $id; done\0")
        try:
            self._terminal.read_until("\x1e(\\d+)\x1e", 60)
        except TimeoutError:
            pass
        os.close(self._commands)
        self._terminal.close()

    def close(self):
        for cleanup in reversed(self.cleanups):
            cleanup()


class Page:
    def __init__(self, path):
        self.path = path
        self.lines = path.read_text().split("\n")
        try:
            self.fixture, self.items = parse(self.lines)
        except PageError as error:
            raise SystemExit(f"{path}: {error}") from None
        if self.fixture not in FIXTURES:
            raise SystemExit(f"{path}: unknown fixture {self.fixture}")
        self.new_output = {}  # by the first line of the old output

    def run(self, options):
        """Returns descriptions of the differences."""
        session, failures = Session(options, self.fixture), []
        try:
            for item in self.items:
                if isinstance(item, File):
                    session.write(item)
                elif isinstance(item, Command):
                    failures += self._run_command(session, item)
        finally:
            session.close()
        return failures

    def _run_command(self, session, command):
        expected = self.lines[command.first:command.last] if command.shown else []
        try:
            code, actual = session.run(command.text, expected)
        except TimeoutError as error:
            return [f"{self.path}:{command.line + 1}: {error}"]
        if not command.shown or expected == ["..."]:
            return [] if code == 0 else [f"{self.path}:{command.line + 1}: exit code {code}", *actual]
        if matches(normalized(expected), normalized(actual)) and session.bind(expected, actual):
            return []
        shown_as = {real: shown for shown, real in session.ids.items()}
        for shown, real in zip(distinct_ids(expected), distinct_ids(actual)):
            if shown not in session.ids:
                shown_as.setdefault(real, shown)
        readable = [JOB_ID.sub(lambda found: shown_as.get(found[0], found[0]), line) for line in actual]
        session.ids |= {shown_as.get(real, real): real for real in distinct_ids(actual)}
        if expected.count("...") == 1:
            before = expected.index("...")
            after = len(expected) - before - 1
            readable = [*readable[:before], "...", *readable[len(readable) - after:]]
        if "^C" in expected:
            lines, above = [normalize(line) for line in readable], normalize(expected[expected.index("^C") - 1])
            readable.insert(lines.index(above) + 1 if above in lines else len(lines), "^C")
        self.new_output[command.first] = (command.last, readable)
        return [f"{self.path}:{command.line + 1}: $ {command.text}", *(f"  expected: {line}" for line in expected),
                *(f"  actual:   {line}" for line in readable)]

    def update(self):
        for first, (last, output) in sorted(self.new_output.items(), reverse=True):
            self.lines[first:last] = output
        self.path.write_text("\n".join(self.lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--gcs-server", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("pages", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    failed = False
    for page in map(Page, options.pages):
        differences = page.run(options)
        for skipped in (item for item in page.items if isinstance(item, Skipped)):
            print(f"not run: {page.path}:{skipped.line + 1}: {skipped.reason}")
        ran = sum(isinstance(item, Command) for item in page.items)
        print(f"{page.path}: {ran} commands, {'as shown' if not differences else 'NOT as shown'}")
        print("\n".join(differences))
        if options.update:
            page.update()
        failed = failed or bool(differences)
    return 1 if failed and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
