#include "runner/program_python.h"

#include "base/subprocess.h"

#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

/// What parts words in a line for the shell, and in one that is a word of it itself.
constexpr std::string_view kBetweenWords = " \t\n;&|()<>'\"`=$";

/// "python", "python3", "python3.12"
bool IsPythonName(std::string_view name) {
  constexpr std::string_view kName = "python";
  return name.starts_with(kName) &&
         name.substr(kName.size()).find_first_not_of("0123456789.") == std::string_view::npos;
}

/// The first piece of a text that is a Python's name or leads to one.
std::optional<std::string> PythonIn(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(kBetweenWords);
    const std::string_view word = text.substr(0, end);
    if (IsPythonName(word.substr(word.rfind('/') + 1))) return std::string(word);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::optional<Path> Find(const std::string& name, const Program& program) {
  if (name.find('/') != std::string::npos) {
    const Path file = program.working_directory / name;
    return FindExecutable(file.filename().native(), file.parent_path().native());
  }
  const auto path = program.environment.find("PATH");
  if (path == program.environment.end()) return std::nullopt;
  return FindExecutable(name, path->second);
}

}  // namespace

std::optional<Path> PythonOf(const Program& program, const Path& environment) {
  if (program.control) return Path(program.argv.at(0));
  for (const auto& word : program.argv) {
    const auto name = PythonIn(word);
    if (name) return Find(*name, program);
  }
  if (environment.empty()) return std::nullopt;
  return environment / "bin/python";
}

}  // namespace kinetic::runner
