"""Compares the memory layout of the public types with packaging/abi/layouts.txt, as Clang computes it.

Another size, alignment, offset, or type of a field breaks programs that were linked with the library: they need a new
ABI (KINETIC_ABI in CMakeLists.txt). Set KINETIC_UPDATE_GOLDEN=1 to write the list."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
LIST = ROOT / "packaging/abi/layouts.txt"
BREAK = "*** Dumping AST Record Layout"
RECORD = re.compile(r" +0 \| (?:struct|class|union) (kinetic::[\w:]+)(?: \(empty\))?$")
FIELD = re.compile(r" *([\d:-]+) \|   (?! )(.+)$")
SIZES = re.compile(r"sizeof=(\d+).*?\balign=(\d+)", re.DOTALL)


def dumped():
    """Returns Clang's list. kinetic.h only includes the others, and one that the build writes."""
    names = sorted(path.name for path in (ROOT / "include/kinetic").glob("*.h") if path.name != "kinetic.h")
    source = "".join(f"#include <kinetic/{name}>\n" for name in names)
    return subprocess.run(
        ["clang++-19", "-std=c++20", f"-I{ROOT}/include", "-fsyntax-only", "-Xclang", "-fdump-record-layouts-complete",
         "-x", "c++", "-"],
        input=source, check=True, capture_output=True, text=True).stdout


def layouts():
    """Returns a line for each type and for each of its fields. Instances of templates are compiled into the program."""
    found = {}
    for block in dumped().split(BREAK):
        lines = block.strip("\n").splitlines()
        record = next((RECORD.match(line) for line in lines if line.strip()), None)
        if not record:
            continue
        size, alignment = SIZES.search(block).groups()
        fields = (FIELD.match(line) for line in lines[1:])
        found[record[1]] = [f"{record[1]}: {size} bytes, alignment {alignment}"] + [
            f"{record[1]}: {field[1]} {field[2].strip()}" for field in fields if field]
    return [line for name in sorted(found) for line in found[name]]


class Layouts(unittest.TestCase):
    def test_public_types(self):
        now = layouts()
        if os.environ.get("KINETIC_UPDATE_GOLDEN"):
            LIST.write_text("".join(f"{line}\n" for line in now))
        before = LIST.read_text().splitlines()
        self.assertGreater(len(now), 100)
        self.assertEqual([line for line in before if line not in now], [], "changed or removed")
        self.assertEqual([line for line in now if line not in before], [], "not in the list")


if __name__ == "__main__":
    unittest.main()
