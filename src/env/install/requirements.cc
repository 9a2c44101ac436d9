#include "env/dependencies/requirements.h"

#include "base/strings.h"
#include "env/install/installer.h"
#include "env/pep/requirement.h"

#include <algorithm>

namespace kinetic::env {
namespace {

/// Writes URLs, with variables in place of private URLs.
class UrlWriter {
 public:
  UrlWriter(const PrivateUrls& private_urls, std::map<std::string, std::string>& environment)
      : private_urls_(private_urls), environment_(environment) {}

  std::string Write(const std::string& url) {
    const auto full = private_urls_.find(url);
    if (full == private_urls_.end()) return url;
    const std::string name = "KINETIC_URL_" + std::to_string(count_++);
    environment_[name] = full->second;
    return "${" + name + "}";
  }

 private:
  const PrivateUrls& private_urls_;
  std::map<std::string, std::string>& environment_;
  int count_ = 0;
};

/// Returns `name @ url#sha256=…`, because --hash for one package makes hashes mandatory for all.
std::string WithFragment(const Requirement& requirement, const std::string& url) {
  std::string text = requirement.name;
  if (!requirement.extras.empty()) text += "[" + Join(requirement.extras, ",") + "]";
  text += " @ " + url;
  if (!requirement.hashes.empty()) {
    std::string hash = requirement.hashes.front();
    std::replace(hash.begin(), hash.end(), ':', '=');
    text += (url.find('#') == std::string::npos ? "#" : "&") + hash;
  }
  if (requirement.marker) text += " ; " + requirement.marker->ToString();
  return text;
}

}  // namespace

std::string InstallerRequirements(const std::vector<std::string>& lines,
                                  const PrivateUrls& private_urls,
                                  std::map<std::string, std::string>& environment) {
  std::string text;
  UrlWriter urls(private_urls, environment);
  for (const auto& line : lines) {
    const auto parts = SplitRequirement(line);
    auto requirement = parts ? Requirement::Parse(parts->requirement)
                             : Result<Requirement>(Fail(ErrorCode::kInternal, ""));
    if (!requirement || requirement->url.empty()) {
      text += line + "\n";
      continue;
    }
    requirement->hashes = parts->hashes;
    text += WithFragment(*requirement, urls.Write(requirement->url)) + "\n";
  }
  return text;
}

std::string LockedRequirements(std::span<const LockedPackage> packages,
                               const PrivateUrls& private_urls,
                               std::map<std::string, std::string>& environment) {
  std::string text;
  UrlWriter urls(private_urls, environment);
  for (const auto& package : packages) {
    text += package.name +
            (package.url.empty() ? "==" + package.version : " @ " + urls.Write(package.url));
    for (const auto& hash : package.hashes) text += " --hash=" + hash;
    text += "\n";
  }
  return text;
}

}  // namespace kinetic::env
