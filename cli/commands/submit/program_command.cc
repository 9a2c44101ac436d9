#include "commands/submit/program_command.h"

#include "kinetic/job_spec.h"
#include "kinetic/project.h"

#include "commands/submit/near_file.h"
#include "context.h"
#include "output/text.h"
#include "settings/regular_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::size_t kMaxScriptBytes = 4 << 20;

/// Returns how to run a file: "python3" for a .py file, a shell for a script that is not executable,
/// nothing for others.
std::vector<std::string> InterpreterOf(const std::filesystem::path& file) {
  if (file.extension() == ".py") return {"python3"};
  if (file.extension() != ".sh") return {};
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  constexpr auto kExecutable = std::filesystem::perms::owner_exec;
  const auto text = ReadRegularFile(file, file.string(), kMaxScriptBytes);
  if (!text || !text->starts_with("#!")) return {"sh"};
  if ((status.permissions() & kExecutable) == kExecutable) return {};
  const bool is_bash = text->substr(0, text->find('\n')).find("bash") != std::string::npos;
  return {is_bash ? "bash" : "sh"};
}

/// Returns whether an interpreter runs the word after this option as code or as a module: -c, -m,
/// -lc. The word after "-" is an argument.
bool PrecedesText(const std::string& option) {
  if (option == "-") return true;
  if (!option.starts_with('-') || option.starts_with("--")) return false;
  return option.ends_with('c') || option.ends_with('m');
}

/// Returns the position of the file to run among the words of a command: the program's path, or the
/// script of an interpreter. nullopt: none.
std::optional<std::size_t> FileOf(const std::vector<std::string>& words) {
  const auto is_file = [](const std::string& word) {
    return word.ends_with(".py") || word.ends_with(".sh") || word.find('/') != std::string::npos;
  };
  if (is_file(words.front())) return 0;
  const std::size_t last = ProgramWords(words) - 1;
  if (last == 0 || words[last].starts_with('-') || PrecedesText(words[last - 1]))
    return std::nullopt;
  return last;
}

/// Returns whether a file belongs to the project of the caller's folder.
bool IsInProjectOf(const std::filesystem::path& directory, const std::filesystem::path& file,
                   const std::filesystem::path& home) {
  const auto own = FindProject(directory, home);
  if (!own) return false;
  const std::filesystem::path inside = file.lexically_relative(own->folder);
  if (inside.empty() || *inside.begin() == "..") return false;
  if (own->has_marker) return true;
  const auto project = FindProject(file.parent_path(), home);
  return !project || !project->has_marker;
}

}  // namespace

Result<ProgramCommand> ReadProgram(const std::vector<std::string>& words, bool may_move,
                                   const Context& context) {
  const std::filesystem::path& directory = context.process.directory;
  ProgramCommand command{words, directory};
  const auto position = FileOf(words);
  if (!position) return command;
  const std::filesystem::path file = directory / words[*position];
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    return Fail(ErrorCode::kNotFound,
                fmt::format("cannot run {}: no such file", SafeLine(words[*position])),
                NearFileHint(words[*position], directory).value_or(std::string(kMissingPathHint)));
  // A link belongs to the folder that it is in.
  const std::filesystem::path folder = std::filesystem::canonical(file.parent_path(), error);
  const std::filesystem::path real = folder / file.filename();
  const std::string home = context.process.Variable("HOME");
  if (may_move && !error && !IsInProjectOf(directory, real, home)) command.directory = folder;
  const std::filesystem::path plain = file.lexically_normal().lexically_relative(command.directory);
  // A path through a link can name another file.
  const bool is_same = std::filesystem::equivalent(file, command.directory / plain, error);
  const std::filesystem::path path = is_same ? plain : real.lexically_relative(command.directory);
  const bool is_program = *position == 0 && InterpreterOf(file).empty();
  const bool is_option = path.native().starts_with('-');
  command.words[*position] =
      is_option || (is_program && !path.has_parent_path()) ? "./" + path.string() : path.string();
  if (*position == 0) {
    const auto interpreter = InterpreterOf(file);
    command.words.insert(command.words.begin(), interpreter.begin(), interpreter.end());
  }
  return command;
}

}  // namespace kinetic::cli
