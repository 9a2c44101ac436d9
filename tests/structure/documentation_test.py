#!/usr/bin/env python3
"""Tests the documentation checker: it must report each kind of dead link, and lines that are too wide."""

import pathlib
import subprocess
import tempfile
import unittest

import documentation

LONG = "word " * 21
GUIDE = "docs/" "guide"  # split, because this file is checked as well


class Problems(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "--quiet", self.root], check=True)
        (self.root / GUIDE).mkdir(parents=True)
        (self.root / GUIDE / "run.md").write_text("# Run\n\n## Why `it` waits: a list\n")

    def problems(self, text, name="README.md"):
        (self.root / name).write_text(text)
        return list(documentation.problems(self.root))

    def test_links(self):
        self.assertEqual(self.problems(f"[a]({GUIDE}/run.md) [b]({GUIDE}/run.md#why-it-waits-a-list) [c](docs)"), [])
        self.assertEqual(self.problems("# Title\n[a](#title) [b](https://example.com/x) `[c](none.md)`"), [])
        for link in f"{GUIDE}/none.md", f"{GUIDE}/run.md#walk", "#none", "image.svg":
            self.assertEqual(len(self.problems(f"[a]({link})")), 1, link)

    def test_mentions_in_sources(self):
        self.assertEqual(self.problems(f"// {GUIDE}/run.md explains it", "a.h"), [])
        self.assertEqual(len(self.problems(f"// {GUIDE}/walk.md explains it", "a.h")), 1)

    def test_width(self):
        self.assertEqual(len(self.problems(LONG)), 1)
        self.assertEqual(len(self.problems("- " + LONG)), 1)
        self.assertEqual(self.problems(f"```\n{LONG}\n```\n| {LONG} |\n<!-- {LONG} -->\n" + "x" * 120), [])

    def test_code_of_the_readme(self):
        block = "```cpp\nint main() {}\n```\n"
        self.assertEqual(len(self.problems(block)), 1)
        (self.root / GUIDE / "cpp.md").write_text(block.replace("cpp", 'cpp title="a.cc"'))
        self.assertEqual(self.problems(block), [])
        self.assertEqual(self.problems(block, "other.md"), [])
        long = "```cpp\n" + "int x;\n" * 21 + "```\n"
        (self.root / GUIDE / "cpp.md").write_text(long.replace("cpp", 'cpp title="a.cc"'))
        self.assertEqual(len(self.problems(long)), 1)


if __name__ == "__main__":
    unittest.main()
