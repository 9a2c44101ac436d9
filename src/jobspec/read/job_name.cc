#include "base/strings.h"
#include "jobspec/read/job_file.h"

namespace kinetic::jobspec {
namespace {

constexpr std::size_t kLongest = 63;

/// Converts to lower case and replaces each run of invalid characters by `-`; may be empty.
std::string Reduce(std::string_view text) {
  std::string name;
  for (const char c : ToLower(text)) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.resize(std::min(name.size(), kLongest));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

/// Returns the name of the script in a command, otherwise of its program.
std::string NameOfCommand(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    const std::filesystem::path path(word);
    if (path.extension() == ".py" || path.extension() == ".sh") return path.stem().string();
  }
  return words.empty() ? std::string() : std::filesystem::path(words[0]).stem().string();
}

std::vector<std::string> WordsOf(const Command& command) {
  if (command.shell.empty()) return command.argv;
  std::vector<std::string> words;
  const std::string_view line = std::string_view(command.shell).substr(0, 1000);
  for (const auto word : Split(line.substr(0, line.find('\n')), ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace

std::string DeriveName(const JobSpec& spec, const std::filesystem::path& file) {
  std::string name = Reduce(file.stem().string());
  if (!name.empty() && name != "job" && name != kLatestJob) return name;
  name.clear();
  if (spec.function) name = Reduce(spec.function->module + "-" + spec.function->callable);
  if (spec.run) name = Reduce(NameOfCommand(WordsOf(*spec.run)));
  return name.empty() || name == kLatestJob ? "job" : name;
}

}  // namespace kinetic::jobspec
