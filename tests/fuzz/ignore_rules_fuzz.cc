#include "bundle/ignore/rules.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kinetic::bundle {
namespace {

/// Checks that the last matching rule decides, by applying the lines one by one.
void Check(std::string_view text, std::string_view path, bool is_folder) {
  const RuleMatch whole = IgnoreRules::Parse(text).Match(path, is_folder);
  RuleMatch last = RuleMatch::kNone;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    // A byte order mark is special only at the start of the file.
    if (!is_first) line.insert(0, 1, '\n');
    is_first = false;
    const RuleMatch match = IgnoreRules::Parse(line).Match(path, is_folder);
    if (match != RuleMatch::kNone) last = match;
  }
  if (whole != last) std::abort();
}

}  // namespace
}  // namespace kinetic::bundle

/// The input is a path up to the first NUL, then an ignore file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find('\0');
  if (cut == std::string_view::npos) return 0;
  const std::string_view path = input.substr(0, cut);
  kinetic::bundle::Check(input.substr(cut + 1), path, false);
  kinetic::bundle::Check(input.substr(cut + 1), path, true);
  return 0;
}
