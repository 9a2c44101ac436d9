#!/usr/bin/env python3
"""Tests the checker of error codes: it must report functions without error codes, and nothing else."""

import unittest

import error_codes


def names(text):
    return [name for _, name in error_codes.problems("namespace kinetic {\n" + text + "\n}  // namespace kinetic\n")]


class Problems(unittest.TestCase):
    def test_functions_without_error_codes(self):
        self.assertEqual(names("KINETIC_EXPORT Result<int> A(int x = {});"), ["A"])
        self.assertEqual(names("/// Does A.\nStatus A();\n/// @errors  kNotFound.\nStatus B();"), ["A"])
        self.assertEqual(names("/// @errors  kNotFound.\nStatus A();\nStatus B();"), ["B"])
        self.assertEqual(names("template <typename T>\nResult<std::vector<T>> A(const T& x) {\n  return x;\n}"), ["A"])
        self.assertEqual(names("KINETIC_EXPORT Result<std::vector<int>>\nA(int x);"), ["A"])

    def test_members(self):
        self.assertEqual(names("class KINETIC_EXPORT X {\n public:\n  static Result<X> Open();\n};"), ["Open"])
        self.assertEqual(names("class X {\n public:\n private:\n  Status Hidden();\n};"), [])
        self.assertEqual(names("struct X {\n  int a = {};\n  Status A();\n};\nStatus B();"), ["A", "B"])

    def test_other_declarations(self):
        for text in (
            "using Sink = std::function<Status(int)>;",
            "struct X {\n  Status last;\n};",
            "inline int A() {\n  Result<int> read = B();\n  return 1;\n}",
            "namespace internal {\nStatus A();\n}",
            "template <>\nstruct FromValue<bool> {\n  static Result<bool> Read(int x) { return true; }\n};",
            "/// @errors  kNotFound.\ntemplate <typename T>\nResult<T> A(T x);",
            '/// @errors  kNotFound.\nStatus A(const char* x = "{");',
        ):
            self.assertEqual(names(text), [], text)


if __name__ == "__main__":
    unittest.main()
