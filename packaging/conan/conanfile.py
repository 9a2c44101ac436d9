"""Builds kinetic from this checkout: `conan create packaging/conan --build=missing`."""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("CMakeLists.txt", "LICENSE", "cli/*", "cmake/*", "docs/job.schema.json", "include/*", "src/*")


class Kinetic(ConanFile):
    name = "kinetic"
    description = "Runs code on TPUs and GPUs in Kubernetes: the library and the command"
    license = "Apache-2.0"
    package_type = "shared-library"  # a static library is installed beside it
    settings = "os", "arch", "compiler", "build_type"
    # kinetic loads these two libraries when it needs them, so a program does not link them.
    default_options = {"libcurl/*:shared": True, "libarchive/*:shared": True}

    def set_version(self):
        text = (CHECKOUT / "CMakeLists.txt").read_text()
        self.version = re.search(r"project\(kinetic VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, CHECKOUT, self.export_sources_folder)

    def requirements(self):
        self.requires("cli11/[>=2.1 <3]")
        self.requires("fmt/[>=9 <12]", force=True)  # spdlog has a version of its own
        self.requires("isa-l/[>=2.30 <3]")
        self.requires("libarchive/[>=3.6 <4]")
        self.requires("libcurl/[>=7.85 <9]")
        self.requires("nlohmann_json/[>=3.11 <4]")
        self.requires("openssl/[>=3 <4]")
        self.requires("spdlog/[>=1.10 <2]")
        self.requires("tomlplusplus/[>=3.3 <4]")
        self.requires("yaml-cpp/[>=0.7 <1]")
        self.requires("zlib/[>=1.2.13 <2]")
        self.requires("zstd/[>=1.5 <2]")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("kinetic is for Linux")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.blocks.remove("output_dirs")  # it would install the helpers of the command in bin
        toolchain.cache_variables["KINETIC_BUILD_TESTS"] = False
        toolchain.cache_variables["KINETIC_BUILD_PACKAGES"] = False
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder) / "licenses")

    def package_info(self):
        # The installed kineticConfig.cmake defines the targets.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/kinetic"]
        self.cpp_info.libs = ["kinetic-settings", "kinetic"]
