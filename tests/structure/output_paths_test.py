#!/usr/bin/env python3
"""Tests the checker of output paths: it must report each way around cli/output, and nothing else."""

import pathlib
import tempfile
import unittest

import output_paths


class Problems(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def problems(self, text, name="cli/commands/job/ps.cc"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        found = list(output_paths.problems(self.root))
        path.unlink()
        return found

    def test_ways_around(self):
        for way in ('printf("%s", x);', "std::fputs(x, stderr);", "std::cout << x;", "std::cerr << x;", "::write(1, p, n);",
                    "fmt::print(x);", "std::println(x);", "dprintf(2, x);", "puts(x);", 'open("/dev/tty", 0);',
                    "Console console(1, 2);", "output.Bytes(x);", "context.output.Bytes(x);", "output_->Bytes(x);",
                    "int fd = STDERR_FILENO;"):
            self.assertEqual(len(self.problems(f"void F() {{ {way} }}\n")), 1, way)

    def test_allowed(self):
        for text in ("output.Line(x);", "fmt::format(x); snprintf(b, n, f);", "// std::cout << x\n", 'R"(printf(x))";',
                     "work->Bytes(phase, 1, 2);", "file.write(x, 3);"):
            self.assertEqual(self.problems(text), [], text)
        self.assertEqual(self.problems("::write(fd, p, n);", "cli/output/console.cc"), [])
        self.assertEqual(self.problems("output.Bytes(help);", "cli/commands/system/help.cc"), [])


if __name__ == "__main__":
    unittest.main()
