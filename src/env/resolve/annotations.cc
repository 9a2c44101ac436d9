#include "env/resolve/annotations.h"

#include "base/python/names.h"
#include "base/strings.h"
#include "env/dependencies/urls.h"

namespace kinetic::env {
namespace {

constexpr std::string_view kVia = "via";
constexpr std::string_view kFrom = "from ";

}  // namespace

std::map<std::string, Annotation> ReadAnnotations(std::string_view text) {
  std::map<std::string, Annotation> all;
  Annotation* package = nullptr;
  for (const auto line : Split(text, '\n')) {
    if (line.empty() || line.starts_with('#') || line.starts_with('-')) continue;
    if (!line.starts_with(' ')) {
      package = &all[NameOfRequirement(line)];
      continue;
    }
    std::string_view comment = Trim(line);
    if (package == nullptr || !comment.starts_with('#')) continue;
    comment = Trim(comment.substr(1));
    if (comment.starts_with(kFrom)) {
      package->index = RedactUrl(comment.substr(kFrom.size()));
      continue;
    }
    // "via name", or "via" and one name in each of the next lines.
    if (comment == kVia) continue;
    if (comment.starts_with(std::string(kVia) + " ")) comment = Trim(comment.substr(kVia.size()));
    package->via.emplace_back(comment);
  }
  return all;
}

}  // namespace kinetic::env
