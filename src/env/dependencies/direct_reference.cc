#include "env/dependencies/direct_reference.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/python/names.h"
#include "base/strings.h"
#include "env/dependencies/project_folder.h"
#include "http/url.h"

#include <algorithm>
#include <filesystem>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxProjectBytes = 16ULL << 20;
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

/// Adds the files that declare a package's dependencies.
Status AddProjectFiles(ManifestBuild& build, const Path& folder, const std::string& requirement) {
  for (const char* const name : {"pyproject.toml", "setup.cfg", "setup.py"}) {
    const auto text = ReadRegularFile(build.fs, folder / name, kMaxProjectBytes);
    if (!text && text.error().code == ErrorCode::kNotFound) continue;
    KINETIC_RETURN_IF_ERROR(text);
    build.manifest.settings.push_back(requirement + "/" + name + " " + Sha256::Of(*text).Hex());
  }
  return {};
}

}  // namespace

Path PathIn(std::string_view place) {
  const bool is_url = place.starts_with("file:");
  if (is_url) place.remove_prefix(std::string_view("file:").size());
  if (place.starts_with("//")) place.remove_prefix(2);
  place = Trim(place.substr(0, std::min(place.find_first_of(";["), place.find(" --"))));
  return is_url ? http::PercentDecode(place) : std::string(place);
}

DirectReference ParseDirectReference(std::string_view requirement) {
  std::string_view rest = Trim(requirement);
  const std::string_view name =
      rest.substr(0, std::min(rest.find_first_not_of(kNameCharacters), rest.size()));
  rest = Trim(rest.substr(name.size()));
  if (rest.starts_with('['))
    rest = Trim(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));
  if (name.empty() || !rest.starts_with('@')) return {"", Trim(requirement)};
  return {NormalizedName(name), Trim(rest.substr(1))};
}

Status AddDirectReference(ManifestBuild& build, const std::string& requirement) {
  const DirectReference reference = ParseDirectReference(requirement);
  const bool has_name = !reference.name.empty();
  if (reference.place.starts_with("git+")) {
    if (has_name) build.manifest.built.push_back(reference.name);
    return {};
  }
  const Path path = PathIn(reference.place);
  const bool is_path =
      has_name || path.native().starts_with('.') || path.native().find('/') != std::string::npos;
  if (!is_path) return {};
  // uv resolves paths relative to its working folder, also in included files.
  const Path folder = (build.manifest.Folder() / path).lexically_normal();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return {};
  KINETIC_RETURN_IF_ERROR(AddProjectFolder(build, folder));
  if (has_name) build.manifest.built.push_back(reference.name);
  return AddProjectFiles(build, folder, requirement);
}

}  // namespace kinetic::env
