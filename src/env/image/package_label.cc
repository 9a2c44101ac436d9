#include "base/strings.h"
#include "env/image/stored_image.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kVersionMark = "==";
constexpr char kUrlMark = '@';
constexpr std::string_view kPlainSigns = "-._~:/?#[]@!&'()*+,;=%";

/// Returns whether `c` needs no escape in a shell or a Dockerfile.
bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || kPlainSigns.find(c) != std::string_view::npos;
}

std::string Escaped(std::string_view url) {
  std::string text;
  for (const char c : url) {
    text += IsPlain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

std::optional<LockedPackage> ParsePackage(std::string_view word) {
  LockedPackage package;
  const std::size_t url = word.find(kUrlMark);
  const std::size_t version = word.find(kVersionMark);
  if (version != std::string_view::npos && version < url) {
    package.name = word.substr(0, version);
    package.version = word.substr(version + kVersionMark.size());
  } else if (url != std::string_view::npos) {
    package.name = word.substr(0, url);
    package.url = word.substr(url + 1);
  }
  if (package.name.empty()) return std::nullopt;
  return package;
}

}  // namespace

std::string PackageLabel(const std::vector<LockedPackage>& packages) {
  std::vector<std::string> words;
  words.reserve(packages.size());
  for (const auto& package : packages) {
    const std::string mark =
        package.url.empty() ? std::string(kVersionMark) : std::string(1, kUrlMark);
    words.push_back(package.name + mark +
                    Escaped(package.url.empty() ? package.version : package.url));
  }
  return Join(words, " ");
}

std::optional<std::vector<LockedPackage>> ParsePackageLabel(std::string_view label) {
  std::vector<LockedPackage> packages;
  for (const auto word : Split(label, ' ')) {
    if (word.empty()) continue;
    auto package = ParsePackage(word);
    if (!package) return std::nullopt;
    packages.push_back(*std::move(package));
  }
  return packages;
}

}  // namespace kinetic::env
