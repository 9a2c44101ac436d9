#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/requirements.h"
#include "env/pep/requirement.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::env {
namespace {

using Kind = FileOption::Kind;

struct KnownOption {
  std::string_view name;
  std::string_view brief;
  Kind kind;
  bool takes_value;
};

constexpr std::array<KnownOption, 12> kKnown{{{"--requirement", "-r", Kind::kInclude, true},
                                              {"--constraint", "-c", Kind::kConstrain, true},
                                              {"--require-hashes", "", Kind::kRequireHashes, false},
                                              {"--index-url", "-i", Kind::kIndexUrl, true},
                                              {"--extra-index-url", "", Kind::kExtraIndexUrl, true},
                                              {"--find-links", "-f", Kind::kFindLinks, true},
                                              {"--trusted-host", "", Kind::kTrustedHost, true},
                                              {"--no-binary", "", Kind::kNoBinary, true},
                                              {"--only-binary", "", Kind::kOnlyBinary, true},
                                              {"--no-index", "", Kind::kNoIndex, false},
                                              {"--prefer-binary", "", Kind::kPreferBinary, false},
                                              {"--pre", "", Kind::kPre, false}}};

std::string_view Unquoted(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.front() == value.back()) {
    return value.substr(1, value.size() - 2);
  }
  return value;
}

bool IsEditable(std::string_view name, std::string_view line) {
  return name == "--editable" || (line.starts_with("-e") && !line.starts_with("--"));
}

Failure Unknown(std::string_view name) {
  std::vector<std::string> names;
  names.reserve(kKnown.size());
  for (const auto& known : kKnown) names.emplace_back(known.name);
  const auto nearest = Nearest(name, names);
  return Fail(ErrorCode::kInvalidArgument, "the option " + Printable(name) + " is not supported" +
                                               (nearest ? "; did you mean " + *nearest : ""));
}

/// Adds the package names of --no-binary, sorted and unique; ":none:" clears the list.
void AddPackages(std::string_view value, std::vector<std::string>& packages) {
  for (const auto piece : Split(value, ',')) {
    const std::string_view name = Trim(piece);
    if (name == ":none:") {
      packages.clear();
    } else if (!name.empty()) {
      packages.push_back(name == ":all:" ? std::string(name) : NormalizedName(name));
    }
  }
  std::sort(packages.begin(), packages.end());
  packages.erase(std::unique(packages.begin(), packages.end()), packages.end());
}

Status AddRedactedUrl(std::string_view value, UrlReader& urls, std::vector<std::string>& list) {
  KINETIC_ASSIGN_OR_RETURN(std::string redacted, urls.Index(value));
  if (std::find(list.begin(), list.end(), redacted) == list.end())
    list.push_back(std::move(redacted));
  return {};
}

}  // namespace

Result<FileOption> ReadFileOption(std::string_view line) {
  const std::string_view name = line.substr(0, line.find_first_of(" \t="));
  if (IsEditable(name, line)) {
    return Fail(ErrorCode::kInvalidArgument,
                "editable requirements are not supported: their files are only on this machine",
                "include your own code in the bundle, in src/ or the bundle's root");
  }
  for (const auto& known : kKnown) {
    const bool brief =
        !known.brief.empty() && line.starts_with(known.brief) && !line.starts_with("--");
    if (name != known.name && !brief) continue;
    std::string_view value = line.substr(brief ? known.brief.size() : name.size());
    value = Trim(value);
    if (value.starts_with('=')) value = Trim(value.substr(1));
    value = Unquoted(value);
    if (known.takes_value == value.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the option " + std::string(known.name) +
                      (value.empty() ? " needs a value" : " takes no value"));
    }
    return FileOption{known.kind, std::string(value)};
  }
  return Unknown(name);
}

Status ApplyIndexOption(const FileOption& option, UrlReader& urls, IndexSettings& index) {
  switch (option.kind) {
    case Kind::kIndexUrl: {
      KINETIC_ASSIGN_OR_RETURN(index.url, urls.Index(option.value));
      return {};
    }
    case Kind::kExtraIndexUrl:
      return AddRedactedUrl(option.value, urls, index.extra_urls);
    case Kind::kFindLinks:
      if (!LooksLikeUrl(option.value) && !option.value.starts_with("${")) {
        return Fail(ErrorCode::kInvalidArgument,
                    "--find-links with a folder is not supported: the folder is only on this "
                    "machine",
                    "serve it over https, or use a package index");
      }
      return AddRedactedUrl(option.value, urls, index.find_links);
    case Kind::kTrustedHost:
      index.trusted_hosts.push_back(ToLower(option.value));
      return {};
    case Kind::kNoBinary:
      AddPackages(option.value, index.no_binary);
      return {};
    case Kind::kOnlyBinary:
      AddPackages(option.value, index.only_binary);
      return {};
    case Kind::kNoIndex:
      index.no_index = true;
      return {};
    case Kind::kPreferBinary:
      return {};  // uv has no such option
    case Kind::kPre:
      index.pre = true;
      return {};
    default:
      return Fail(ErrorCode::kInternal, "not an index option");
  }
}

Result<RequirementParts> SplitRequirement(std::string_view line) {
  RequirementParts parts;
  std::size_t at = line.find(" --");
  parts.requirement = Trim(line.substr(0, at));
  while (at != std::string_view::npos && at < line.size()) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const auto fail = [&](std::string message) {
      return Failure(Error{ErrorCode::kInvalidArgument, std::move(message), "", {}}.With(
          "offset", std::to_string(at)));
    };
    std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    std::string_view word = line.substr(at, end - at);
    if (word == "--hash") {
      const auto value = line.find_first_not_of(" \t", end);
      if (value == std::string_view::npos) return fail("the option --hash needs a value");
      end = std::min(line.find_first_of(" \t", value), line.size());
      word = line.substr(value, end - value);
    } else if (word.starts_with("--hash=")) {
      word.remove_prefix(7);
    } else {
      return fail("the option " + Printable(word.substr(0, word.find('='))) +
                  " is not supported after a requirement");
    }
    auto hash = ParseHash(Unquoted(word));
    if (!hash) return fail(std::move(hash).error().message);
    parts.hashes.push_back(*std::move(hash));
    at = end;
  }
  return parts;
}

}  // namespace kinetic::env
