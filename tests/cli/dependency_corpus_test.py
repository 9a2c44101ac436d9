"""Resolves dependency files modeled on public projects with uv alone and with kinetic. Both must find the same
packages, files, and errors. Each folder in corpus/ is a project:

@INDEX@, @OTHER@     indexes
@FILES@              a folder of wheels
@GIT@, @GITURL@      a git repository with the package `gitpkg` in its branch `feature`
@name-version@       the hash of a wheel: sha256:…
job.yaml             selects extras and groups; by default, kinetic finds the file
uv.lock.generate     uv locks the project first
lib.generate         a folder `lib` beside it, with a package of that name, is created
compile.only         a file that uv only resolves, because building the project needs packages
error.txt            text that both errors contain
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import TIMEOUT, JobCase
from package_index import PackageIndex, RepositoryServer, module, project
from read_only import remove

CORPUS = pathlib.Path(__file__).parent / "corpus"
UV = shutil.which("uv")


def wheels(*packages):
    return [module(*package) for package in packages]


MAIN = wheels(
    ("numpy", "1.25.0"), ("numpy", "1.26.4"), ("numpy", "2.1.0"), ("numpy", "2.3.0rc1"), ("torch", "2.5.1", ["numpy"]),
    ("torch", "2.6.0.dev1"), ("idna", "3.7"), ("idna", "3.9"), ("idna", "3.10"), ("requests", "2.31.0", ["idna>=3"]),
    ("requests", "2.32.0", ["idna>=3"]), ("pyyaml", "6.0"), ("colorama", "0.4"), ("tomli", "2.0"), ("libtpu", "0.1"),
    ("jax", "0.4.30", ["numpy", "libtpu; extra == 'tpu'\nProvides-Extra: tpu"]), ("soundfile", "1.0"), ("pillow", "11.0"),
    ("datasets", "3.0", ["soundfile; extra == 'audio'\nProvides-Extra: audio",
                         "pillow; extra == 'vision'\nProvides-Extra: vision"]),
    ("transformers", "4.46.0", ["numpy>=1.26", "idna>=3.9; python_version > '3.0'"]))
BUILT = ("gitpkg", "second", "lib")  # their version is 1.5
OTHER = wheels(("torch", "2.5.1+cpu"), ("torch", "2.4.0+cpu"))


def release(file):
    return "-".join(file.split("-")[:2])


HASHES = {release(file): "sha256:" + hashlib.sha256(content).hexdigest() for file, content in MAIN + OTHER}


def write_project(folder, name, requires=()):
    folder.mkdir(parents=True)
    for path, text in project(name, requires).items():
        (folder / path).write_text(text)


class Corpus(JobCase):
    @classmethod
    def setUpClass(cls):
        cls.main, cls.other = PackageIndex(*MAIN), PackageIndex(*OTHER)
        cls.cache = tempfile.mkdtemp(prefix="kinetic-uv-")
        cls.repository = pathlib.Path(cls.cache, "repository")
        write_project(cls.repository, "gitpkg", ["idna"])
        write_project(cls.repository / "second", "second")
        for words in (("init", "-q", "-b", "feature"), ("add", "."), ("commit", "-qm", "first")):
            subprocess.run(["git", "-c", "user.name=Ana", "-c", "user.email=ana@example.com", *words], cwd=cls.repository,
                           check=True)

    @classmethod
    def tearDownClass(cls):
        cls.main.close()
        cls.other.close()
        shutil.rmtree(cls.cache)

    def filled(self, text):
        places = {"INDEX": f"http://{self.main.place}", "OTHER": f"http://{self.other.place}",
                  "GIT": f"git+file://{self.repository}",
                  "GITURL": f"file://{self.repository}", "FILES": f"http://{self.main.place}".replace("/simple", "/files"), **HASHES}
        return re.sub("@([A-Za-z0-9_.+-]+)@", lambda found: places[found[1]], text)

    def prepare(self, case):
        """Creates the project in the work folder."""
        shutil.rmtree(self.work)
        shutil.copytree(CORPUS / case, self.work)
        is_used = False
        for path in self.work.rglob("*"):
            if path.is_file():
                encoding = "utf-16" if path.read_bytes().startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
                text = path.read_bytes().decode(encoding)
                is_used = is_used or "wheels" in text
                path.write_bytes(self.filled(text).encode(encoding))
        if is_used:
            (self.work / "wheels").mkdir()
            for file, content in MAIN:
                (self.work / "wheels" / file).write_bytes(content)
        for place in self.work.rglob("lib.generate"):
            write_project(place.parent / "lib", "lib", ["idna"])
        if (self.work / "uv.lock.generate").exists():
            self.uv("lock")
        if not (self.work / "job.yaml").exists():
            self.write("job.yaml", "run: 'true'\n")

    def uv(self, *words, code=0):
        environment = self.environment(UV_PYTHON_DOWNLOADS="never", UV_LINK_MODE="copy", NO_COLOR="1")
        done = subprocess.run([UV, *words, "--quiet"], cwd=self.work, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT, text=True)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done

    def by_uv(self, code=0):
        """Installs the project with uv alone, and returns its packages, or the error."""
        selected = re.search("dependencies: (.*)", (self.work / "job.yaml").read_text())
        options = []
        for kind in ("extra", "group"):
            for names in re.findall(kind + r"s: \[(.*?)\]", selected[1] if selected else ""):
                options += [word for name in names.split(", ") for word in (f"--{kind}", name)]
        if (self.work / "job.py").exists():
            return sorted(self.uv("run", "--script", "job.py").stdout.split())
        if (self.work / "compile.only").exists():  # no build backend
            return sorted(self.uv("pip", "compile", (self.work / "compile.only").read_text().strip(), "--no-annotate",
                                  "--no-header", "--no-emit-package", "own").stdout.split())
        folder = "sub" if (self.work / "sub").exists() else "."
        python = f"{self.home}/uv/bin/python"
        self.uv("venv", "--clear", f"{self.home}/uv", "--no-config")
        if (self.work / "requirements.txt").exists():
            done = self.uv("pip", "install", "--python", python, "-r", "requirements.txt", code=code)
        else:
            done = self.uv("sync", "--project", folder, "--no-default-groups", "--no-install-project", "--active", *options,
                           code=code)
        if code != 0:
            return done.stderr
        listed = json.loads(self.uv("pip", "list", "--python", python, "--format", "json").stdout)
        return sorted(f"{one['name'].lower()}=={one['version']}" for one in listed if one["name"] != "own")

    def environment(self, **more):
        more.setdefault("VIRTUAL_ENV", f"{self.home}/uv")
        more.setdefault("UV_CACHE_DIR", self.cache)
        return super().environment(**more)

    def check(self, case):
        self.prepare(case)
        packages = self.json("lock", "job.yaml")["packages"]
        versions = {one["name"]: re.sub(r".*/(\w+)-([^-]*)-.*", r"\2", one["version"]) for one in packages}
        for one in packages:
            if one["name"] in BUILT:
                versions[one["name"]] = "1.5"
                self.assertEqual(len(one["hashes"]), 1)
            else:
                name = f"{one['name']}-{versions[one['name']]}"
                self.assertEqual(one["hashes"], [HASHES[name]], name)
        # A stored lock needs no uv, and the project is not changed.
        self.assertTrue(self.json("lock", "job.yaml", env={"PATH": "/usr/bin"})["from_cache"])
        self.assertEqual(sorted(f"{name}=={version}" for name, version in versions.items()), self.by_uv())

    def check_error(self, case):
        self.prepare(case)
        expected = self.filled((self.work / "error.txt").read_text().strip())
        done = self.run_kinetic("lock", "job.yaml", code=None)
        self.assertIn(done.returncode, (2, 120))
        self.assertIn(expected, done.stderr)
        self.assertIn(expected, self.by_uv(code=None))

    def test_built_packages_are_stored(self):
        """Another machine needs neither the repository nor the folder's build tools."""
        repository = self.work.parent / "repository"
        self.prepare("git_branch")
        shutil.copytree(self.repository, repository)
        self.write("requirements.txt", f"--index-url http://{self.main.place}\ngitpkg @ git+file://{repository}\n./lib\n")
        write_project(self.work / "lib", "lib")
        self.write("job.yaml", "run: python -c 'import gitpkg, lib'\n")
        first = self.json("run", "job.yaml")["id"]
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True)
        packages = {one["name"]: one["version"] for one in self.json("lock", "job.yaml")["packages"]}
        self.assertEqual(packages["gitpkg"], f"git+file://{repository}@{commit.stdout.strip()}")
        self.assertEqual(packages["lib"], "lib")
        shutil.rmtree(repository)
        remove(self.home / ".cache/kinetic")
        self.assertIn("built", self.run_kinetic("run", "job.yaml").stderr)
        remove(self.home / ".cache/kinetic")
        self.assertIn("built", self.run_kinetic("rerun", first).stderr)
        self.write("lib/lib.py", "changed = 1\n")
        self.assertIn("repository", self.run_kinetic("lock", "job.yaml", code=120).stderr)  # must be resolved again

    def test_private_repository(self):
        """The password of a repository appears in no argument of git, message, or stored object."""
        subprocess.run(["git", "update-server-info"], cwd=self.repository, check=True)
        files = {str(path.relative_to(self.repository)): path.read_bytes()
                 for path in self.repository.rglob("*") if path.is_file()}
        server = RepositoryServer(files, "ana:s3cret-w0rd")
        self.addCleanup(server.close)
        self.prepare("git_branch")
        self.write("requirements.txt", f"--index-url http://{self.main.place}\n"
                   f"gitpkg @ git+http://ana:${{PASSWORD}}@{server.place}/.git@feature\n")
        self.write("job.yaml", "run: python -c 'import gitpkg'\nsecrets: [PASSWORD]\n")
        self.script_git()
        done = self.run_kinetic("run", "job.yaml", "-vv", env={
            "PASSWORD": "s3cret-w0rd", "PATH": f"{self.home}/bin:{os.environ['PATH']}",
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "caller"})
        self.assertNotIn("s3cret-w0rd", done.stderr)
        arguments = (self.home / "arguments").read_text()
        self.assertRegex(arguments, "clone .* caller\n")  # the caller's settings apply, too
        self.assertNotIn("s3cret-w0rd", "".join(line for line in arguments.splitlines() if "clone" in line))
        found = subprocess.run(["grep", "-rl", "s3cret-w0rd", f"{self.home}/.local", f"{self.home}/.cache/kinetic"],
                               capture_output=True, text=True)
        self.assertEqual(found.stdout, "")

    def script_git(self):
        """Adds a git to PATH that logs its arguments."""
        (self.home / "bin").mkdir()
        script = self.home / "bin/git"
        script.write_text(f"#!/bin/sh\necho \"$@\" $({shutil.which('git')} config user.name) >> '{self.home}/arguments'\n"
                          f"exec {shutil.which('git')} \"$@\"\n")
        script.chmod(0o755)

    def test_ssh_repository(self):
        """git uses the ssh command of its configuration, which cannot ask for anything."""
        ssh = self.home / "ssh"
        ssh.write_text("#!/bin/sh\necho \"$SSH_ASKPASS $SSH_ASKPASS_REQUIRE\" >> \"$0.log\"\nfor last; do :; done\n"
                       "eval \"$last\"\n")
        ssh.chmod(0o755)
        self.prepare("git_branch")
        self.write("requirements.txt", f"--index-url http://{self.main.place}\n"
                   f"gitpkg @ git+ssh://git@h.example{self.repository}@feature\n")
        configuration = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.sshCommand", "GIT_CONFIG_VALUE_0": str(ssh)}
        packages = self.json("lock", "job.yaml", env=configuration)["packages"]
        self.assertEqual({one["name"] for one in packages}, {"gitpkg", "idna"})
        self.assertEqual(set((self.home / "ssh.log").read_text().splitlines()), {"false force"})

    def test_project_behind_a_link(self):
        for case, expected in (("editable_self", {"idna", "numpy"}), ("folder_editable", {"idna", "lib", "numpy"})):
            self.prepare(case)
            moved = self.home / case
            self.work.rename(moved)
            self.work.mkdir()
            (self.work / "linked").symlink_to(moved)
            packages = self.json("lock", "linked/job.yaml")["packages"]
            self.assertEqual({one["name"] for one in packages}, expected)

    def test_outdated_lock_of_a_script(self):
        self.prepare("script")
        self.uv("lock", "--script", "job.py")
        self.write("job.py", (self.work / "job.py").read_text().replace("dependencies = [", "dependencies = ['tomli', "))
        done = self.run_kinetic("lock", "job.yaml", code=120)
        self.assertIn("The lockfile at `job.py.lock` needs to be updated", done.stderr)
        self.assertIn("run `uv lock --script job.py`", done.stderr)

    def test_uv_leaves_no_files_in_the_project(self):
        self.prepare("project")
        before = sorted(self.work.rglob("*"))
        self.run_kinetic("lock", "job.yaml")
        self.assertEqual(sorted(self.work.rglob("*")), before)


def add_tests():
    for folder in sorted(CORPUS.iterdir()):
        def test(self, case=folder.name):
            (self.check_error if (CORPUS / case / "error.txt").exists() else self.check)(case)
        setattr(Corpus, f"test_{folder.name}", test)


add_tests()

if __name__ == "__main__":
    unittest.main()
