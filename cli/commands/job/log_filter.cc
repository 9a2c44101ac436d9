#include "commands/job/log_filter.h"

#include "output/text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kinetic::cli {

void Pattern::Free::operator()(regex_t* compiled) const {
  ::regfree(compiled);
  delete compiled;
}

Result<Pattern> Pattern::Parse(const std::string& text) {
  auto compiled = std::make_unique<regex_t>();
  const int error = ::regcomp(compiled.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error == 0) return Pattern(std::unique_ptr<regex_t, Free>(compiled.release()));
  std::array<char, 256> cause{};
  ::regerror(error, compiled.get(), cause.data(), cause.size());
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("--grep: invalid regular expression '{}': {}", SafeLine(text), cause.data()),
      "put a backslash before special characters, such as \\[ or \\(");
}

bool Pattern::IsIn(std::string_view line) const {
  if (line.ends_with('\n')) line.remove_suffix(1);
  regmatch_t range{.rm_so = 0, .rm_eo = static_cast<regoff_t>(line.size())};
  const char* const begin = line.data();  // the range gives the size
  return ::regexec(compiled_.get(), begin, 1, &range, REG_STARTEND) == 0;
}

bool LogFilter::Matches(const LogRecord& record) const {
  // As printed by --timestamps.
  const auto time = std::chrono::floor<std::chrono::milliseconds>(record.time);
  if (since && time < *since) return false;
  if (until && time > *until) return false;
  return !pattern || pattern->IsIn(record.text);
}

}  // namespace kinetic::cli
