#include "env/dependencies/manifest.h"

#include "base/python/names.h"
#include "base/strings.h"
#include "env/python/target_platform.h"

#include <algorithm>

namespace kinetic::env {
namespace {

/// Version of the extras that are added for accelerators.
constexpr std::string_view kAcceleratorTemplate = "1";

std::string JoinLines(const std::vector<std::string>& lines) { return Join(lines, "\n"); }

std::string IndexUrls(const IndexSettings& index) {
  std::vector<std::string> lines;
  if (!index.url.empty()) lines.push_back(index.url);
  for (const auto& url : index.extra_urls) lines.push_back("extra " + url);
  for (const auto& url : index.find_links) lines.push_back("links " + url);
  if (index.no_index) lines.emplace_back("no index");
  return JoinLines(lines);
}

/// Version of kinetic's choices for environments in pods.
std::string PodTemplate() {
  return "glibc 2." + std::to_string(kPodGlibcMinor) + ", accelerator extras " +
         std::string(kAcceleratorTemplate);
}

}  // namespace

std::string_view Name(ManifestKind kind) {
  switch (kind) {
    case ManifestKind::kNone:
      return "none";
    case ManifestKind::kScript:
      return "script metadata";
    case ManifestKind::kUvLock:
      return "uv.lock";
    case ManifestKind::kPylock:
      return "pylock.toml";
    case ManifestKind::kRequirements:
      return "requirements.txt";
    case ManifestKind::kPyproject:
      return "pyproject.toml";
    case ManifestKind::kSetup:
      return "setup.py";
  }
  return "none";
}

std::vector<std::pair<std::string, std::string>> Manifest::Inputs() const {
  std::vector<std::pair<std::string, std::string>> inputs{
      {"template", std::string(kTemplateVersion)},
      {"platform", platform},
      {"accelerator", accelerator},
      {"python", python},
      {"base image", base_image},
      {"index urls", IndexUrls(index)},
      {"extras", Join(extras, ",")},
      {"groups", Join(groups, ",")},
      {"dependencies", JoinLines(requirements)},
      {"constraints", JoinLines(constraints)},
      {"settings", JoinLines(settings)}};
  if (for_pod) inputs.emplace_back("pod", PodTemplate());
  return inputs;
}

Digest Manifest::Key() const {
  Sha256 hash;
  hash.Update("kinetic manifest\n");
  for (const auto& [name, value] : Inputs()) {
    // Lengths make the boundaries of values unambiguous.
    hash.Update(name).Update(" ").Update(std::to_string(value.size())).Update("\n");
    hash.Update(value).Update("\n");
  }
  return hash.Finish();
}

std::string Manifest::PositionOf(std::string_view package) const {
  for (const auto& file : files) {
    const std::string name = Printable(file.path.filename().native());
    int number = 0;
    // Scripts list their packages in a comment.
    const bool is_script = kind == ManifestKind::kScript && file.path == source;
    bool is_list = !is_script;
    for (const auto line : Split(file.text, '\n')) {
      ++number;
      if (is_script && line.starts_with("# ///")) is_list = line.starts_with("# /// script");
      if (!is_list || line.starts_with('#') != is_script) continue;
      if (NormalizedName(line).find(package) == std::string::npos) continue;
      return name + ":" + std::to_string(number);
    }
  }
  return Printable(source.filename().native());
}

}  // namespace kinetic::env
