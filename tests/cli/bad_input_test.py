"""Tests messages and exit codes for bad input."""

import json
import os
import unittest

from harness import JobCase
from package_index import PackageIndex, module, project_requiring_compiler, source_requiring_compiler


class BadInput(JobCase):
    def setUp(self):
        super().setUp()
        self.write("work.py", "def main(x=None):\n    return x\n")

    def refused(self, text=None, *more, code=2, says=(), not_says=(), stored=False, options=()):
        """Runs a job file and checks that the message contains all of `says` and that nothing is stored unless
        expected."""
        if text is not None:
            (self.work / "job.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        done = self.run_kinetic("run", "job.yaml", *options, *more, code=code)
        self.assertEqual(done.stdout, "")
        for part in says:
            self.assertIn(part, done.stderr)
        for part in not_says:
            self.assertNotIn(part, done.stderr)
        if not stored:
            self.assertEqual(self.json("ps", "--all"), [], "a job was submitted")
        return done.stderr

    def works(self, text, value):
        self.write("job.yaml", text)
        done = self.run_kinetic("run", "job.yaml")
        self.assertEqual(json.loads(done.stdout), value)
        return done.stderr


class JobFiles(BadInput):
    def test_path_of_a_program(self):
        advice = "`args: {data: {$path: /data}}` adds --data PATH"
        self.refused("run: [python3, work.py, {$path: /data}]\n", says=["job.yaml:1:25: run[2]: ", advice])
        self.refused("function: work:main\nenv: {D: {$path: /data}}\n", says=["env.D: ", advice])

    def test_store_that_cannot_be_created(self):
        self.assertIn("cannot open the store /proc/none/store",
                      self.run_kinetic("run", "--store", "/proc/none/store", "--", "true", code=120).stderr)

    def test_tab(self):
        self.refused("function: work:main\nargs:\n\tx: 1\n",
                     says=["error: job.yaml:3:1: tab in the indentation; use spaces"])

    def test_misspelled_key(self):
        self.refused("function: work:main\nacelerator: cpu\n",
                     says=['error: job.yaml:2:1: unknown key "acelerator"; did you mean accelerator?'])

    def test_unset_secrets(self):
        self.refused("function: work:main\nsecrets: [HF_TOKEN_OF_NOBODY]\n",
                     says=["error: job.yaml:2:10: secrets: not set in the environment: HF_TOKEN_OF_NOBODY"])

    def test_extras_without_package(self):
        self.write("requirements.txt", "")
        self.refused("function: work:main\ndependencies: {extras: [gpu]}\n",
                     says=["error: job.yaml:2:15: dependencies: extras and groups require a pyproject.toml"])

    def test_steps(self):
        for steps in ("{}", "{a: {run: x}}"):
            self.refused(f"steps: {steps}\n", says=["job.yaml:1:8: steps: pipelines are not supported yet"])

    def test_word_instead_of_number(self):
        self.refused("function: work:main\narray: {count: ten}\n",
                     says=['error: job.yaml:2:16: array.count: found "ten", expected an integer'])

    def test_merge_key(self):
        self.refused("function: work:main\nargs:\n  <<: {x: 1}\n",
                     says=["error: job.yaml:3:3: merge keys (<<) are not supported", "write out the keys"])

    def test_anchors_are_resolved_and_unknown_ones_rejected(self):
        self.works("function: work:main\nenv: {MODE: &mode fast}\nargs: {x: *mode}\n", "fast")
        self.refused("function: work:main\nargs: {x: *mode}\n", says=["error: job.yaml:2:11: "], stored=True)

    def test_file_of_100_megabytes(self):
        with open(self.work / "job.yaml", "wb") as file:
            file.truncate(100_000_000)
        self.refused(says=["error: cannot read job.yaml: the file exceeds 4 MiB, the limit for job files",
                           "hint: pass large data in files, with $jsonl in args or with data:"])

    def test_binary_file(self):
        self.refused(b"function: work:main\nname: \xff\n",
                     says=["error: job.yaml:2:1: not valid UTF-8"])

    def test_names(self):
        self.refused("function: work:main\nname: " + 300 * "x" + "\n",
                     says=["error: job.yaml:2:7: name: found \"xxx", "expected 1–63 lowercase letters"])
        message = self.refused('function: work:main\nname: "a\\nb"\n', says=["error: job.yaml:2:7: name: found"])
        self.assertEqual(message.count("\n"), 1)

    def test_arguments(self):
        self.refused("function: work:main\n", "--arg", "x={bad", says=["error: --arg x: unclosed map; add `}`"])
        for text in ("#ff0000", "issue #5", "it's #5"):
            self.refused("function: work:main\n", "--arg", "x=" + text,
                         says=["error: --arg x: the text after # is a comment in YAML and would be lost; quote the text"])
        self.refused('function: work:main\nargs: {x: "bad, y: 1}\nname: a\n', says=["error: job.yaml:2:7: unclosed map"])
        self.refused("function: work:main\nargs:\n  x: [1, 2\nname: a\n", says=["error: job.yaml:3:6: unclosed list"])
        self.write("data.json", '{"a": 1,}')
        self.refused("function: work:main\nargs: {x: {$json: data.json}}\n",
                     says=["error: job.yaml:2:19: args.x: data.json: invalid JSON at line 1, column 9"])

    def test_missing_path(self):
        self.refused("function: work:main\nargs: {x: {$path: nope.txt}}\n",
                     says=["error: job.yaml:2:19: args.x: found $path nope.txt, which does not exist",
                           "hint: 'kinetic bundle ls' lists the bundle"])
        self.write(".gitignore", "*.txt\n")
        self.write("here.txt", "here")
        self.refused("function: work:main\nargs: {x: {$path: here.txt}}\n",
                     says=["error: job.yaml:2:19: args.x: found $path here.txt, which is excluded from the bundle"])

    def test_missing_data_path(self):
        self.write("set/a.txt", "a")
        self.refused("function: work:main\ndata: {/set: ./set}\nargs: {x: {$path: /set/b.txt}}\n",
                     says=["error: job.yaml:3:19: args.x: found $path /set/b.txt, but there is no ", "/project/set/b.txt"])
        self.write("work.py", "import os\ndef main(x):\n    return os.listdir(x)\n")
        self.works("function: work:main\ndata: {/set: ./set}\nargs: {x: {$path: /set}}\n", ["a.txt"])

    def test_missing_root(self):
        self.refused("function: work:main\nbundle: {root: nowhere}\n", says=["error: job.yaml:2:16: bundle.root: "])

    def test_reserved_variables(self):
        self.refused("function: work:main\nsecrets: [KINETIC_ACCESS_TOKEN]\n",
                     says=["error: job.yaml:2:11: secrets: KINETIC_ACCESS_TOKEN is reserved"])
        self.refused("function: work:main\n", "--secret", "KINETIC_X",
                     says=["error: --secret KINETIC_X: secrets: KINETIC_X is reserved"])
        self.write("work.py", "import os\ndef main():\n    return [os.environ.get(n) for n in ('KINETIC_OWNER', 'OTHER')]\n")
        self.write("job.yaml", "function: work:main\nsecrets: ['*']\n")
        done = self.run_kinetic("run", "job.yaml", env={"KINETIC_OWNER": "ana", "OTHER": "known"})
        self.assertEqual(json.loads(done.stdout), [None, "known"])

    def test_same_id_with_another_job(self):
        self.write("job.yaml", "function: work:main\nargs: {x: 1}\n")
        self.run_kinetic("run", "job.yaml", "--id", "once")
        self.refused(None, "--id", "once", "--arg", "x=2", stored=True,
                     says=["error: job once already exists, but differs in args.x: 1 before, 2 now",
                           "hint: use another ID, or omit it"])


class Functions(BadInput):
    def job(self, source, function="main", **options):
        self.write("work.py", source)
        return self.refused(f"function: work:{function}\n", **options)

    def test_missing_function(self):
        self.job("import os\n\ndef train(): pass\n", "trian",
                 says=["error: job.yaml:1:11: function: work.py has no trian; did you mean train?",
                       "hint: work.py defines train"])

    def test_missing_module(self):
        self.refused("function: wrok:main\n",
                     says=["error: job.yaml:1:11: function: module wrok is neither in the bundle nor in the "
                           "environment; did you mean work?", "hint: list the bundle with"])

    def test_uncallable_object(self):
        for source, message in [
            ("main = 3\n", "work:main is not callable: it is of type int"),
            ("class main: pass\n", "work:main is a class; use a function that creates an instance"),
            ("def main():\n    yield 1\n", "work:main is a generator function; return a list"),
        ]:
            with self.subTest(source=source):
                self.job(source, code=123, says=["failed: " + message], stored=True)

    def test_async_function_is_awaited(self):
        self.write("work.py", "import asyncio\nasync def main():\n    await asyncio.sleep(0)\n    return 2\n")
        self.works("function: work:main\n", 2)

    def test_syntax_error(self):
        message = self.job("def main(:\n    pass\n", says=["error: work.py:1:", "invalid syntax: def main(:"])
        self.assertNotIn("upload:", message)

    def test_syntax_error_in_imported_module(self):
        self.write("helper.py", "x = = 2\n")
        self.job("import helper\ndef main(): pass\n", code=1, stored=True,
                 says=['File "helper.py", line 1\n', "x = = 2", "SyntaxError: invalid syntax"])

    def test_unserializable_value(self):
        self.job("def main(): return lambda: 3\n", code=1, stored=True,
                 says=["cannot store the return value: the returned function is not serializable: <function main."])
        self.assertIn("what to do: return numbers, strings,", self.run_kinetic("why").stdout)
        self.write("xarray.py", "class Dataset:\n    def to_netcdf(self): pass\n"
                   "    def __repr__(self): return '   a\\n0  1'\n")
        message = self.job("import xarray\ndef main(): return xarray.Dataset()\n", code=1, stored=True,
                           says=["the returned xarray.Dataset is not serializable; return value.to_dict()"])
        self.assertIn(" to KINETIC_OUTPUT_DIR: a 0  1\n", message)

    def test_unexpected_arguments(self):
        self.write("work.py", "def main(): pass\n")
        self.refused("function: work:main\nargs: {epochs: 3}\n",
                     says=["error: job.yaml:2:16: args.epochs: main has no parameter epochs",
                           "hint: work.py:1: def main()"])
        self.write("work.py", "def same(f): return f\n@same\ndef main(): pass\n")
        self.refused("function: work:main\nargs: {epochs: 3}\n", code=123, stored=True,
                     says=["work:main() cannot be called with these arguments",
                           "unexpected keyword argument 'epochs'"])


class Behavior(BadInput):
    """Functions that misuse their process."""

    def returns(self, source, value, rest=""):
        self.write("work.py", source)
        return self.works("function: work:main\n" + rest, value)

    def test_output_during_import(self):
        self.assertIn("importing\n", self.returns("print('importing')\ndef main(): return 5\n", 5))

    def test_forking(self):
        self.returns("import os\nif os.fork() == 0:\n    os._exit(3)\ndef main():\n"
                     "    if os.fork() == 0:\n        os._exit(4)\n    return 5\n", 5)

    def test_exit_with_code_0_fails(self):
        for source in ("import os\ndef main(): os._exit(0)\n", "import os\nos._exit(0)\ndef main(): pass\n"):
            with self.subTest(source=source):
                self.write("work.py", source)
                self.refused("function: work:main\n", code=1, stored=True,
                             says=["the program exited with code 0 before the function returned (os._exit?)"])

    def test_closed_stdout(self):
        self.returns("import os\ndef main():\n    os.close(1)\n    return 4\n", 4)

    def test_running_thread(self):
        said = self.returns("import threading, time\ndef main():\n"
                            "    threading.Thread(target=time.sleep, args=(600,)).start()\n    return 4\n", 4,
                            "timeouts: {grace: 1s}\n")
        self.assertIn("terminated: still running", said)

    def test_remaining_daemon(self):
        said = self.returns("import subprocess\ndef main():\n"
                            "    subprocess.Popen(['sleep', '600'], start_new_session=True)\n    return 4\n", 4)
        self.assertIn("terminated: 1 process that the program left behind", said)

    def test_job_that_survives_the_memory_limit_reports_the_kill(self):
        fill = "python3 -c 'x = bytearray(10**9)'"
        done = self.run_kinetic("run", "--memory", "64Mi", "--", "sh", "-c", f"{fill}; echo survived", code=None)
        if "killed: exceeded its memory limit" in done.stderr:  # without a cgroup the whole job is killed
            self.assertEqual(done.returncode, 137)
        else:
            self.assertEqual(done.returncode, 0)
            self.assertIn("kinetic: the kernel killed a process: the job exceeded its memory limit\n", done.stderr)
            self.assertEqual(done.stdout, "survived\n")

    def test_memory_limit(self):
        self.write("work.py", "def main():\n    return len(bytearray(2 << 30))\n")
        self.write("job.yaml", "function: work:main\nresources: {memory: 200Mi}\n")
        done = self.run_kinetic("run", "job.yaml", code=None)
        if done.returncode == 1:  # without control groups, the limit applies to the address space
            self.assertIn("MemoryError", done.stderr)
        else:
            self.assertEqual(done.returncode, 137)
            self.assertIn("killed: exceeded its memory limit of 200 MiB", done.stderr)


class Environments(BadInput):
    def requirements(self, lines, *files, says):
        index = PackageIndex(*files)
        self.addCleanup(index.close)
        self.write("requirements.txt", index.lines + lines)
        return self.refused("function: work:main\n", code=120,
                            says=[*says, self.cache_log()])

    def cache_log(self):
        return f"full log: {self.home}/.cache/kinetic/logs/"

    def test_missing_package(self):
        self.requirements("nosuchthing==9\n", says=["error: cannot resolve requirements.txt", "nosuchthing"])

    def test_conflicting_packages(self):
        self.requirements("one\ntwo\n", module("base", "1.0"), module("base", "2.0"),
                          module("one", "1.0", ["base==1.0"]), module("two", "1.0", ["base==2.0"]),
                          says=["error: cannot resolve requirements.txt", "base==1.0", "base==2.0"])

    def test_package_without_wheel(self):
        self.requirements("native\n", source_requiring_compiler("native"),
                          says=["error: cannot build environment", "native",
                                "error: command 'gcc' failed: No such file or directory",
                                "hint: the build of a package needs gcc: install gcc"])

    def test_folder_without_compiler(self):
        """The output of the build is part of the error, and complete with -v."""
        (self.work / "native").mkdir()
        for name, text in project_requiring_compiler("native").items():
            self.write(f"native/{name}", text)
        self.requirements("./native\n", says=["error: cannot resolve requirements.txt", "compiling native.c",
                                             "error: command 'gcc' failed: No such file or directory",
                                             "hint: the build of a package needs gcc: install gcc"])
        done = self.run_kinetic("run", "-v", "job.yaml", code=120)
        self.assertIn(" info job: compiling native.c\n", done.stderr)

    def test_rejected_login(self):
        index = PackageIndex(module("one", "1.0"), login="ana:right")
        self.addCleanup(index.close)
        self.write("requirements.txt", f"--index-url http://ana:wrong@{index.place}\none\n")
        self.refused("function: work:main\n", code=120,
                     says=["error: cannot resolve requirements.txt", "401 Unauthorized",
                           "hint: the package index rejects the login, or needs one"])

    def test_invalid_requirement(self):
        self.write("requirements.txt", "numpy >>> 3\n")
        self.refused("function: work:main\n", code=120,
                     says=["error: cannot resolve requirements.txt", "numpy >>> 3", self.cache_log()])

    def test_missing_requirements_file(self):
        self.refused("function: work:main\ndependencies: nope.txt\n",
                     says=["error: job.yaml:2:15: dependencies: found", "nope.txt, which does not exist",
                           "hint: set it to a requirements.txt"])

    def test_missing_python(self):
        self.refused('function: work:main\npython: "3.98"\n',
                     says=["error: job.yaml:2:9: python: Python 3.98 is not installed; installed: 3.",
                           "hint: install it with",
                           "or set another version with `python:` in the job file"])
        self.refused('function: work:main\npython: "3.7"\n',
                     says=['error: job.yaml:2:9: python: found "3.7", expected a quoted version from "3.9" on'])
        self.refused("function: work:main\npython: 3.10\n",
                     says=["python: found 3.10", "YAML reads an unquoted 3.10 as 3.1"])


class Bundles(BadInput):
    def test_root_too_wide(self):
        self.refused("function: work:main\nbundle: {root: /}\n",
                     says=["error: job.yaml:2:16: bundle.root: / cannot be the bundle's root: it is the root of the file system",
                           "hint: set bundle.root to the folder of one project"])
        self.refused(f"function: work:main\nbundle: {{root: {self.home}}}\n",
                     says=[f"error: job.yaml:2:16: bundle.root: {self.home} cannot be the bundle's root: it is the home directory"])

    def test_home_folder_is_rejected_even_as_repository(self):
        (self.home / ".git").mkdir()
        (self.home / "work.py").write_text("def main(): pass\n")
        (self.home / "job.yaml").write_text("function: work:main\n")
        done = self.run_kinetic("run", "../job.yaml", code=2)
        self.assertIn("it is the home directory", done.stderr)
        self.assertIn("hint: move the job to a separate folder", done.stderr)

    def test_unusual_file_names_are_kept(self):
        names = [b"new\nline.txt", b"not\xffutf8.txt", 251 * b"x" + b".txt"]
        for name in names:
            with open(os.path.join(os.fsencode(self.work), name), "wb") as file:
                file.write(b"x")
        self.write("work.py", "import os\ndef main():\n"
                              "    return sorted(n.hex() for n in os.listdir(b'.') if n.endswith(b'.txt'))\n")
        self.works("function: work:main\n", sorted(name.hex() for name in names))
        listed = self.run_kinetic("bundle", "ls", "job.yaml").stdout
        self.assertIn("new\\x0aline.txt", listed)


if __name__ == "__main__":
    unittest.main()
