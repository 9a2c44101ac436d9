"""Compares the functions that the shared libraries export with packaging/abi.

A function that is missing or has another signature breaks programs that were linked with the library: they need a new
ABI (KINETIC_ABI in CMakeLists.txt). layouts_test.py compares the types. Set KINETIC_UPDATE_GOLDEN=1 to write the
lists."""

import os
import pathlib
import subprocess
import sys
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
LISTS = pathlib.Path(__file__).resolve().parents[2] / "packaging/abi"
LIBRARIES = {"libkinetic": "src/libkinetic.so", "libkinetic-settings": "src/settings/libkinetic-settings.so"}


def exported(library):
    """Returns the exported functions and variables. Weak ones are instances of inline functions and templates, which
    programs contain themselves."""
    listed = subprocess.run(["nm", "--dynamic", "--defined-only", "--demangle", library], check=True,
                            capture_output=True, text=True).stdout
    found = (line.split(" ", 2) for line in listed.splitlines())
    return sorted({name for _, kind, name in found if kind in "TDBR"})


class Symbols(unittest.TestCase):
    def test_exported_functions(self):
        for name, library in LIBRARIES.items():
            with self.subTest(name):
                now, file = exported(BUILD / library), LISTS / f"{name}.txt"
                if os.environ.get("KINETIC_UPDATE_GOLDEN"):
                    file.write_text("".join(f"{symbol}\n" for symbol in now))
                before = file.read_text().splitlines()
                self.assertEqual(sorted(set(before) - set(now)), [], "no longer exported")
                self.assertEqual(sorted(set(now) - set(before)), [], "not in the list")

    def test_only_the_public_namespace_is_exported(self):
        for library in LIBRARIES.values():
            self.assertEqual([symbol for symbol in exported(BUILD / library) if "kinetic::v0::" not in symbol], [])


if __name__ == "__main__":
    unittest.main()
