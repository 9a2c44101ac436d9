#include "kinetic/value.h"

#include "env/dependencies/urls.h"
#include "env/install/installer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::env {
namespace {

/// Writes URLs, with variables in place of private URLs.
class UrlWriter {
 public:
  UrlWriter(const PrivateUrls& private_urls, std::map<std::string, std::string>& environment)
      : private_urls_(private_urls), environment_(environment) {}

  std::string Write(const std::string& url) {
    if (!IsPrivate(url, private_urls_)) return FullUrl(url, private_urls_);
    const std::string name = "KINETIC_URL_" + std::to_string(count_++);
    environment_[name] = FullUrl(url, private_urls_);
    return "${" + name + "}";
  }

 private:
  const PrivateUrls& private_urls_;
  std::map<std::string, std::string>& environment_;
  int count_ = 0;
};

/// Writes a pylock.toml. uv chooses among the files of each package.
class PylockWriter {
 public:
  explicit PylockWriter(const PrivateUrls& private_urls) : private_urls_(private_urls) {}

  std::string Write(std::span<const LockedPackage> packages) {
    text_ = "lock-version = '1.0'\ncreated-by = 'kinetic'\n";
    for (const auto& package : packages) Add(package);
    return std::move(text_);
  }

 private:
  void Add(const LockedPackage& package) {
    text_ += "[[packages]]\nname = " + Quoted(package.name) + "\n";
    if (!package.version.empty()) text_ += "version = " + Quoted(package.version) + "\n";
    if (package.files.empty()) {
      AddArchive(package);
      return;
    }
    std::string wheels;
    for (const auto& file : package.files) {
      const std::string entry = Location(file.url) + Hashes({&file.hash, 1}) + " }";
      if (IsWheel(file.url)) {
        wheels += "  " + entry + ",\n";
      } else {
        text_ += "sdist = " + entry + "\n";
      }
    }
    if (!wheels.empty()) text_ += "wheels = [\n" + wheels + "]\n";
  }

  void AddArchive(const LockedPackage& package) {
    constexpr std::string_view kSubfolder = "#subdirectory=";
    const auto hash = package.url.find(kSubfolder);
    text_ += "archive = " + Location(package.url.substr(0, hash)) + Hashes(package.hashes);
    if (hash != std::string::npos) {
      text_ += ", subdirectory = " + Quoted(package.url.substr(hash + kSubfolder.size()));
    }
    text_ += " }\n";
  }

  std::string Location(const std::string& url) const {
    return "{ url = " + Quoted(FullUrl(url, private_urls_));
  }

  static std::string Hashes(std::span<const std::string> hashes) {
    std::string text = ", hashes = {";
    for (const auto& hash : hashes) {  // "sha256:…"
      const auto colon = hash.find(':');
      text += (&hash == hashes.data() ? " " : ", ") + hash.substr(0, colon) + " = " +
              Quoted(hash.substr(colon + 1));
    }
    return text + " }";
  }

  static bool IsWheel(std::string_view url) {
    return url.substr(0, url.find_first_of("#?")).ends_with(".whl");
  }

  /// The escapes of JSON are valid in TOML.
  static std::string Quoted(const std::string& text) { return Value(text).ToJson(); }

  const PrivateUrls& private_urls_;
  std::string text_;
};

bool ContainsFiles(std::span<const LockedPackage> packages) {
  const auto has_files = [](const LockedPackage& package) { return !package.files.empty(); };
  const auto is_located = [&](const LockedPackage& package) {
    return has_files(package) || !package.url.empty();
  };
  return std::ranges::any_of(packages, has_files) && std::ranges::all_of(packages, is_located);
}

}  // namespace

RequirementFile LockedRequirements(std::span<const LockedPackage> packages,
                                   const PrivateUrls& private_urls,
                                   std::map<std::string, std::string>& environment) {
  if (ContainsFiles(packages)) {
    return {"pylock.toml", PylockWriter(private_urls).Write(packages)};
  }
  std::string text;
  UrlWriter urls(private_urls, environment);
  for (const auto& package : packages) {
    text += package.name +
            (package.url.empty() ? "==" + package.version : " @ " + urls.Write(package.url));
    for (const auto& hash : package.hashes) text += " --hash=" + hash;
    text += "\n";
  }
  return {"requirements.txt", std::move(text)};
}

}  // namespace kinetic::env
