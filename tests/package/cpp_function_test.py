#!/usr/bin/env python3
"""C++ functions as jobs, from the installed package.

    cpp_function_test.py BUILD EXAMPLES [TEST...]
"""

import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

BUILD, EXAMPLES = (pathlib.Path(path).resolve() for path in sys.argv[1:3])

PREAMBLE = """#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>
#include <iostream>
int Twice(int number) { return 2 * number; }
KINETIC_FUNCTION(Twice);
"""
MAIN = """int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  auto client = kinetic::Client::Open(kinetic::LoadProfile());
  if (!client) return kinetic::Report(std::cerr, client.error()), 1;
  const auto value = client->Run(&Twice, 21);
  if (!value) return kinetic::Report(std::cerr, value.error()), 1;
  std::cout << *value << std::endl;
}
"""


def run(*words, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=600, **options)


class CppFunctions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="kinetic-cpp-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.place = pathlib.Path(cls.folder.name)
        cls.prefix = cls.place / "prefix"
        cls.succeed("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.libraries = next(cls.prefix.rglob("libkinetic.so")).parent
        cls.environment = {"PATH": os.environ["PATH"], "HOME": cls.folder.name}

    @staticmethod
    def succeed(*words, **options):
        done = run(*words, **options)
        if done.returncode != 0:
            raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
        return done

    def compile(self, source, *options):
        file = self.place / f"{self.id().rpartition('.')[2]}.cc"
        file.write_text(source)
        program = file.with_suffix("")
        done = run(os.environ.get("CXX", "c++"), "-std=c++20", "-I", self.prefix / "include", file, "-o", program,
                   *(options or ["-L", self.libraries, "-lkinetic-settings", "-lkinetic",
                                 f"-Wl,-rpath,{self.libraries}"]))
        return program, done

    def check_rejected(self, code, message):
        _, done = self.compile(PREAMBLE + code, "-fsyntax-only")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(message, re.sub(r"\s+", " ", done.stderr))

    def build_example(self, name):
        """Returns the program of an example. The shared library needs no other packages."""
        tree = self.place / name
        absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON"
                  for package in ("fmt", "nlohmann_json", "yaml-cpp")]
        self.succeed("cmake", "-G", "Ninja", "-S", EXAMPLES / f"cpp-{name}", "-B", tree,
                     f"-DCMAKE_PREFIX_PATH={self.prefix}", *absent)
        self.succeed("cmake", "--build", tree)
        return tree / name

    def test_example_combines_results(self):
        done = self.succeed(self.build_example("pi"), env=self.environment, cwd=self.place)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 20, done.stdout + done.stderr)
        self.assertIn("10000000 samples: pi is about 3.14", lines[-1])

    def test_example_sends_and_returns_arrays(self):
        program = self.build_example("sgemm")
        done = self.succeed(program, env=self.environment, cwd=self.place)
        self.assertEqual(done.stdout, "512 x 512 items, correct\n")
        done = self.succeed(program, "3", env=self.environment, cwd=self.place)
        self.assertEqual(done.stdout, "3 x 3 items, correct\n")

    def test_example_finds_best_rate(self):
        done = self.succeed(self.build_example("sweep"), EXAMPLES / "cpp-sweep/python", env=self.environment,
                            cwd=self.place)
        lines = done.stdout.splitlines()
        for rate in ("0.03", "0.3", "1", "4"):
            shown = [line for line in lines if line.startswith(f"rate {rate}: ")]
            self.assertEqual([int(line.split()[3]) for line in shown if ": epoch" in line], [1, 2, 3, 4, 5])
            self.assertEqual(sum(": succeeded with loss " in line for line in shown), 1)
        self.assertEqual(lines[-1], "best rate 1")

    def test_example_serves_jobs(self):
        service = subprocess.Popen([self.build_example("service"), "0"], env=self.environment, cwd=self.place,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(service.stdout.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.kill)
        port = int(service.stdout.readline().rpartition(":")[2])

        def post(limit):
            connection = http.client.HTTPConnection("localhost", port, timeout=60)
            self.addCleanup(connection.close)
            connection.request("POST", f"/primes?limit={limit}")
            return connection.getresponse()

        response = post(20)
        self.assertEqual(response.read().decode().split("\n"),
                         ["2", "3", "5", "7", "11", "13", "17", "19", "succeeded 8", ""])
        self.assertEqual(post("many").status, 400)

        endless = post(2_000_000_000)
        self.assertEqual([endless.readline(), endless.readline()], [b"2\n", b"3\n"])
        endless.close()
        self.wait_for_state(endless.headers["Job"], "cancelled")

    def wait_for_state(self, job, state):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            done = self.succeed(self.prefix / "bin/kinetic", "status", job, "--json", env=self.environment)
            found = json.loads(done.stdout)["state"]
            if found == state:
                return
            time.sleep(0.1)
        self.fail(f"the job is {found}")

    def test_program_runs_its_function(self):
        program, done = self.compile(PREAMBLE + MAIN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.succeed(program, env=self.environment, cwd=self.place).stdout, "42\n")

    def test_static_c_plus_plus_runtime_is_supported(self):
        program, done = self.compile(PREAMBLE + MAIN, "-static-libstdc++", "-static-libgcc", "-L", self.libraries,
                                     "-lkinetic-settings", "-lkinetic", f"-Wl,-rpath,{self.libraries}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.succeed(program, env=self.environment, cwd=self.place).stdout, "42\n")

    def test_main_without_initialization_submits_nothing(self):
        program, done = self.compile(PREAMBLE + MAIN.replace("kinetic::InitFunctions(argc, argv);", "(void)argv;"))
        self.assertEqual(done.returncode, 0, done.stderr)
        failed = run(program, env=self.environment, cwd=self.place)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("the program did not call kinetic::InitFunctions", failed.stderr)

    def test_library_from_search_path_is_part_of_the_job(self):
        (self.place / "triple.cc").write_text("int Triple(int n) { return 3 * n; }\n")
        elsewhere = self.place / "elsewhere"
        elsewhere.mkdir()
        library = elsewhere / "libtriple.so"
        self.succeed("c++", "-shared", "-fPIC", self.place / "triple.cc", "-o", library)
        program, done = self.compile(
            "int Triple(int n);\n" + PREAMBLE.replace("2 * number", "Triple(number)") + MAIN,
            "-L", self.libraries, "-L", elsewhere, "-lkinetic-settings", "-lkinetic", "-ltriple",
            f"-Wl,-rpath,{self.libraries}")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(program, env={**self.environment, "LD_LIBRARY_PATH": str(elsewhere)}, cwd=self.place)
        self.assertEqual((done.returncode, done.stdout), (0, "63\n"), done.stderr)

    def test_missing_library_is_reported(self):
        (self.place / "once.cc").write_text("int Once(int n) { return n; }\n")
        library = self.place / "libonce.so"
        self.succeed("c++", "-shared", "-fPIC", self.place / "once.cc", "-o", library)
        program, done = self.compile(
            "int Once(int n);\n" + PREAMBLE.replace("2 * number", "Once(number)") +
            MAIN.replace("  auto client", f'  std::remove("{library}");\n  auto client'),
            "-L", self.libraries, "-L", self.place, "-lkinetic-settings", "-lkinetic", "-lonce",
            f"-Wl,-rpath,{self.libraries}:{self.place}")
        self.assertEqual(done.returncode, 0, done.stderr)
        failed = run(program, env=self.environment, cwd=self.place)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("needs libonce.so, which is in no library folder", failed.stderr)

    def test_lambda_with_capture_is_rejected(self):
        self.check_rejected("auto f(int x) { return kinetic::JobSpec::Call([x] { return x; }); }",
                            "only a function registered with KINETIC_FUNCTION can run as a job")
        self.check_rejected("KINETIC_FUNCTION([](int x) { return x; });", "KINETIC_FUNCTION takes the name of a function")

    def test_unsuitable_types_are_rejected(self):
        self.check_rejected("struct Own { int x; }; Own Make() { return {}; } KINETIC_FUNCTION(Make);",
                            "add KINETIC_FIELDS(Type, member, ...)")
        self.check_rejected("int Sum(const int* numbers) { return *numbers; } KINETIC_FUNCTION(Sum);",
                            "cannot have a pointer as a parameter")
        self.check_rejected("void Change(int& n) { ++n; } KINETIC_FUNCTION(Change);"
                            "auto f(int n) { return kinetic::JobSpec::Call(&Change, n); }",
                            "cannot change its arguments")

    def test_unsuitable_arguments_are_rejected(self):
        self.check_rejected('auto f() { return kinetic::JobSpec::Call(&Twice, "2"); }',
                            "an argument does not match the function's parameter")
        self.check_rejected("auto f() { return kinetic::JobSpec::Call(&Twice, 1, 2); }",
                            "the function has another number of parameters")


if __name__ == "__main__":
    del sys.argv[1:3]
    unittest.main(verbosity=2)
