#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/dependency_files.h"
#include "env/dependencies/requirements.h"
#include "env/dependencies/urls.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::size_t kMaxErrors = 20;
constexpr std::size_t kMaxIncludes = 200;

std::string FileName(const Path& path) { return Printable(path.filename().native()); }

/// Returns the offset of an error in its line, default 0.
std::size_t OffsetOf(const Error& error) {
  for (const auto& [key, value] : error.details) {
    if (key == "offset") return static_cast<std::size_t>(ParseInt(value).value_or(0));
  }
  return 0;
}

bool LooksLikePath(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t;[@"));
  if (word.starts_with(".") || word.starts_with("/") || word.starts_with("~")) return true;
  return word.find('/') != std::string_view::npos || word.find('\\') != std::string_view::npos ||
         word.ends_with(".whl") || word.ends_with(".tar.gz") || word.ends_with(".zip");
}

/// Returns `name` of https://host/path/name-1.0-py3-none-any.whl.
std::string NameOfWheel(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::string_view file = url.substr(url.rfind('/') + 1);
  if (!file.ends_with(".whl")) return {};
  return std::string(file.substr(0, file.find('-')));
}

/// Reads a file and its includes into one result.
class FileReader {
 public:
  FileReader(const ReadFileFunction& source, const std::map<std::string, std::string>& environment)
      : source_(source), urls_(environment, result_.private_urls) {}

  Result<RequirementsFile> Read(const Path& path) {
    KINETIC_RETURN_IF_ERROR(Include(path, false));
    CheckHashes();
    if (!errors_.empty()) {
      return Fail(ErrorCode::kInvalidArgument, Join(errors_, "\n"), std::move(hint_));
    }
    return std::move(result_);
  }

 private:
  struct Position {
    std::string file;
    std::string position;
  };

  Status Include(const Path& path, bool constraints) {
    const Path normal = path.lexically_normal();
    if (!done_.insert({normal.native(), constraints}).second) return {};
    if (done_.size() > kMaxIncludes) {
      return Fail(ErrorCode::kInvalidArgument, "more than " + std::to_string(kMaxIncludes) +
                                                   " requirements files include each other");
    }
    KINETIC_ASSIGN_OR_RETURN(const std::string text, source_(normal));
    stack_.push_back(normal);
    for (const LogicalLine& line : SplitLogicalLines(text)) {
      if (auto read = ReadLine(line, constraints); !read) {
        Report(line, read.error());
      }
    }
    stack_.pop_back();
    return {};
  }

  void Report(const LogicalLine& line, const Error& error) {
    if (hint_.empty()) hint_ = error.hint;
    if (errors_.size() >= kMaxErrors) return;
    errors_.push_back(FileName(stack_.back()) + ":" + line.Position(OffsetOf(error)) + ": " +
                      WithoutCredentials(error.message));
  }

  Status ReadLine(const LogicalLine& line, bool constraints) {
    const std::string_view text = line.text;
    if (text.starts_with('-')) {
      KINETIC_ASSIGN_OR_RETURN(const FileOption option, ReadFileOption(text));
      return Apply(option, constraints);
    }
    KINETIC_ASSIGN_OR_RETURN(Requirement requirement, ReadRequirement(text));
    if (constraints && !requirement.extras.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "a constraint cannot have extras");
    }
    if (constraints) {
      result_.constraints.push_back(std::move(requirement));
    } else {
      required_.push_back(Position{FileName(stack_.back()), line.Position(0)});
      result_.requirements.push_back(std::move(requirement));
    }
    return {};
  }

  Result<Requirement> ReadRequirement(std::string_view text) {
    KINETIC_ASSIGN_OR_RETURN(RequirementParts parts, SplitRequirement(text));
    std::string owned;
    if (LooksLikeUrl(parts.requirement) || parts.requirement.starts_with("${")) {
      // Report unsupported kinds rather than a missing name.
      KINETIC_RETURN_IF_ERROR(
          urls_.Archive(parts.requirement.substr(0, parts.requirement.find_first_of(" \t"))));
      const std::string name = NameOfWheel(parts.requirement);
      if (name.empty()) {
        return Fail(ErrorCode::kInvalidArgument,
                    "a URL that is not a wheel requires a package name", "write it as name @ URL");
      }
      owned = name + " @ " + std::string(parts.requirement);
      parts.requirement = owned;
    } else if (LooksLikePath(parts.requirement)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "local requirements are not supported: '" + Printable(parts.requirement) +
                      "' does not exist where the environment is built",
                  "include your own code in the bundle, and specify packages by version or URL");
    }
    KINETIC_ASSIGN_OR_RETURN(Requirement requirement, Requirement::Parse(parts.requirement));
    if (!requirement.url.empty()) {
      KINETIC_ASSIGN_OR_RETURN(requirement.url, urls_.Archive(requirement.url));
    }
    hash_options_ = hash_options_ || !parts.hashes.empty();
    auto& hashes = requirement.hashes;
    hashes.insert(hashes.end(), parts.hashes.begin(), parts.hashes.end());
    std::sort(hashes.begin(), hashes.end());
    hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
    return requirement;
  }

  Status Apply(const FileOption& option, bool constraints) {
    if (option.kind == FileOption::Kind::kInclude || option.kind == FileOption::Kind::kConstrain) {
      return Follow(option.value, constraints || option.kind == FileOption::Kind::kConstrain);
    }
    if (option.kind == FileOption::Kind::kRequireHashes) {
      result_.require_hashes = true;
      return {};
    }
    return ApplyIndexOption(option, urls_, result_.index);
  }

  Status Follow(const std::string& name, bool constraints) {
    if (LooksLikeUrl(name)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "requirements files at URLs are not supported: their content can change",
                  "copy it into the project");
    }
    const Path path = (stack_.back().parent_path() / name).lexically_normal();
    const auto first = std::find(stack_.begin(), stack_.end(), path);
    if (first != stack_.end()) {
      std::string chain;
      for (auto at = first; at != stack_.end(); ++at) chain += FileName(*at) + " → ";
      return Fail(ErrorCode::kInvalidArgument,
                  "the file includes itself: " + chain + FileName(path));
    }
    return Include(path, constraints);
  }

  /// Requires versions and hashes for all packages if one has hashes, as pip does.
  void CheckHashes() {
    const auto& requirements = result_.requirements;
    if (!hash_options_ && !result_.require_hashes) return;
    result_.require_hashes = true;
    for (std::size_t i = 0; i < requirements.size() && errors_.size() < kMaxErrors; ++i) {
      const auto& [file, position] = required_[i];
      const std::string start = file + ":" + position + ": " + requirements[i].name;
      if (requirements[i].hashes.empty()) {
        errors_.push_back(start + " has no hash, but other requirements do");
      } else if (!requirements[i].Pinned()) {
        errors_.push_back(start + " has hashes and must be pinned to one version (==)");
      }
    }
  }

  const ReadFileFunction& source_;
  RequirementsFile result_;
  UrlReader urls_;
  std::vector<Path> stack_;
  std::set<std::pair<std::string, bool>> done_;
  std::vector<Position> required_;  ///< of result_.requirements
  bool hash_options_ = false;       ///< some requirement has --hash
  std::vector<std::string> errors_;
  std::string hint_;
};

}  // namespace

Result<RequirementsFile> ReadRequirements(const Path& path, const ReadFileFunction& source,
                                          const std::map<std::string, std::string>& environment) {
  return FileReader(source, environment).Read(path);
}

}  // namespace kinetic::env
