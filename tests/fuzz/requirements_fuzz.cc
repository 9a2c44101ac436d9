#include "env/dependencies/pylock.h"
#include "env/dependencies/script_metadata.h"
#include "env/dependencies/urls.h"
#include "env/python/version.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace kinetic;

/// Checks that a line with redacted URLs, or its error, contains no value of a variable.
void CheckLine(const std::string& text) {
  const env::UrlVariables variables{{{"SECRET", "pssst"}}, {"SECRET"}};
  env::PrivateUrls private_urls;
  for (const bool is_index : {false, true}) {
    const auto line = env::UrlReader(variables, private_urls).Line(text, is_index);
    const std::string& shown = line ? *line : line.error().message;
    if (text.find("pssst") == std::string::npos && shown.find("pssst") != std::string::npos &&
        text.find("${SECRET}") == std::string::npos) {
      std::abort();
    }
    if (!line && shown.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  CheckLine(text);
  (void)env::ExtractScriptMetadata(text);
  (void)env::AllowsPython(text, "3.12");
  (void)env::ReadPylock(text);
  return 0;
}
