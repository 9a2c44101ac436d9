#include "env/pep/requirement.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::env {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

class RequirementParser {
 public:
  explicit RequirementParser(std::string_view text) : text_(text) {}

  Result<Requirement> Whole() {
    KINETIC_ASSIGN_OR_RETURN(std::string name, Name("the name of a package"));
    requirement_.name = std::move(name);
    KINETIC_RETURN_IF_ERROR(Extras());
    KINETIC_RETURN_IF_ERROR(Consume('@') ? Url() : Versions());
    if (Consume(';')) KINETIC_RETURN_IF_ERROR(ReadMarker());
    SkipSpace();
    if (at_ < text_.size()) return Problem("expected ';' or the end");
    return std::move(requirement_);
  }

 private:
  Failure Problem(const std::string& message) const {
    std::string found = at_ >= text_.size() ? ", found the end"
                                            : ", found '" + Printable(text_.substr(at_, 20)) + "'";
    return At(at_, message + found);
  }

  static Failure At(std::size_t offset, std::string message) {
    return Failure(Error{ErrorCode::kInvalidArgument, std::move(message), "", {}}.With(
        "offset", std::to_string(offset)));
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool Consume(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<std::string> Name(const std::string& expected) {
    SkipSpace();
    std::size_t end = at_;
    while (end < text_.size() && IsNameCharacter(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (!IsPackageName(name)) return Problem("expected " + expected);
    at_ = end;
    return NormalizedName(name);
  }

  Status Extras() {
    if (!Consume('[') || Consume(']')) return {};
    auto& extras = requirement_.extras;
    do {
      KINETIC_ASSIGN_OR_RETURN(std::string extra, Name("the name of an extra"));
      extras.push_back(std::move(extra));
    } while (Consume(','));
    if (!Consume(']')) return Problem("expected ',' or ']'");
    std::sort(extras.begin(), extras.end());
    extras.erase(std::unique(extras.begin(), extras.end()), extras.end());
    return {};
  }

  Status Url() {
    SkipSpace();
    const std::size_t end = std::min(text_.find_first_of(" \t", at_), text_.size());
    std::string_view url = text_.substr(at_, end - at_);
    if (url.empty()) return Problem("expected a URL");
    const std::size_t start = std::exchange(at_, end);
    const auto hash = url.find('#');
    requirement_.url = url.substr(0, hash);
    if (hash == std::string_view::npos) return {};
    std::string fragment;
    for (const auto part : Split(url.substr(hash + 1), '&')) {
      if (part.starts_with("subdirectory=")) {
        fragment = part;
      } else if (part.starts_with("sha")) {
        auto read = ParseHash(part);
        if (!read) return At(start + hash + 1, std::move(read).error().message);
        requirement_.hashes.push_back(*std::move(read));
      }
    }
    if (!fragment.empty()) requirement_.url += "#" + fragment;
    return {};
  }

  Status Versions() {
    const bool bracketed = Consume('(');
    SkipSpace();
    const std::size_t end =
        std::min(text_.find_first_of(bracketed ? ");" : ";", at_), text_.size());
    std::string_view clauses = text_.substr(at_, end - at_);
    if (!Trim(clauses).empty()) {
      auto parsed = SpecifierSet::Parse(clauses);
      if (!parsed) return At(at_, std::move(parsed).error().message);
      requirement_.specifier = *std::move(parsed);
    }
    at_ = end;
    if (bracketed && !Consume(')')) return Problem("expected ')'");
    return {};
  }

  Status ReadMarker() {
    SkipSpace();
    auto marker = Marker::Parse(text_.substr(at_));
    if (!marker) {
      std::size_t offset = at_;
      for (const auto& [key, value] : marker.error().details) {
        if (key == "offset") offset += static_cast<std::size_t>(ParseInt(value).value_or(0));
      }
      return At(offset, std::move(marker).error().message);
    }
    requirement_.marker = *std::move(marker);
    at_ = text_.size();
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Requirement requirement_;
};

}  // namespace

Result<std::string> ParseHash(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::size_t>, 3> kStrong{
      {{"sha256", 64}, {"sha384", 96}, {"sha512", 128}}};
  const auto separator = text.find_first_of(":=");
  const std::string algorithm = ToLower(text.substr(0, separator));
  for (const auto& [name, length] : kStrong) {
    if (algorithm != name || separator == std::string_view::npos) continue;
    const std::string hex = ToLower(text.substr(separator + 1));
    if (hex.size() != length || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
      return Fail(ErrorCode::kInvalidArgument, "'" + Printable(text) + "' is not a " + algorithm +
                                                   " of " + std::to_string(length) + " hex digits");
    }
    return algorithm + ":" + hex;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "expected a hash such as sha256:…, found '" + Printable(text.substr(0, 20)) + "'");
}

Result<Requirement> Requirement::Parse(std::string_view text) {
  return RequirementParser(text).Whole();
}

std::string Requirement::ToString() const {
  std::string text = name;
  if (!extras.empty()) text += "[" + Join(extras, ",") + "]";
  if (!url.empty()) {
    text += " @ " + url;
  } else {
    text += specifier.ToString();
  }
  if (marker) text += (url.empty() ? "; " : " ; ") + marker->ToString();
  for (const auto& hash : hashes) text += " --hash=" + hash;
  return text;
}

}  // namespace kinetic::env
