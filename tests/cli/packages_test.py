"""Tests the packages of local jobs. Packages that a job installs or removes do not affect other environments."""

import hashlib
import json
import os
import pathlib
import platform
import subprocess
import unittest

from harness import JobCase
from package_index import PackageIndex
from python_packages import project, wheel

PROGRAM = ("[console_scripts]\nshared-tool = shared:main\n")
SHARED = wheel("shared", [
    ("shared.py", "import sys\ndef main():\n    print(sys.prefix)\n"),
    ("shared.pth", "import sys; sys.shared_pth = True\n"),
    ("DATA/data/share/shared/text.txt", "data"),
    ("INFO/entry_points.txt", PROGRAM)])
NEWER = wheel("shared", [("shared.py", "newer = True\n")], version="2.0")
EXTRA = wheel("extra", [("extra.py", "")])

# Properties of an environment that programs use.
FACTS = """
import importlib.metadata, json, multiprocessing, os, shutil, site, subprocess, sys, sysconfig
import shared

def spawned(queue):
    queue.put([sys.prefix, __import__("shared").__file__])

def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=spawned, args=(queue,))
    process.start()
    nested = os.path.join(os.environ["TMPDIR"], "nested")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", nested], check=True)
    print(json.dumps({
        "prefix": sys.prefix, "virtual_env": os.environ["VIRTUAL_ENV"], "executable": sys.executable,
        "purelib": sysconfig.get_path("purelib"), "scripts": sysconfig.get_path("scripts"),
        "site": site.getsitepackages(), "path": sys.path, "pth": sys.shared_pth,
        "version": importlib.metadata.version("shared"),
        "scripts_found": [p.value for p in importlib.metadata.entry_points().select(name="shared-tool")]
            if sys.version_info >= (3, 10) else ["shared:main"],
        "file": shared.__file__, "data": open(os.path.join(sys.prefix, "share/shared/text.txt")).read(),
        "spawned": queue.get(), "script": output("shared-tool"), "tool": shutil.which("shared-tool"),
        "python": output("python", "-c", "import sys, shared; print(sys.prefix)"),
        "nested": output(os.path.join(nested, "bin/python"), "-c", "import sys; print(sys.base_prefix)"),
        "base": sys.base_prefix}))
    process.join()
"""


# Properties of an installed project that programs use.
PROJECT_FACTS = """
import importlib.metadata as metadata, json, os, shutil, subprocess, sys
import own
dist = metadata.distribution("Own-Project")
values = dist.metadata
origin = json.loads(dist.read_text("direct_url.json"))
print(json.dumps({
    "version": metadata.version("own_project"), "name": values["Name"], "python": values["Requires-Python"],
    "requires": metadata.requires("own-project"), "module": os.path.relpath(own.__file__),
    "entry_points": sorted([e.group, e.name, e.value] for e in dist.entry_points),
    "loaded": [e.load()() for e in dist.entry_points if e.group == "own.plugins"],
    "editable": origin["dir_info"], "folder": origin["url"] == "file://" + os.getcwd(),
    "scripts": sorted(name for name in os.listdir(os.path.join(sys.prefix, "bin")) if "own" in name),
    "in_bin": os.path.dirname(shutil.which("own-tool")) == os.path.join(sys.prefix, "bin"),
    "tool": subprocess.run(["own-tool", "a b"], capture_output=True, text=True).stdout,
    "isolated": subprocess.run([sys.executable, "-I", "-c", "import own; print(own.show())"], cwd="/",
                               capture_output=True, text=True).stdout,
    "code": subprocess.run(["own-fail"]).returncode}))
"""


class Packages(JobCase):
    def setUp(self):
        super().setUp()
        self.index = PackageIndex(SHARED, NEWER, EXTRA)
        self.addCleanup(self.index.close)
        self.write("requirements.txt", self.index.lines + "shared==1.0\n")
        options = {"PIP_INDEX_URL": f"http://{self.index.place}", "UV_DEFAULT_INDEX": f"http://{self.index.place}",
                   "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
        self.options = [part for name, value in options.items() for part in ("--env", f"{name}={value}")]

    def sh(self, script, code=0, env=None):
        return self.run_kinetic("run", "--quiet", *self.options, "--", "sh", "-e", "-c", script, code=code, env=env)

    def shared(self):
        [root] = (self.home / ".cache/kinetic/environments").glob("[0-9a-f]*")
        return root

    def files(self):
        """Returns all files of the shared environment with their times of last change."""
        return {path: (os.lstat(path).st_mtime_ns, os.lstat(path).st_size)
                for path in self.shared().rglob("*") if path.name != "kinetic.json"}

    def built(self):
        done = self.run_kinetic("run", "--", "python", "-c", "import shared")
        return "1 package, built" in done.stderr

    def test_looks_like_an_ordinary_environment(self):
        self.write("facts.py", FACTS)
        seen = json.loads(self.run_kinetic("run", "--quiet", "--", "python", "facts.py").stdout)
        prefix = seen["prefix"]
        self.assertTrue(prefix.endswith("/venv"), prefix)
        for name in ("virtual_env", "script", "python"):
            self.assertEqual(seen[name], prefix, name)
        self.assertEqual(seen["executable"], f"{prefix}/bin/python")
        self.assertEqual(seen["scripts"], f"{prefix}/bin")
        self.assertEqual(seen["tool"], f"{prefix}/bin/shared-tool")
        self.assertTrue(seen["purelib"].startswith(f"{prefix}/lib/"), seen)
        self.assertEqual(seen["scripts_found"], ["shared:main"])
        packages = str(pathlib.Path(seen["file"]).parent)
        self.assertTrue(packages.startswith(str(self.shared())), packages)
        self.assertIn(packages, seen["site"])
        self.assertLess(seen["path"].index(seen["purelib"]), seen["path"].index(packages))
        self.assertEqual(seen["spawned"], [prefix, seen["file"]])
        self.assertEqual((seen["version"], seen["pth"], seen["data"]), ("1.0", True, "data"))
        self.assertEqual(seen["nested"], seen["base"])

    def test_activation(self):
        done = self.sh("PATH=/usr/bin:/bin; . $VIRTUAL_ENV/bin/activate; shared-tool; echo $VIRTUAL_ENV")
        tool, environment = done.stdout.split()
        self.assertEqual(tool, environment)

    def test_uv_changes_only_the_environment_of_its_job(self):
        self.assertTrue(self.built())
        before = self.files()
        self.sh("uv pip install -q extra shared==2.0; python -c 'import extra, shared; shared.newer'; "
                "uv pip uninstall -q extra shared; python -c 'import shared; shared.main'")
        self.assertEqual(self.files(), before)
        self.assertIn("No module named 'extra'", self.sh("python -c 'import extra'", code=1).stderr)

    def test_pip_changes_only_the_environment_of_its_job(self):
        self.assertTrue(self.built())
        before = self.files()
        mine = self.home / "mine"
        subprocess.run(["python3", "-m", "venv", "--without-pip", mine], check=True)
        for name in ("pip", "pip3"):
            (mine / "bin" / name).write_text("#!/bin/sh\necho caller >&2; exit 9\n")
            (mine / "bin" / name).chmod(0o755)
        activated = {"PATH": f"{mine}/bin:{os.environ['PATH']}", "VIRTUAL_ENV": str(mine), "PIP_TARGET": str(mine)}
        done = self.sh("pip install -q extra shared==2.0; python -c 'import extra, shared; shared.newer'; "
                       "python -m pip uninstall -q -y extra shared; pip3 uninstall -y shared; "
                       "python -c 'import shared; shared.main'; echo $PATH", env=activated)
        self.assertNotIn(str(mine), done.stdout)
        self.assertEqual(self.files(), before)
        self.assertFalse(self.built())

    def test_changed_environment_is_built_again(self):
        self.assertTrue(self.built())
        self.assertFalse(self.built())
        [packages] = self.shared().glob("lib/python*/site-packages")
        packages.chmod(0o755)
        (packages / "shared.py").unlink()
        self.assertTrue(self.built())
        [packages] = self.shared().glob("lib/python*/site-packages")
        [metadata] = packages.glob("*.dist-info")
        metadata.chmod(0o755)
        (metadata / "METADATA").unlink()  # only a full verification detects this
        self.assertIn(f"{metadata}/METADATA was removed; the next job that uses it builds it again",
                      self.run_kinetic("gc", "--verify").stderr)
        self.assertTrue(self.built())
        [record] = self.shared().glob("lib/python*/site-packages/*.dist-info/RECORD")
        record.parent.chmod(0o755)
        record.unlink()
        self.assertIn(f"{record} was removed; the next", self.run_kinetic("gc", "--verify").stderr)
        self.assertTrue(self.built())
        self.assertNotIn("damaged", self.run_kinetic("gc", "--verify").stderr)

    def test_files_that_a_job_changed_are_installed_again(self):
        self.assertTrue(self.built())
        self.sh("file=$(python -c 'import shared; print(shared.__file__)'); chmod u+w $file; echo 'exit(9)' >>$file")
        self.sh("python -c 'import shared'", code=9)
        self.assertIn("shared.py was changed; the next job", self.run_kinetic("gc", "--verify").stderr)
        self.assertTrue(self.built())
        self.sh("python -c 'import shared; shared.main'")

    def test_environment_can_be_removed(self):
        self.assertTrue(self.built())
        self.run_kinetic("env", "rm", self.shared().name)
        self.assertEqual(os.listdir(self.home / ".cache/kinetic/environments"), [".locks"])
        self.assertTrue(self.built())
        subprocess.run("chmod -R u+w .cache/kinetic && rm -rf .cache/kinetic", shell=True, cwd=self.home, check=True)
        self.assertTrue(self.built())

    def test_compiled_modules_are_shared_by_environments(self):
        folder = self.home / "wheels"
        folder.mkdir()
        for name, content in (SHARED, EXTRA):
            (folder / name).write_bytes(content)
        for name in ("shared", "extra"):
            self.write("requirements.txt", f"--no-index\n--find-links {folder}\nshared\n{name}\n")
            self.run_kinetic("run", "--", "python", "-c", f"import shared, {name}")
        compiled = list((self.home / ".cache/kinetic/environments").glob("*/lib/*/site-packages/__pycache__/shared.*"))
        self.assertEqual(len(compiled), 2)
        self.assertTrue(compiled[0].samefile(compiled[1]), compiled)
        newest, first = self.json("env", "ls")
        self.assertEqual(newest["shared_bytes"], first["shared_bytes"])
        self.assertGreater(first["shared_bytes"], 0)
        self.assertGreater(newest["size_bytes"], first["size_bytes"])
        self.assertGreater(first["size_bytes"], first["shared_bytes"])
        self.assertNotIn("builds it again", self.run_kinetic("gc", "--verify").stderr)
        sets = (self.home / ".cache/kinetic/package-sets").glob("*/lib/*/site-packages")
        self.assertEqual(sorted(sorted(info.name.split("-")[0] for info in folder.glob("*.dist-info")) for folder in sets),
                         [["extra"], ["shared"]])

    def test_files_of_packages_for_one_platform_find_other_packages(self):
        folder = self.home / "wheels"
        folder.mkdir()
        tag = f"py3-none-linux_{platform.machine()}"
        finds = ("import os\nhere = os.path.dirname(os.path.abspath(os.path.realpath(__file__)))\n"
                 "text = open(here + '/../neighbor/deep/text').read()\n")
        for name, content in (wheel("finder", [("finder/__init__.py", finds)], tag=tag),
                              *(wheel("neighbor", [("neighbor/deep/text", version)], tag=tag, version=version)
                                for version in ("1.0", "2.0"))):
            (folder / name).write_bytes(content)
        for version in ("1.0", "2.0"):
            self.write("requirements.txt", f"--no-index\n--find-links {folder}\nfinder\nneighbor=={version}\n")
            found = self.run_kinetic("run", "--quiet", "--", "python", "-c", "import finder; print(finder.text)")
            self.assertEqual(found.stdout, f"{version}\n")

    def test_why_shows_what_requires_a_package(self):
        folder = self.home / "wheels"
        folder.mkdir()
        for name, content in (wheel("base"), wheel("middle", requires=["base>=1", "top"]),
                              wheel("top", requires=["middle", "base"])):
            (folder / name).write_bytes(content)
        self.write("requirements.txt", f"--no-index\n--find-links {folder}\ntop>=1\n")
        done = self.run_kinetic("env", "why", "base", code=120)
        self.assertIn("the job's dependencies have no lock", done.stderr)
        self.run_kinetic("lock")
        self.assertEqual(self.run_kinetic("env", "why", "Base").stdout.splitlines(),
                         [line.replace("FROM", f"from file://{folder}") for line in (
                             "base 1.0, FROM", "  middle 1.0, FROM", "    top 1.0, FROM",
                             "      requirements.txt:3: top>=1", "      middle 1.0, see above",
                             "  top 1.0, see above")])
        document = json.loads(self.run_kinetic("env", "why", "base", "--json").stdout)
        self.assertEqual([(package["name"], package["required_by"]) for package in document["packages"]],
                         [("base", ["middle", "top"]), ("middle", ["top"]), ("top", ["middle"])])
        self.assertEqual(document["packages"][2]["requirement"], "requirements.txt:3: top>=1")
        done = self.run_kinetic("env", "why", "bottom", code=2)
        self.assertIn("the lock of requirements.txt does not contain bottom", done.stderr)

    def test_why_of_a_path_a_script_and_the_project(self):
        folder = self.home / "wheels"
        folder.mkdir()
        name, content = wheel("base")
        (folder / name).write_bytes(content)
        for name, text in project("lib", ["base"]).items():
            self.write(f"lib/{name}", text)
        self.write("requirements.txt", f"--no-index\n--find-links {folder}\n./lib\n")
        self.run_kinetic("lock")
        for word in ("lib", "./lib"):
            self.assertEqual(self.run_kinetic("env", "why", word).stdout, "lib ./lib\n  requirements.txt:3: ./lib\n")
        self.write("script.py", "# /// script\n# dependencies = ['base>=1']\n"
                   f"# tool.uv.no-index = true\n# tool.uv.find-links = ['{folder}']\n# ///\nimport base\n")
        self.run_kinetic("lock", "script.py")
        self.assertIn("\n  script.py:2: base>=1\n", self.run_kinetic("env", "why", "base", "script.py").stdout)
        self.write("requirements.txt", f"--no-index\n--find-links {folder}\nbase\n")
        self.project()
        self.run_kinetic("lock")
        self.assertIn("own is the project itself, not one of its packages",
                      self.run_kinetic("env", "why", "own", code=2).stderr)

    def test_missing_links_are_reported(self):
        self.write("requirements.txt", "--find-links ./nowhere\nshared\n")
        done = self.run_kinetic("lock", code=2)
        self.assertIn("requirements.txt: --find-links: ./nowhere does not exist\n"
                      "hint: the path is relative to the folder of requirements.txt\n", done.stderr)

    def test_damaged_environment_is_shown(self):
        self.assertTrue(self.built())
        self.assertNotIn("damaged", self.run_kinetic("env", "ls").stderr)
        self.assertIsNone(self.json("env", "ls")[0]["damage"])
        [packages] = self.shared().glob("lib/python*/site-packages")
        packages.chmod(0o755)
        (packages / "shared.py").unlink()
        self.assertRegex(self.run_kinetic("env", "ls").stderr,
                         r"environment [0-9a-f]{12} is damaged: /.* was changed; the next job that uses it builds it")
        self.assertIn("was changed", self.json("env", "ls")[0]["damage"])
        checks = {check["name"]: check for check in self.json("doctor")["checks"]}
        self.assertEqual(checks["environments"]["state"], "warning")
        self.assertIn("is damaged", checks["environments"]["evidence"])

    def test_each_attempt_has_a_new_environment(self):
        self.write("job.yaml", "run: 'python -c \"import extra\" && exit 0; uv pip install -q extra; exit 1'\n"
                   f"env: {{UV_DEFAULT_INDEX: 'http://{self.index.place}'}}\nretry: {{attempts: 2, on: ['exit:1']}}\n")
        self.run_kinetic("run", "job.yaml", code=1)

    def project(self, text="", version='version = "1.2"'):
        self.write("pyproject.toml", f'[project]\nname = "own"\n{version}\n{text}')

    def test_project_is_installed(self):
        self.project('scripts = {shared-tool = "own:show"}\nentry-points."own.plugins" = {a = "own:show"}\n')
        self.write("src/own/__init__.py", "from importlib.metadata import version\n__version__ = version('own')\n"
                   "def show():\n    print('own', __version__)\n")
        done = self.sh("shared-tool; python -I -c 'import own; own.show()'; python -c 'import shared; shared.main'; "
                       "python -c 'from importlib.metadata import distribution\n"
                       "print([e.value for e in distribution(\"own\").entry_points if e.group == \"own.plugins\"])'; "
                       "uv pip list -q --editable; uv pip uninstall -q own; "
                       "test -e $VIRTUAL_ENV/bin/shared-tool || echo removed; python -c 'import own' 2>&1 | tail -n 1")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:3], ["own 1.2", "own 1.2", "['own:show']"])
        self.assertRegex(done.stdout, r"\nown +1\.2 +/\S+/work\n")
        self.assertEqual(lines[-2:], ["removed", "importlib.metadata.PackageNotFoundError: No package metadata was "
                                      "found for own"])

    def test_project_looks_as_after_an_editable_installation(self):
        (self.work / "requirements.txt").unlink()
        self.write("pyproject.toml", """[project]
name = "Own-Project"
version = "1.2"
requires-python = ">=3.9"
dependencies = ["shared==1.0"]
[project.scripts]
own-tool = "own:tool"
own-fail = "own:fail"
[project.entry-points."own.plugins"]
a = "own:show"
b = "own.nested.deep:Plugin.run"
[build-system]
requires = ["uv_build>=0.8,<1"]
build-backend = "uv_build"
[tool.uv.build-backend]
module-name = "own"
""")
        self.write("src/own/__init__.py", "import sys\ndef show():\n    return 'shown'\n"
                   "def tool():\n    print(sys.argv[1:], __name__)\ndef fail():\n    return 3\n")
        self.write("src/own/nested/__init__.py", "")
        self.write("src/own/nested/deep.py", "class Plugin:\n    @staticmethod\n    def run():\n        return 'ran'\n")
        self.write("facts.py", PROJECT_FACTS)
        index = {"UV_DEFAULT_INDEX": f"http://{self.index.place}"}
        in_job = self.run_kinetic("run", "--quiet", "--", "python", "facts.py", env=index).stdout
        mine = self.home / "mine"
        environment = self.environment(**index, VIRTUAL_ENV=str(mine), PATH=f"{mine}/bin:{os.environ['PATH']}")
        for command in (["uv", "venv", "-q", mine], ["uv", "pip", "install", "-q", "-e", "."]):
            subprocess.run(command, cwd=self.work, env=environment, check=True)
        installed = subprocess.run([mine / "bin/python", "facts.py"], cwd=self.work, env=environment, check=True,
                                   capture_output=True, text=True).stdout
        self.assertEqual(json.loads(in_job), json.loads(installed))
        self.assertEqual(json.loads(in_job)["loaded"], ["shown", "ran"])

    def test_project_with_an_unknown_version(self):
        self.project(version='dynamic = ["version"]')
        show = ("run", "--", "python", "-c", "from importlib.metadata import version as v; print(v('own'))")
        done = self.run_kinetic(*show)
        self.assertEqual(done.stdout, "0.0.0+unknown\n")
        self.assertIn("the version of project own is 0.0.0+unknown", done.stderr)
        done = self.run_kinetic(show[0], "--env", "SETUPTOOLS_SCM_PRETEND_VERSION=3.1", *show[1:])
        self.assertEqual(done.stdout, "3.1\n")
        self.assertNotIn("0.0.0", done.stderr)

    def test_pylock_files_are_downloaded_from_their_urls(self):
        index = PackageIndex(SHARED, login="ana:s3cret-w0rd")
        self.addCleanup(index.close)
        files = f"http://ana:s3cret-w0rd@{index.place}".replace("/simple", "/files")

        def entry(place, content):
            return f"{{{place}, hashes = {{sha256 = '{hashlib.sha256(content).hexdigest()}'}}}}"
        (self.work / EXTRA[0]).write_bytes(EXTRA[1])
        self.write("pylock.toml", "lock-version = '1.0'\ncreated-by = 'test'\n"
                   "[[packages]]\nname = 'shared'\nversion = '1.0'\nwheels = ["
                   + entry(f"url = '{files}/shared-1.0-cp311-cp311-win32.whl'", b"")
                   + ", " + entry(f"url = '{files}/{SHARED[0]}'", SHARED[1]) + "]\n"
                   "[[packages]]\nname = 'extra'\nversion = '1.0'\nwheels = ["
                   + entry(f"path = '{EXTRA[0]}'", EXTRA[1]) + "]\n")
        done = self.run_kinetic("run", "-v", "--", "python", "-c", "import extra, shared",
                                env={"UV_DEFAULT_INDEX": f"http://{self.index.place}"})
        self.assertNotIn("s3cret-w0rd", done.stderr)
        self.assertEqual({path for path, _ in index.requests}, {f"/files/{SHARED[0]}"})
        self.assertEqual(self.index.requests, [])
        found = subprocess.run(["grep", "-rl", "s3cret-w0rd", f"{self.home}/.local", f"{self.home}/.cache/kinetic"],
                               capture_output=True, text=True)
        self.assertEqual(found.stdout, "")

    def test_settings_that_uv_ignores_are_an_error(self):
        self.project("dependencies = ['shared==1.0']\n[tool.uv]\ntypo = 1\n")
        (self.work / "requirements.txt").unlink()

        for _ in range(2):
            done = self.run_kinetic("run", "--", "python", "-c", "import shared", code=2,
                                    env={"UV_DEFAULT_INDEX": f"http://{self.index.place}"})
            self.assertIn("error: uv: Failed to parse `pyproject.toml` during settings discovery: TOML parse error at "
                          "line 6, column 1: unknown field `typo`\n", done.stderr)

    def test_invalid_project_is_reported(self):
        self.project("dependencies = 3\n")
        done = self.run_kinetic("run", "--", "python", "-c", "import shared")
        self.assertIn("the project is not installed: pyproject.toml: project: dependencies: expected a list",
                      done.stderr)


class ProjectWithoutPackages(JobCase):
    """A project with metadata but without dependencies."""

    def setUp(self):
        super().setUp()
        self.write("pyproject.toml", '[project]\nname = "sample"\nversion = "1.2"\nrequires-python = ">=3.9"\n'
                   'dependencies = []\n[project.scripts]\nsample-train = "sample:train"\n'
                   '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n')
        self.write("src/sample/__init__.py", "import sys\nearly = 'asyncio' in sys.modules\n"
                   "from importlib.metadata import version\n__version__ = version('sample')\n"
                   "def main():\n    return [__version__, early]\n"
                   "def train():\n    print(__version__)\n")

    def test_function(self):
        # The project's folder on Python's path must not slow down the start of functions.
        self.assertEqual(json.loads(self.run_kinetic("run", "--quiet", "sample:main").stdout), ["1.2", False])

    def test_command(self):
        self.assertEqual(self.run_kinetic("run", "--quiet", "--", "sample-train").stdout, "1.2\n")


if __name__ == "__main__":
    unittest.main()
