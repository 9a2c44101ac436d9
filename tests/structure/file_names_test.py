#!/usr/bin/env python3
"""Tests the checker of file names: it must report each kind of problem, and nothing else."""

import pathlib
import unittest

import file_names


def problems(*names):
    return file_names.problems([pathlib.PurePosixPath(name) for name in names])


class Problems(unittest.TestCase):
    def test_folder_with_too_many_files(self):
        self.assertEqual(problems(*(f"src/a/f{i}.cc" for i in range(99))), [])
        self.assertEqual(len(problems(*(f"src/a/f{i}.cc" for i in range(100)))), 1)

    def test_name_that_repeats_its_folder(self):
        self.assertEqual(len(problems("src/a/pod/pod_fields.h", "src/a/pod/pod.cc")), 2)
        self.assertEqual(problems("src/a/pod/podium.h", "tests/unit/a/pod/podium_test.cc"), [])
        for name in "tests/e2e/e2e_case.py", "tests/support/gcs/gcs.h", "bench/bench.py", "cli/output/output_base.h":
            self.assertEqual(len(problems(name)), 1, name)

    def test_folder_of_unit_tests_without_sources(self):
        self.assertEqual(len(problems("src/a/pod/fields.cc", "tests/unit/a/node/taints_test.cc")), 1)
        self.assertEqual(problems("cli/output/table.cc", "tests/unit/cli/output/table_test.cc"), [])
        self.assertEqual(problems("tests/unit/jobspec/data/good/a.yaml", "tests/unit/CMakeLists.txt"), [])

    def test_unit_test_in_the_wrong_folder(self):
        self.assertEqual(len(problems("src/a/pod/fields.cc", "tests/unit/a/fields_test.cc")), 1)
        self.assertEqual(problems("src/a/pod/fields.cc", "tests/unit/a/pod/fields_test.cc"), [])
        self.assertEqual(problems("src/b/pod/fields.cc", "src/a/node.cc", "tests/unit/a/fields_test.cc"), [])


if __name__ == "__main__":
    unittest.main()
