"""Exceptions of jobs reach the person complete, and secrets do not."""

import sys
import unittest

from harness import JobCase

SECRET = "x\"y'z\\é-correct-horse\nsecond line of it"


class Exceptions(JobCase):
    def run_function(self, body, code=1, options=()):
        self.write("job.py", "import os, sys\n\n\ndef main():\n" + body)
        done = self.run_kinetic("run", "--id", "job", "--quiet", *options, "job:main", code=code)
        self.addCleanup(self.run_kinetic, "rm", "--force", "job", code=None)
        return done

    def test_traceback_of_a_forked_child_is_in_the_log(self):
        done = self.run_function("    if os.fork() == 0:\n        raise ValueError('the child failed')\n"
                                 "    return os.waitstatus_to_exitcode(os.wait()[1])\n", code=0)
        self.assertEqual(done.stdout, "1\n")
        self.assertIn('  File "job.py", line 6, in main\n', done.stderr)
        self.assertIn("ValueError: the child failed\n", done.stderr)

    def test_hook_is_called_and_the_exception_reported(self):
        done = self.run_function("    sys.excepthook = lambda kind, *_: print('reported', kind.__name__)\n"
                                 "    raise ValueError('boom')\n")
        self.assertIn("reported ValueError\n", done.stderr)
        self.assertIn("ValueError: boom\n", done.stderr)

    def test_closed_descriptors_lose_neither_value_nor_exception(self):
        self.assertEqual(self.run_function("    os.closerange(0, 256)\n    return [1]\n", code=0).stdout, "[1]\n")
        self.run_kinetic("rm", "--force", "job")
        self.assertIn("ValueError: lost?", self.run_function("    os.closerange(0, 256)\n    raise ValueError('lost?')\n").stderr)

    @unittest.skipIf(sys.version_info < (3, 11), "exception groups are of Python 3.11")
    def test_members_of_a_group_are_shown(self):
        done = self.run_function("    raise ExceptionGroup('outer', [ExceptionGroup('inner', [OSError(28, 'full')])])\n")
        self.assertIn("ExceptionGroup: outer (1 sub-exception)\n", done.stderr)
        self.assertIn("| | OSError: [Errno 28] full\n", done.stderr)

    def test_processes_that_end_by_themselves_are_not_reported(self):
        """As Python's resource tracker, which ends when its pipe does, and ignores SIGTERM."""
        done = self.run_function("    ours, theirs = os.pipe()\n"
                                 "    if os.fork() == 0:\n        import signal, time\n"
                                 "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n        os.setsid()\n"
                                 "        os.close(theirs)\n        os.read(ours, 1)\n        time.sleep(0.1)\n"
                                 "        os._exit(0)\n    return 1\n", code=0)
        self.assertNotIn("left behind", done.stderr)

    def test_scripts_get_the_help_of_functions(self):
        for source, said in (
            ("import no_such_package\n", ("ModuleNotFoundError: No module named 'no_such_package'\n",
                                          "hint: add the package to the job's dependencies")),
            ("import excluded\n", ("excluded.py exists here, but an ignore rule excludes it",)),
            ("open('data.bin')\n", ("data.bin exists here, but an ignore rule excludes it",)),
            ("input()\n", ("EOFError: EOF when reading a line\n", "hint: input() and breakpoint() need a terminal")),
            ("if breakpoint():\n    pass\npass\n", ("hint: input() and breakpoint() need a terminal",)),
        ):
            self.write(".kineticignore", "excluded.py\ndata.bin\n")
            self.write("excluded.py", "")
            self.write("data.bin", "")
            self.write("script.py", source)
            done = self.run_kinetic("run", "--id", "job", "--quiet", "script.py", code=1)
            for text in said:
                self.assertIn(text, done.stderr.replace("\n      ", " "))
            self.assertRegex(done.stderr, r'File "script.py", line [13], in <module>\n')
            self.assertEqual(self.json("status", "job")["exit_code"], 1)
            self.run_kinetic("rm", "--force", "job")

    @unittest.skipIf(sys.version_info < (3, 11), "exception groups are of Python 3.11")
    def test_paths_of_groups_are_relative(self):
        self.write("script.py", "def f():\n    raise KeyError('k')\n\n\ntry:\n    f()\nexcept KeyError as error:\n"
                                "    raise ExceptionGroup('g', [error])\n")
        done = self.run_kinetic("run", "--quiet", "script.py", code=1)
        self.assertIn('    |   File "script.py", line 6, in <module>\n', done.stderr)
        self.assertIn('    |   File "script.py", line 2, in f\n', done.stderr)
        self.assertNotIn(str(self.home), done.stderr)

    def test_secrets_are_stored_and_printed_nowhere(self):
        """In each field of an exception, in each form, split between writes, and beside each cut."""
        bodies = (
            "    kind = type(s, (ValueError,), {'__module__': s})\n"
            "    exec(compile('def f(): raise kind(s)', s, 'exec'), {'kind': kind, 's': s}, names := {})\n    names['f']()\n",
            "    error = ValueError(s)\n    error.__notes__ = [s, repr(s)]\n    raise KeyError(s) from error\n",
            "    return {'a': [s, type(s, (), {'__repr__': lambda self: 190 * '-' + s})()]}\n",
            "    return {'k' * 70 + s: object()}\n", "    raise ValueError((65526 * '-') + s)\n", "    sys.exit(s)\n",
            "    return [object(), 'a' * 95 + s + 'b' * 95]\n", "    open('/no/' + s)\n",
            "    raise type('E', (Exception,), {'__str__': lambda self: 'a\\n' + s})\n",
            "    import json\n    for text in (s, repr(s), json.dumps(s), json.dumps(s, ensure_ascii=False)):\n"
            "        for at in range(0, len(text), 3):\n            sys.stdout.write(text[at:at + 3])\n"
            "    print('-' * 65530 + s)\n    os.write(3, b'garbage' + s.encode())\n    raise ValueError\n",
        )
        for body in bodies:
            self.write("job.py", "import os, sys\n\n\ndef main():\n    s = os.environ['TOKEN']\n" + body)
            done = self.run_kinetic("run", "--id", "job", "--secret", "TOKEN", "job:main", code=None, env={"TOKEN": SECRET})
            self.assertNotEqual(done.returncode, 0)
            printed = [done.stdout + done.stderr]
            for command in (("status", "job"), ("status", "job", "--json"), ("logs", "job"), ("logs", "job", "--json"),
                            ("why", "job"), ("ps", "--all"), ("result", "job"), ("result", "job", "--json")):
                again = self.run_kinetic(*command, code=None)
                printed.append(again.stdout + again.stderr)
            for folder in (self.home / ".local/share/kinetic", self.home / ".local/state/kinetic"):
                printed += [path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file()]
            self.assertGreater(len(printed), 12)
            for text in printed:
                for part in ("correct-horse", "second line", "x\"y'", "x\\\"y'", "x\"y\\'", "z\\\\"):
                    self.assertNotIn(part, text, body)
            self.run_kinetic("rm", "--force", "job")


if __name__ == "__main__":
    unittest.main()
