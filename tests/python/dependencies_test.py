"""The packages of a job: a list, those that are installed here, and those that its arguments need."""

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
    folder = os.path.join("site", f"{name.replace('-', '_')}-{version}.dist-info")
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

    def test_argument_that_needs_a_package(self):
        files = {
            "requirements.txt": ("", "# none\n", "one\n", "one>=1; python_version > '3'  # numbers\n-i http://x/simple\n"),
            "pyproject.toml": ('[project]\nname = "a"\nversion = "1"\ndependencies = ["one"]\n',),
        }
        os.remove(self.work / "requirements.txt")
        program = """
            import kinetic, numpy, os, sys
            from install import install

            install("one", "1.0") if not os.path.exists("site") else None

            @kinetic.run
            def use(x):
                pass

            try:
                use.options(**eval(sys.argv[1]))([numpy.arange(3)])
            except kinetic.Error as error:
                print(error)
        """
        self.write("main.py", program)

        def message(options="{}"):
            return self.run_python("main.py", options).stdout

        problem = "cannot send the argument x[0]: the job does not have the package numpy\nhint: "
        advice = "pass dependencies=['numpy'], or write a requirements.txt with the line: numpy\n"
        self.assertEqual(message("{'dependencies': ['one']}"), problem + advice)
        for name, texts in files.items():
            for text in texts:
                (self.work / name).write_text(text)
                if name == "requirements.txt":
                    self.assertEqual(message(), f"{problem}add the line to {self.work}/{name}: numpy\n", text)
                elif sys.version_info >= (3, 11):
                    self.assertEqual(message(), f"{problem}add 'numpy' to the dependencies in {self.work}/{name}\n")
            os.remove(self.work / name)
        self.assertEqual(self.jobs(), [])

    def test_functions_and_arguments_of_numpy(self):
        import numpy

        self.run_script("""
            import kinetic, numpy

            def total(x):
                return numpy.sum(x)

            no_check = {"PYTHONPATH": "/nonexistent"}  # the job may have any packages
            for function, argument, env in ((numpy.sum, [1], None), (numpy.add.reduce, [1], None), (total, [1], None),
                                            (len, numpy.ones(3), no_check)):
                try:
                    kinetic.run(function, env=env)(argument)
                    assert False
                except (ImportError, kinetic.Error) as error:
                    text = "\\n".join([str(error), *getattr(error, "__notes__", [])])
                    assert text.endswith("hint: add this line to the job's dependencies: numpy==%s"), text
        """ % numpy.__version__)

    def test_module_that_the_job_lacks(self):
        self.write("model.py", "def use():\n    import shown.part\n")
        self.write("site/shown/part.py", "")
        done = self.run_script("""
            from install import install
            import kinetic, model

            install("Shown-Package", "1.5")
            with open("site/Shown_Package-1.5.dist-info/top_level.txt", "w") as file:
                file.write("shown\\n")
            import shown.part, sys

            class Other:
                pass

            Other.__module__ = "absent"
            sys.modules["absent"] = type(sys)("absent")
            sys.modules["absent"].Other = Other

            for function in (model.use, lambda: shown.part, lambda: Other):
                try:
                    kinetic.run(function)()
                except (ModuleNotFoundError, kinetic.RemoteError) as error:
                    print("\\n".join([str(error), *getattr(error, "__notes__", [])]).splitlines()[-1])
        """)
        line = "hint: add this line to the job's dependencies: Shown-Package==1.5\n"
        self.assertEqual(done.stdout, 2 * line + "hint: add the package of the module absent to the job's dependencies, "
                                                 "or the module to the project\n")

    def test_packages_that_may_bring_another(self):
        self.run_script("""
            from install import install
            from kinetic import _package_check, _place

            install("one", "1.0")
            with open("site/one-1.0.dist-info/METADATA", "a") as file:
                file.write("Requires-Dist: numpy>=2\\nRequires-Dist: absent; extra == 'all'\\n")
            place = _place.find_place(print, {})
            for lines in (["one"], ["unknown"], ["two[all]"], ["two @ https://host/two.zip"], ["NumPy<3"], ["numpy"]):
                _package_check.check({"numpy": "x"}, len, {"dependencies": lines}, place)
            for options in ({"image": "python"}, {"env": {"PYTHONPATH": "/lib"}}, {"dependencies": {"groups": ["a"]}}):
                _package_check.check({"numpy": "x"}, len, options, place)
        """)

    def test_entries_of_a_list_are_checked(self):
        for entry in ("[1]", "['-r other.txt']", "['./folder']", "['one\\ntwo']", "{'one'}"):
            program = f"import kinetic\nkinetic.run(dependencies={entry})(print)"
            self.assertIn("kinetic.run: dependencies ", self.run_python("-c", program, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
