#include "env/dependencies/requirement_lines.h"

#include "kinetic/try.h"

#include "base/python/names.h"
#include "base/strings.h"
#include "env/dependencies/direct_reference.h"
#include "env/dependencies/index_settings.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::size_t kMaxIncludes = 200;

struct Line {
  std::string text;
  int number = 0;  ///< of its first line in the file
};

/// Joins continued lines, and removes comments and blank lines.
std::vector<Line> LogicalLines(std::string_view text) {
  std::vector<Line> lines;
  Line current;
  int number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (const auto comment = line.find('#'); comment == 0) {
      line = {};
    } else if (const auto end = std::min(line.find(" #"), line.find("\t#"));
               end != std::string_view::npos) {
      line = line.substr(0, end);
    }
    line = Trim(line);
    const bool is_continued = line.ends_with('\\');
    if (is_continued) line = Trim(line.substr(0, line.size() - 1));
    if (current.text.empty()) current.number = number;
    if (!current.text.empty() && !line.empty()) current.text += ' ';
    current.text += line;
    if (is_continued) continue;
    if (!current.text.empty()) lines.push_back(std::move(current));
    current = {};
  }
  if (!current.text.empty()) lines.push_back(std::move(current));
  return lines;
}

struct Option {
  std::string_view name;
  std::string_view brief;
};

constexpr Option kInclude{"--requirement", "-r"};
constexpr Option kConstrain{"--constraint", "-c"};
constexpr Option kEditable{"--editable", "-e"};
constexpr Option kIndexUrl{"--index-url", "-i"};
constexpr Option kExtraIndexUrl{"--extra-index-url", ""};
constexpr Option kFindLinks{"--find-links", "-f"};
constexpr Option kTrustedHost{"--trusted-host", ""};

/// Returns the value if a line is this option.
std::optional<std::string> ValueOf(std::string_view line, const Option& option) {
  std::string_view rest = line;
  if (line.starts_with(option.name)) {
    rest.remove_prefix(option.name.size());
    if (!rest.empty() && rest[0] != '=' && rest[0] != ' ' && rest[0] != '\t') return std::nullopt;
  } else if (!option.brief.empty() && line.starts_with(option.brief)) {
    rest.remove_prefix(option.brief.size());
  } else {
    return std::nullopt;
  }
  rest = Trim(rest);
  if (rest.starts_with('=')) rest = Trim(rest.substr(1));
  const bool is_quoted = rest.size() >= 2 && (rest[0] == '"' || rest[0] == '\'');
  return std::string(is_quoted ? rest.substr(1, rest.size() - 2) : rest);
}

class RequirementsReader {
 public:
  explicit RequirementsReader(ManifestBuild& build) : build_(build), manifest_(build.manifest) {}

  Status Read(const Path& path, bool is_constraints) {
    const Path file = path.lexically_normal();
    if (!done_.insert({file.native(), is_constraints}).second) return {};
    if (done_.size() > kMaxIncludes) {
      return Fail(ErrorCode::kInvalidArgument, "more than " + std::to_string(kMaxIncludes) +
                                                   " requirements files include each other");
    }
    KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadDependencyText(build_, file));
    for (const Line& line : LogicalLines(text)) {
      if (auto added = Add(line.text, file, is_constraints); !added) {
        return Failure(std::move(added).error().Context(Printable(file.filename().native()) + ":" +
                                                        std::to_string(line.number)));
      }
    }
    return {};
  }

 private:
  Status Add(const std::string& line, const Path& file, bool is_constraints) {
    for (const Option& option : {kInclude, kConstrain}) {
      const auto name = ValueOf(line, option);
      if (!name) continue;
      if (name->find("://") != std::string::npos) {
        return Fail(ErrorCode::kInvalidArgument,
                    "requirements files at URLs are not supported: their content can change",
                    "copy the file into the project");
      }
      return Read(file.parent_path() / *name, is_constraints || option.name == kConstrain.name);
    }
    for (const Option& option : {kIndexUrl, kExtraIndexUrl, kFindLinks}) {
      if (const auto url = ValueOf(line, option)) return AddIndex(line, option, *url, file);
    }
    KINETIC_ASSIGN_OR_RETURN(std::string redacted, build_.urls.Line(line, false));
    if (const auto host = ValueOf(line, kTrustedHost)) {
      manifest_.index.trusted_hosts.push_back(ToLower(*host));
    } else if (const auto folder = ValueOf(line, kEditable)) {
      KINETIC_RETURN_IF_ERROR(AddDirectReference(build_, *folder));
    } else if (!line.starts_with('-')) {
      KINETIC_RETURN_IF_ERROR(AddHashes(line));
      KINETIC_RETURN_IF_ERROR(AddDirectReference(build_, line));
    } else {
      manifest_.require_hashes = manifest_.require_hashes || line.starts_with("--require-hashes");
      manifest_.index.no_index = manifest_.index.no_index || line.starts_with("--no-index");
      manifest_.settings.push_back(std::move(redacted));
      return {};
    }
    (is_constraints ? manifest_.constraints : manifest_.requirements)
        .push_back(std::move(redacted));
    return {};
  }

  Status AddIndex(const std::string& line, const Option& option, const std::string& value,
                  const Path& file) {
    KINETIC_ASSIGN_OR_RETURN(std::string redacted, build_.urls.Line(line, true));
    manifest_.settings.push_back(std::move(redacted));
    KINETIC_ASSIGN_OR_RETURN(std::string url, build_.urls.Index(value));
    if (url.find("://") == std::string::npos) {  // a folder
      const Path folder = (file.parent_path() / value).lexically_normal();
      if (option.name == kFindLinks.name) KINETIC_RETURN_IF_ERROR(CheckLinks(folder, value, file));
      manifest_.private_urls[url] = folder;
    }
    if (option.name == kIndexUrl.name) {
      manifest_.index.url = std::move(url);
    } else {
      AddUrl(
          option.name == kFindLinks.name ? manifest_.index.find_links : manifest_.index.extra_urls,
          url);
    }
    return {};
  }

  static Status CheckLinks(const Path& links, const std::string& value, const Path& file) {
    const bool is_plain = !value.starts_with("file:") && value.find("${") == std::string::npos;
    std::error_code failed;
    if (!is_plain || std::filesystem::exists(links, failed) || failed) return {};
    const std::string name = Printable(file.filename().native());
    return Fail(ErrorCode::kNotFound,
                name + ": --find-links: " + Printable(value) + " does not exist",
                "the path is relative to the folder of " + name);
  }

  Status AddHashes(std::string_view line) {
    const std::string name = NameOfRequirement(line);
    for (auto at = line.find("sha256"); at != std::string_view::npos;
         at = line.find("sha256", at)) {
      const bool is_option =
          line.substr(0, at).ends_with("--hash=") || line.substr(0, at).ends_with("--hash ");
      const bool is_fragment = at > 0 && (line[at - 1] == '#' || line[at - 1] == '&');
      at += std::string_view("sha256:").size();
      if (!is_option && !is_fragment) continue;
      if (at >= line.size()) break;
      const std::string_view hex = line.substr(at, line.find_first_of(" &", at) - at);
      manifest_.hashes[name].push_back("sha256:" + ToLower(hex));
    }
    if (line.find("--hash") == std::string_view::npos || manifest_.hashes.contains(name)) return {};
    return Fail(ErrorCode::kInvalidArgument,
                Printable(name) + " has no SHA-256 hash, which kinetic requires",
                "add one with 'uv pip compile --generate-hashes'");
  }

  ManifestBuild& build_;
  Manifest& manifest_;
  std::set<std::pair<std::string, bool>> done_;
};

}  // namespace

Status AddRequirements(ManifestBuild& build, const Path& path) {
  KINETIC_RETURN_IF_ERROR(RequirementsReader(build).Read(path, false));
  const auto has_hash = [&](const std::string& line) {
    return line.find("--hash") != std::string::npos;
  };
  const auto& lines = build.manifest.requirements;
  build.manifest.is_lock = !lines.empty() && std::ranges::all_of(lines, has_hash);
  return {};
}

}  // namespace kinetic::env
