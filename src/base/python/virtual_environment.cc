#include "base/python/virtual_environment.h"

#include "base/strings.h"

namespace kinetic {
namespace {

/// Older Linux kernels read at most 127 bytes of a script's first line.
constexpr std::size_t kMaxFirstLine = 127;

/// Removes and returns the first line, without its end.
std::string_view TakeScriptLine(std::string_view& text) {
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool NamesPython(std::string_view program) {
  if (program == "python" || program == "pythonw") return true;
  if (!program.starts_with('/')) return false;
  return program.substr(program.rfind('/') + 1).starts_with("python");
}

}  // namespace

std::string VirtualenvConfig(const std::filesystem::path& interpreter, std::string_view version) {
  return "home = " + interpreter.parent_path().native() +
         "\ninclude-system-site-packages = false\n" +
         (version.empty() ? "" : "version = " + std::string(version) + "\n") +
         "executable = " + interpreter.native() + "\n";
}

std::string ShebangLine(std::string_view prefix) {
  const std::string python = std::string(prefix) + "/bin/python";
  if (python.size() + 2 <= kMaxFirstLine && python.find(' ') == std::string::npos) {
    return "#!" + python;
  }
  return "#!/bin/sh\n'''exec' " + ShellQuote(python) + " \"$0\" \"$@\"\n' '''";
}

std::optional<std::string> ReplaceShebang(std::string_view script, std::string_view first_line) {
  std::string_view rest = script;
  const std::string_view first = TakeScriptLine(rest);
  if (!first.starts_with("#!")) return std::nullopt;
  const std::string_view command = Trim(first.substr(2));
  const std::string_view program = command.substr(0, command.find(' '));
  if (NamesPython(program)) return std::string(first_line) + "\n" + std::string(rest);
  if (program != "/bin/sh") return std::nullopt;
  const std::string_view second = TakeScriptLine(rest);
  const std::string_view third = TakeScriptLine(rest);
  if (!second.starts_with("'''exec' ") || !third.starts_with("' '''")) return std::nullopt;
  return std::string(first_line) + "\n" + std::string(rest);
}

}  // namespace kinetic
