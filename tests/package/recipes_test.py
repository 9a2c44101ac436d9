#!/usr/bin/env python3
"""The recipes of vcpkg and Conan name all packages that the build needs.   recipes_test.py CHECKOUT"""

import json
import pathlib
import re
import sys
import unittest

CHECKOUT = pathlib.Path(sys.argv.pop(1))
# By the name in cmake/Dependencies.cmake: the packages of vcpkg and Conan.
PACKAGES = {"CLI11": ("cli11", "cli11"), "CURL": ("curl", "libcurl"), "LibArchive": ("libarchive", "libarchive"),
            "OpenSSL": ("openssl", "openssl"), "ZLIB": ("zlib", "zlib"), "fmt": ("fmt", "fmt"), "isal": ("isal", "isa-l"),
            "nlohmann_json": ("nlohmann-json", "nlohmann_json"), "spdlog": ("spdlog", "spdlog"),
            "tomlplusplus": ("tomlplusplus", "tomlplusplus"), "yaml-cpp": ("yaml-cpp", "yaml-cpp"),
            "zstd": ("zstd", "zstd")}
PARTS_OF_CMAKE = {"Threads", "PkgConfig"}


def needed_packages():
    """Returns the packages that the build without tests needs."""
    text = (CHECKOUT / "cmake/Dependencies.cmake").read_text().split("if(KINETIC_BUILD_TESTS)")[0]
    found = re.findall(r"^(?:find_package|pkg_check_modules|pkg_search_module)\(([\w-]+)", text, re.MULTILINE)
    return set(found) - PARTS_OF_CMAKE


class Recipes(unittest.TestCase):
    def test_vcpkg(self):
        port = json.loads((CHECKOUT / "packaging/vcpkg/vcpkg.json").read_text())
        named = {entry for entry in port["dependencies"] if isinstance(entry, str)}
        self.assertEqual(named, {PACKAGES[package][0] for package in needed_packages()})
        version = re.search(r"project\(kinetic VERSION ([0-9.]+)", (CHECKOUT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(port["version"], version)

    def test_conan(self):
        recipe = (CHECKOUT / "packaging/conan/conanfile.py").read_text()
        named = set(re.findall(r'self\.requires\("([\w-]+)/', recipe))
        self.assertEqual(named, {PACKAGES[package][1] for package in needed_packages()})


if __name__ == "__main__":
    unittest.main(verbosity=2)
