#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/pyproject.h"
#include "env/pep/requirement.h"

#include <algorithm>

namespace kinetic::env {
namespace {

std::vector<std::string> Texts(const Value* value) {
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  if (value->AsString() != nullptr) texts.push_back(*value->AsString());
  if (value->AsList() != nullptr) {
    for (const Value& item : *value->AsList()) {
      if (item.AsString() != nullptr) texts.push_back(*item.AsString());
    }
  }
  return texts;
}

bool IsTrue(const Value* value) {
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

/// Returns the kind of a source that is only available on this machine, or null.
const char* LocalSource(const Value& source) {
  if (source.Find("git") != nullptr) return "a git repository, which has no hash";
  if (source.Find("path") != nullptr) return "a path on this machine";
  if (source.Find("workspace") != nullptr) return "a workspace member";
  return nullptr;
}

Status CheckSources(const Value& uv, const std::string& file, const ProjectRequirements& project) {
  const Value* const sources = uv.Find("sources");
  if (sources == nullptr || sources->AsMap() == nullptr) return {};
  for (const auto& [key, value] : *sources->AsMap()) {
    const std::string name = NormalizedName(key);
    const bool used = std::any_of(project.requirements.begin(), project.requirements.end(),
                                  [&](const Requirement& one) { return one.name == name; });
    if (!used) continue;
    const Value::List one{value};
    for (const Value& source : value.AsList() != nullptr ? *value.AsList() : one) {
      if (const char* const kind = LocalSource(source)) {
        return Fail(ErrorCode::kInvalidArgument,
                    file + ": tool.uv.sources." + key + ": the source is " + kind,
                    "include your own code in the bundle, and install packages from an index");
      }
    }
  }
  return {};
}

Status ReadIndexes(const Value& uv, UrlReader& urls, IndexSettings& index) {
  for (const auto& url : Texts(uv.Find("index-url"))) {
    KINETIC_ASSIGN_OR_RETURN(index.url, urls.Index(url));
  }
  const auto add = [&](const std::vector<std::string>& found,
                       std::vector<std::string>& list) -> Status {
    for (const auto& url : found) {
      KINETIC_ASSIGN_OR_RETURN(std::string redacted, urls.Index(url));
      list.push_back(std::move(redacted));
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(add(Texts(uv.Find("extra-index-url")), index.extra_urls));
  KINETIC_RETURN_IF_ERROR(add(Texts(uv.Find("find-links")), index.find_links));
  const Value* const named = uv.Find("index");
  if (named == nullptr || named->AsList() == nullptr) return {};
  for (const Value& one : *named->AsList()) {
    for (const auto& url : Texts(one.Find("url"))) {
      KINETIC_ASSIGN_OR_RETURN(std::string redacted, urls.Index(url));
      if (IsTrue(one.Find("default"))) {
        index.url = std::move(redacted);
      } else {
        index.extra_urls.push_back(std::move(redacted));
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> ReadUvSettings(const Value& document, const std::string& file,
                                                UrlReader& urls, ProjectRequirements& project) {
  const Value* const tool = document.Find("tool");
  const Value* const uv = tool != nullptr ? tool->Find("uv") : nullptr;
  if (uv == nullptr) return std::vector<std::string>();
  KINETIC_RETURN_IF_ERROR(CheckSources(*uv, file, project));
  if (!Texts(uv->Find("override-dependencies")).empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                file + ": tool.uv.override-dependencies is only supported by uv",
                "run 'uv lock'; kinetic then uses uv.lock");
  }
  if (auto read = ReadIndexes(*uv, urls, project.index); !read) {
    return Failure(std::move(read).error().Context(file + ": tool.uv"));
  }
  return Texts(uv->Find("constraint-dependencies"));
}

}  // namespace kinetic::env
