#!/usr/bin/env python3
"""Tests the checker of registered tests."""

import unittest

import registered_tests

SOURCE = """
class Base(unittest.TestCase):
    def up(self): pass
class Quick(Base):
    def test_a(self): pass
class Slow(Base):
    def test_b(self): pass
class Slower(Slow):
    count = 9
"""


class Problems(unittest.TestCase):
    def problems(self, *commands):
        return list(registered_tests.problems({"e2e/up_test.py": SOURCE}, [command.split() for command in commands]))

    def test_all_classes_run(self):
        self.assertEqual(self.problems("python3 /tests/e2e/up_test.py kinetic"), [])
        self.assertEqual(self.problems("python3 /tests/e2e/up_test.py Quick", "python3 /tests/e2e/up_test.py Slow.test_b Slower"), [])

    def test_program_does_not_run(self):
        self.assertEqual(self.problems("python3 /tests/e2e/pull_up_test.py"), ["e2e/up_test.py: not run by ctest"])

    def test_program_of_that_name_elsewhere(self):
        self.assertEqual(self.problems("python3 /tests/unit/up_test.py"), ["e2e/up_test.py: not run by ctest"])

    def test_inherited_tests(self):
        self.assertEqual(self.problems("python3 /tests/e2e/up_test.py Quick Slow"),
                         ["e2e/up_test.py: ctest does not run Slower"])

    def test_class_does_not_run(self):
        self.assertEqual(self.problems("python3 /tests/e2e/up_test.py Quick", "python3 /tests/e2e/up_test.py Slower"),
                         ["e2e/up_test.py: ctest does not run Slow"])


if __name__ == "__main__":
    unittest.main()
