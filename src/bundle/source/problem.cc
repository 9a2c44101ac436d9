#include "bundle/source/folder_reader.h"

#include <algorithm>

namespace kinetic::bundle {
namespace {

constexpr std::size_t kMaxListed = 10;

std::string DataHintFor(Problem::Kind kind, bool follow_links) {
  switch (kind) {
    case Problem::Kind::kUnreadable:
      return "make it readable, or move it out of the folder";
    case Problem::Kind::kEscapingLink:
      return follow_links ? "remove the link, or restore its target"
                          : "set 'follow_links: true' for the data ('data put --follow-links') to "
                            "copy the targets of its links, or remove the link";
    case Problem::Kind::kTooLong:
      return "move it out of the folder, or remove the link that leads back to a parent folder";
  }
  return {};
}

std::string HintFor(Problem::Kind kind, const WalkOptions& options) {
  if (options.is_data) return DataHintFor(kind, options.follow_links);
  switch (kind) {
    case Problem::Kind::kUnreadable:
      return "make it readable, or exclude it with `exclude` or a .kineticignore";
    case Problem::Kind::kEscapingLink:
    case Problem::Kind::kTooLong:
      return "exclude it with `exclude` or a .kineticignore";
  }
  return {};
}

}  // namespace

Error ToError(std::vector<Problem> problems, std::string_view root, const WalkOptions& options) {
  std::ranges::sort(problems, {}, &Problem::text);
  const bool only_unreadable = std::ranges::all_of(
      problems, [](const Problem& each) { return each.kind == Problem::Kind::kUnreadable; });
  Error error{.code = only_unreadable ? ErrorCode::kPermissionDenied : ErrorCode::kInvalidArgument,
              .message = problems.front().text,
              .hint = HintFor(problems.front().kind, options),
              .details = {{"problems", std::to_string(problems.size())}}};
  if (problems.size() == 1) return error;
  error.message = std::to_string(problems.size()) + " entries of " + std::string(root) +
                  (options.is_data ? " cannot be stored:" : " cannot be bundled:");
  for (std::size_t i = 0; i < std::min(problems.size(), kMaxListed); ++i) {
    error.message += "\n  " + problems[i].text;
  }
  if (problems.size() > kMaxListed) {
    error.message += "\n  and " + std::to_string(problems.size() - kMaxListed) + " more";
  }
  return error;
}

}  // namespace kinetic::bundle
