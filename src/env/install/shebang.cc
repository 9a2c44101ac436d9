#include "base/strings.h"
#include "env/install/wheel_layout.h"

namespace kinetic::env {
namespace {

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

std::string ShebangLine(std::string_view prefix) {
  return "#!" + std::string(prefix) + "/bin/python";
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

}  // namespace kinetic::env
