#include "oci/format/reference.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::oci {
namespace {

constexpr std::size_t kMaxTagBytes = 128;
constexpr std::size_t kMaxNameBytes = 255;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

/// Lowercase letters and digits, separated by '.', '_', '__' or any number of '-'.
bool IsComponent(std::string_view text) {
  const auto is_word = [](char c) { return IsLower(c) || IsDigit(c); };
  if (text.empty() || !is_word(text.front()) || !is_word(text.back())) return false;
  for (std::size_t i = 0; i < text.size();) {
    if (is_word(text[i])) {
      ++i;
      continue;
    }
    const auto end = static_cast<std::size_t>(
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_word) -
        text.begin());
    const std::string_view between = text.substr(i, end - i);
    const bool dashes = between.find_first_not_of('-') == std::string_view::npos;
    if (!dashes && between != "." && between != "_" && between != "__") return false;
    i = end;
  }
  return true;
}

bool IsRegistry(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return IsLower(c) || IsUpper(c) || IsDigit(c) ||
           std::string_view(".-:[]").find(c) != std::string_view::npos;
  });
}

bool IsTag(std::string_view text) {
  return !text.empty() && text.size() <= kMaxTagBytes && text.front() != '.' &&
         text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
           return IsLower(c) || IsUpper(c) || IsDigit(c) || c == '_' || c == '.' || c == '-';
         });
}

Failure InvalidName(std::string_view text, std::string_view problem) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("image name '{}': {}", Printable(text), problem),
              "use a name such as kinetic-runner or "
              "europe-docker.pkg.dev/project/folder/kinetic-runner:1.0");
}

}  // namespace

std::string Reference::Text() const {
  return fmt::format("{}/{}{}{}", registry, repository, tag.empty() ? "" : ":", tag);
}

Result<Reference> ParseReference(std::string_view text) {
  Reference reference{.registry = "docker.io"};
  std::string_view rest = text;
  if (rest.find('@') != std::string_view::npos)
    return InvalidName(text, "a digest is not allowed here");
  const auto slash = rest.find('/');
  const std::string_view first = rest.substr(0, slash);
  if (slash != std::string_view::npos &&
      (first.find_first_of(".:") != std::string_view::npos || first == "localhost")) {
    if (!IsRegistry(first)) return InvalidName(text, "not a registry name");
    reference.registry = first;
    rest.remove_prefix(slash + 1);
  }
  if (const auto colon = rest.rfind(':'); colon != std::string_view::npos) {
    if (!IsTag(rest.substr(colon + 1))) return InvalidName(text, "invalid tag");
    reference.tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  for (const std::string_view component : Split(rest, '/'))
    if (!IsComponent(component))
      return InvalidName(text, "lowercase letters, digits and single '.', '_' or '-' between them");
  const bool official =
      reference.registry == "docker.io" && rest.find('/') == std::string_view::npos;
  reference.repository = (official ? "library/" : "") + std::string(rest);
  if (reference.registry.size() + 1 + reference.repository.size() > kMaxNameBytes)
    return InvalidName(text, "longer than 255 characters");
  return reference;
}

std::optional<Digest> ParseDigest(std::string_view text) {
  constexpr std::string_view kAlgorithm = "sha256:";
  if (!text.starts_with(kAlgorithm)) return std::nullopt;
  return Digest::FromHex(text.substr(kAlgorithm.size()));
}

}  // namespace kinetic::oci
