"""The packages of a job: a list, or those that are installed here."""

import os
import pathlib
import shutil
import sys
import unittest

from harness import PythonCase

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from package_index import PackageIndex, module

# Adds packages to those that are installed here.
INSTALL = """
import json, os, sys

def install(name, version, origin=None):
    folder = os.path.join("site", f"{name}-{version}.dist-info")
    os.makedirs(folder)
    with open(os.path.join(folder, "METADATA"), "w") as file:
        file.write(f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    if origin:
        with open(os.path.join(folder, "direct_url.json"), "w") as file:
            json.dump(origin, file)

sys.path[:] = [path for path in sys.path if "dist-packages" not in path] + [os.path.abspath("site")]
"""


class Dependencies(PythonCase):
    def setUp(self):
        super().setUp()
        self.write("install.py", INSTALL)
        (self.work / ".gitignore").write_text("site\n")

    def environment(self, **more):
        uv = os.path.dirname(shutil.which("uv"))  # of the tests' environment
        index = {"UV_DEFAULT_INDEX": f"http://{self.index.place}"} if hasattr(self, "index") else {}
        environment = super().environment(**index, **more)
        return {**environment, "PATH": environment["PATH"] + ":" + uv, "TMPDIR": str(self.home)}

    def serve(self, *files):
        self.index = PackageIndex(*files)
        self.addCleanup(self.index.close)

    def test_list_of_packages(self):
        self.serve(module("one", "1.0"), module("one", "2.0"), module("two", "1.0"))
        done = self.run_script("""
            import kinetic

            @kinetic.run(dependencies=["one==1.0", "two"])
            def versions():
                from importlib.metadata import version
                return version("one"), version("two")

            print(versions(), versions.map([()]).results(), versions.options(dependencies=[]).submit().wait().value)
        """)
        self.assertEqual(done.stdout, "('1.0', '1.0') [('1.0', '1.0')] failed\n")
        self.assertEqual([entry for entry in os.listdir(self.home) if entry.startswith("kinetic-req")], [])
        latest = self.jobs()[-1]["id"]
        self.kinetic("rerun", latest)
        self.assertEqual(len([job for job in self.jobs() if job["state"] == "succeeded"]), 3)

    def test_packages_that_are_installed_here(self):
        self.serve(module("one", "1.0"), module("one", "2.0"), module("two", "1.0"))
        done = self.run_script("""
            from install import install
            import kinetic, os

            install("One", "1.0")
            install("project", "0.1", {"url": "file://" + os.getcwd(), "dir_info": {"editable": True}})
            install("pip", "23.0")

            @kinetic.run(dependencies="environment")
            def packages():
                from importlib.metadata import distributions
                return sorted(package.metadata["Name"] for package in distributions())

            print(packages())
        """)
        self.assertEqual(done.stdout, "['one']\n")

    def test_packages_that_only_this_machine_has(self):
        done = self.run_script("""
            from install import install
            from kinetic import _requirements
            import kinetic

            install("fork", "1", {"url": "https://host/fork.git", "vcs_info": {"vcs": "git", "commit_id": "a1"},
                                  "subdirectory": "python"})
            install("archive", "1", {"url": "https://host/archive-1.zip", "archive_info": {}})
            print(_requirements.installed("/"))
            install("own", "1", {"url": "file:///src/own", "dir_info": {"editable": True}})
            install("built", "1", {"url": "file:///tmp/built-1.whl", "archive_info": {}})
            try:
                kinetic.run(len, dependencies="environment")([])
            except kinetic.Error as error:
                print(error)
        """)
        first, second = done.stdout.splitlines()[:2]
        self.assertEqual(first, "['archive @ https://host/archive-1.zip', "
                                "'fork @ git+https://host/fork.git@a1#subdirectory=python']")
        self.assertEqual(second, "cannot install packages of this environment in a job: built from /tmp/built-1.whl, "
                                 "own from /src/own")
        self.assertEqual(self.jobs(), [])

    def test_entries_of_a_list_are_checked(self):
        for entry in ("[1]", "['-r other.txt']", "['./folder']", "['one\\ntwo']", "{'one'}"):
            program = f"import kinetic\nkinetic.run(dependencies={entry})(print)"
            self.assertIn("kinetic.run: dependencies ", self.run_python("-c", program, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
