#include "env/dependencies/dependency_files.h"
#include "env/dependencies/pyproject.h"
#include "env/pep/requirement.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace kinetic;

/// Checks that a requirements file is rejected with a reason, or that its lines read back equal and
/// contain no value of a variable.
void CheckRequirements(const std::string& text) {
  const env::ReadFileFunction source = [&](const Path& path) -> Result<std::string> {
    if (path.native() != "/p/requirements.txt") return Fail(ErrorCode::kNotFound, "no such file");
    return text;
  };
  const auto file = env::ReadRequirements("/p/requirements.txt", source, {{"SECRET", "pssst"}});
  if (!file) {
    if (file.error().message.empty()) std::abort();
    if (text.find("pssst") == std::string::npos &&
        file.error().message.find("pssst") != std::string::npos) {
      std::abort();
    }
    return;
  }
  for (const auto& one : file->requirements) {
    std::string line = one.ToString();
    if (text.find("pssst") == std::string::npos && one.url.find("pssst") != std::string::npos &&
        text.find("${SECRET}") == std::string::npos) {
      std::abort();
    }
    line = line.substr(0, line.find(" --hash="));
    const auto again = env::Requirement::Parse(line);
    if (!again) std::abort();
    std::string printed = again->ToString();
    if (printed.substr(0, printed.find(" --hash=")) != line) std::abort();
  }
}

void CheckMarker(std::string_view text) {
  const auto marker = env::Marker::Parse(text);
  if (!marker) return;
  const auto environment = env::MarkerEnvironment::For("3.12", "linux-x86_64");
  const auto again = env::Marker::Parse(marker->ToString());
  if (!again || again->ToString() != marker->ToString()) std::abort();
  if (again->Evaluate(environment) != marker->Evaluate(environment)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckRequirements(text);
  CheckMarker(text);
  (void)env::ExtractScriptMetadata(text);
  env::UvSelection selection;
  selection.python = "3.12";
  selection.platform = "linux-x86_64";
  (void)env::ReadUvLock(text, selection);
  return 0;
}
