#!/usr/bin/env python3
"""C++ functions as jobs, from the installed package.

    cpp_function_test.py BUILD EXAMPLES [TEST...]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, EXAMPLES = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

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

    def test_example_combines_results(self):
        tree = self.place / "pi"
        self.succeed("cmake", "-G", "Ninja", "-S", EXAMPLES / "cpp-pi", "-B", tree, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.succeed("cmake", "--build", tree)
        done = self.succeed(tree / "pi", env=self.environment, cwd=self.place)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 20, done.stdout + done.stderr)
        self.assertIn("10000000 samples: pi is about 3.14", lines[-1])

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
