#include "env/install/missing_tool.h"

#include "base/files/file_system.h"
#include "base/strings.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kinetic::env {
namespace {

/// Other names in the same messages may be data files.
constexpr std::array<std::string_view, 16> kBuildTools{
    "c++", "cargo", "cc",   "clang", "cmake",      "g++",   "gcc",  "gfortran",
    "git", "go",    "make", "ninja", "pkg-config", "rustc", "swig", "nvcc"};

/// Texts of build systems that do not contain the name of a program.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kToolOfText{
    {{"Unknown compiler(s)", "a C or C++ compiler"},
     {"Could not find CMake", "cmake"},
     {"can't find Rust compiler", "cargo"},
     {"Cargo, the Rust package manager, is not installed", "cargo"},
     {"rustc, the rust compiler, is not installed", "rustc"}}};

bool IsBuildTool(std::string_view name) {
  // Compilers have prefixes and versions: "x86_64-linux-gnu-gcc-12".
  return std::ranges::any_of(kBuildTools, [&](std::string_view tool) {
    const auto at = name.rfind(tool);
    if (at == std::string_view::npos || (at > 0 && name[at - 1] != '-')) return false;
    const std::string_view version = name.substr(at + tool.size());
    return version.empty() || version.starts_with('-');
  });
}

/// Returns the text between `before` and `after`, or an empty string.
std::string_view Between(std::string_view line, std::string_view before, std::string_view after) {
  const auto start = line.find(before);
  if (start == std::string_view::npos) return {};
  line.remove_prefix(start + before.size());
  const auto end = line.find(after);
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

/// Returns the program in "sh: 1: nvcc: not found" or "bash: line 1: nvcc: command not found".
std::string_view UnknownCommand(std::string_view line) {
  for (const std::string_view end : {": not found", ": command not found"}) {
    if (!line.ends_with(end)) continue;
    line.remove_suffix(end.size());
    return line.substr(line.rfind(' ') + 1);
  }
  return {};
}

std::optional<std::string> MissingToolIn(std::string_view line) {
  line = Trim(line);
  for (const auto& [text, tool] : kToolOfText) {
    if (line.find(text) != std::string_view::npos) return std::string(tool);
  }
  for (const std::string_view name :
       {Between(line, "command '", "' failed: No such file or directory"),
        Between(line, "No such file or directory: '", "'"), UnknownCommand(line)}) {
    std::string program = Path(name).filename();
    if (IsBuildTool(program)) return program;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> MissingTool(const InstallerLog& log) {
  for (const std::string& line : log.recent()) {
    if (auto tool = MissingToolIn(line)) return tool;
  }
  return std::nullopt;
}

}  // namespace kinetic::env
