#include "output/table.h"
#include "output/text.h"

namespace kinetic::cli {
namespace {

std::string_view Code(Role role) {
  switch (role) {
    case Role::kPlain:
      return {};
    case Role::kStrong:
      return "\x1b[1m";
    case Role::kDim:
      return "\x1b[2m";
    case Role::kGood:
      return "\x1b[32m";
    case Role::kBad:
      return "\x1b[1;31m";
    case Role::kWarning:
      return "\x1b[33m";
    case Role::kHint:
      return "\x1b[36m";
  }
  return {};
}

}  // namespace

std::string Style::Paint(Role role, std::string_view text) const {
  const std::string_view code = Code(role);
  if (!color || code.empty()) return std::string(text);
  return std::string(code).append(text).append("\x1b[0m");
}

StyledLine& StyledLine::Add(std::string text, Role role) {
  pieces_.emplace_back(std::move(text), role);
  return *this;
}

std::string StyledLine::Render(const Style& style) const {
  std::string line;
  for (const auto& [text, role] : pieces_) line += style.Paint(role, SafeLine(text));
  return line;
}

}  // namespace kinetic::cli
