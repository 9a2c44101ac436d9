#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// Returns pyvenv.cfg of a virtual environment.
///
/// @param interpreter  without symbolic links.
/// @param version      "3.12.7"; may be empty.
/// @source  PEP 405
std::string VirtualenvConfig(const std::filesystem::path& interpreter, std::string_view version);

/// Returns the start of a Python script in an environment at `prefix`: "#!/x/bin/python". If the
/// path contains spaces or is too long for a first line, returns three lines that are valid in a
/// shell and in Python, as installers do.
std::string ShebangLine(std::string_view prefix);

/// Replaces the first line of a script that names a Python by path, or by the placeholder
/// `#!python`. Options after the path are dropped, as installers do. The three lines of a long path
/// are replaced too. Returns nullopt for other programs, and for scripts that find Python with
/// `env`.
std::optional<std::string> ReplaceShebang(std::string_view script, std::string_view first_line);

/// `bin/pip` of an environment.
inline constexpr std::string_view kPipProgram =
    "#!/bin/sh\nexec \"${0%/*}/python\" -m pip \"$@\"\n";

/// `pip.py` in the packages of an environment: installs pip when pip is first run. A package `pip`
/// in the same folder hides it.
inline constexpr std::string_view kPipModule = R"(if __name__ != "__main__":
    raise ModuleNotFoundError("No module named 'pip'", name="pip")
import os, subprocess, sys
if subprocess.run([sys.executable, "-m", "ensurepip"], stdout=subprocess.DEVNULL).returncode:
    sys.exit("error: cannot install pip into the job's environment\n"
             "hint: add 'pip' to the job's dependencies, or use 'uv pip'")
os.execv(sys.executable, [sys.executable, "-m", "pip", *sys.argv[1:]])
)";

}  // namespace kinetic
