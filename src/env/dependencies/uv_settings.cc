#include "env/dependencies/uv_settings.h"

#include "kinetic/try.h"

#include "base/python/names.h"
#include "base/strings.h"
#include "bundle/source/root.h"
#include "env/dependencies/direct_reference.h"
#include "env/dependencies/index_settings.h"
#include "env/dependencies/project_folder.h"
#include "env/dependencies/workspace.h"
#include "http/url.h"
#include "json/document.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

bool IsIndex(std::string_view key) {
  return key.find("index") != std::string_view::npos ||
         key.find("find-links") != std::string_view::npos;
}

/// Adds the values of a TOML table as lines: "tool.uv.index.0.url https://…".
class SettingLines {
 public:
  /// @param folder  of the file.
  SettingLines(ManifestBuild& build, Path folder) : build_(build), folder_(std::move(folder)) {}

  Status Add(const std::string& key, const Value& value) {
    if (const auto* map = value.AsMap(); map != nullptr && !map->empty()) {
      for (const auto& [name, item] : *map) KINETIC_RETURN_IF_ERROR(Add(key + "." + name, item));
      return {};
    }
    if (const auto* list = value.AsList(); list != nullptr && !list->empty()) {
      const bool are_texts =
          std::ranges::all_of(*list, [](const Value& item) { return item.AsString() != nullptr; });
      for (std::size_t i = 0; i < list->size(); ++i) {
        KINETIC_RETURN_IF_ERROR(Add(are_texts ? key : key + "." + std::to_string(i), (*list)[i]));
      }
      return {};
    }
    const std::string text = value.AsString() != nullptr ? *value.AsString() : value.ToJson();
    auto line = build_.urls.Line(text, IsIndex(key));
    if (!line) return Failure(std::move(line).error().Context(key));
    build_.manifest.settings.push_back(key + " " + *line);
    if (key == "tool.uv.override-dependencies" || key == "tool.uv.constraint-dependencies") {
      return AddDirectReference(build_, text);
    }
    return AddSource(key, text);
  }

 private:
  /// Adds the package of "tool.uv.sources.{name}.path" and similar keys, and its folder.
  Status AddSource(std::string_view key, const std::string& value) {
    constexpr std::string_view kSources = "tool.uv.sources.";
    if (!key.starts_with(kSources)) return {};
    const std::string_view rest = key.substr(kSources.size());
    const bool is_path = rest.ends_with(".path");
    if (is_path || rest.ends_with(".git") || rest.ends_with(".workspace")) {
      build_.manifest.built.push_back(NormalizedName(rest.substr(0, rest.find('.'))));
    }
    return is_path ? AddProjectFolder(build_, folder_ / value) : Status();
  }

  ManifestBuild& build_;
  Path folder_;
};

/// Reads the indexes in a table of uv's settings.
class IndexReader {
 public:
  IndexReader(ManifestBuild& build, Path folder)
      : build_(build), index_(build.manifest.index), folder_(std::move(folder)) {}

  Status Read(const Value& uv) {
    KINETIC_RETURN_IF_ERROR(
        Add(uv.Find("index-url"), [&](const std::string& url) { SetMain(url); }));
    const auto to = [](std::vector<std::string>& urls) {
      return [&urls](const std::string& url) { AddUrl(urls, url); };
    };
    KINETIC_RETURN_IF_ERROR(Add(uv.Find("extra-index-url"), to(index_.extra_urls)));
    KINETIC_RETURN_IF_ERROR(Add(uv.Find("find-links"), to(index_.find_links)));
    index_.no_index = index_.no_index || IsTrue(uv.Find("no-index"));
    return ForEachNamed(uv, [&](const Value& one) {
      const bool is_main = IsTrue(one.Find("default"));
      const bool is_flat = json::TextAt(one, "format") == "flat";
      return Add(one.Find("url"), [&](const std::string& url) {
        if (is_main && !is_flat) {
          SetMain(url);
        } else {
          AddUrl(is_flat ? index_.find_links : index_.extra_urls, url);
        }
      });
    });
  }

  /// Adds the credentials of named indexes, which a package of `[tool.uv.sources]` may come from.
  Status ReadLogins(const Value& uv) {
    return ForEachNamed(uv, [&](const Value& one) {
      return Add(one.Find("url"),
                 [&](const std::string& url) { AddLogin(json::TextAt(one, "name"), url); });
    });
  }

 private:
  static bool IsTrue(const Value* value) { return value != nullptr && *value == Value(true); }

  template <typename Reader>
  static Status ForEachNamed(const Value& uv, const Reader& read) {
    const Value* const named = uv.Find("index");
    if (named == nullptr || named->AsList() == nullptr) return {};
    for (const Value& one : *named->AsList()) KINETIC_RETURN_IF_ERROR(read(one));
    return {};
  }

  /// A script's metadata takes precedence over files.
  void SetMain(const std::string& url) {
    if (index_.url.empty()) index_.url = url;
  }

  /// Passes one URL, or each of a list, to `add`.
  template <typename Adder>
  Status Add(const Value* value, const Adder& add) {
    if (value == nullptr) return {};
    for (const Value& item : value->AsList() != nullptr ? *value->AsList() : Value::List{*value}) {
      if (item.AsString() == nullptr) continue;
      KINETIC_ASSIGN_OR_RETURN(const std::string url, build_.urls.Index(*item.AsString()));
      if (url.find("://") == std::string::npos) {  // a folder
        build_.manifest.private_urls[url] = (folder_ / *item.AsString()).lexically_normal();
      }
      add(url);
    }
    return {};
  }

  /// Adds the credentials that uv takes from UV_INDEX_{NAME}_USERNAME and _PASSWORD.
  void AddLogin(const std::string& name, const std::string& url) {
    const auto scheme = url.find("://");
    if (name.empty() || scheme == std::string::npos) return;
    std::string prefix = "UV_INDEX_";
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      prefix += std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
    }
    const auto& variables = build_.variables.environment;
    const auto user = variables.find(prefix + "_USERNAME");
    const auto password = variables.find(prefix + "_PASSWORD");
    if (user == variables.end() && password == variables.end()) return;
    std::string login = user != variables.end() ? http::PercentEncode(user->second) : "";
    if (password != variables.end()) login += ":" + http::PercentEncode(password->second);
    build_.manifest.private_urls[url] =
        url.substr(0, scheme + 3) + login + "@" + url.substr(scheme + 3);
  }

  ManifestBuild& build_;
  IndexSettings& index_;
  Path folder_;
};

/// Returns whether a setting does not affect which packages uv selects. Settings that a newer uv
/// adds are part of the key.
bool IsWithoutEffect(std::string_view name) {
  static constexpr std::array<std::string_view, 31> kNames{"add-bounds",
                                                           "allow-insecure-host",
                                                           "annotation-style",
                                                           "break-system-packages",
                                                           "cache-dir",
                                                           "check-url",
                                                           "compile-bytecode",
                                                           "concurrent-builds",
                                                           "concurrent-downloads",
                                                           "concurrent-installs",
                                                           "custom-compile-command",
                                                           "http-proxy",
                                                           "https-proxy",
                                                           "keyring-provider",
                                                           "link-mode",
                                                           "native-tls",
                                                           "no-cache",
                                                           "no-proxy",
                                                           "offline",
                                                           "prefix",
                                                           "preview",
                                                           "preview-features",
                                                           "publish-url",
                                                           "pypy-install-mirror",
                                                           "python-downloads",
                                                           "python-downloads-json-url",
                                                           "python-install-mirror",
                                                           "python-preference",
                                                           "system-certs",
                                                           "target",
                                                           "trusted-publishing"};
  return std::ranges::find(kNames, name) != kNames.end();
}

/// Adds the settings of a table that affect the selected packages.
Status AddEffective(ManifestBuild& build, const Path& folder, const std::string& key,
                    const Value& table) {
  if (table.AsMap() == nullptr) return {};
  for (const auto& [name, value] : *table.AsMap()) {
    if (IsWithoutEffect(name)) continue;
    const std::string full = key + "." + name;
    KINETIC_RETURN_IF_ERROR(name == "pip" ? AddEffective(build, folder, full, value)
                                          : AddSettings(build, folder, full, value));
  }
  return {};
}

constexpr const char* kUvToml = "uv.toml";

/// A file with settings of uv.
struct SettingsFile {
  Path path;
  Value table;
};

/// Returns the settings in a folder: of a uv.toml, else [tool.uv] of a pyproject.toml.
std::vector<SettingsFile> SettingsIn(FileSystem& fs, const Path& folder) {
  std::vector<SettingsFile> files;
  if (auto own = ReadTomlIfValid(fs, folder / kUvToml)) {
    files.push_back({folder / kUvToml, *std::move(own)});
  }
  if (const auto project = ReadTomlIfValid(fs, folder / "pyproject.toml")) {
    const Value* const tool = project->Find("tool");
    const Value* const uv = tool != nullptr ? tool->Find("uv") : nullptr;
    if (uv != nullptr && uv->AsMap() != nullptr) files.push_back({folder / "pyproject.toml", *uv});
  }
  return files;
}

std::string UnusedSettings(const Path& file, const Path& root) {
  return Printable(file.native()) +
         " is not used, because uv reads the settings of the project in " +
         Printable(root.native()) +
         "; move them there, or add a pyproject.toml with a [project] table";
}

/// Adds the settings of a file outside of the project.
Status AddMachineSettings(ManifestBuild& build, const Path& file, const std::string& key) {
  const auto document = ReadTomlIfValid(build.fs, file);
  if (!document) return {};
  auto added = AddEffective(build, file.parent_path(), key, *document);
  if (!added) return Failure(std::move(added).error().Context(Printable(file.native())));
  return {};
}

/// Adds the settings in the uv.toml of the user and of the machine.
Status AddUserSettings(ManifestBuild& build) {
  const auto variable = [&](const char* name) {
    const auto found = build.variables.environment.find(name);
    return found != build.variables.environment.end() ? found->second : std::string();
  };
  const std::string config = variable("XDG_CONFIG_HOME");
  const std::string home = variable("HOME");
  if (config.starts_with('/') || !home.empty()) {
    const Path folder = config.starts_with('/') ? Path(config) : Path(home) / ".config";
    KINETIC_RETURN_IF_ERROR(AddMachineSettings(build, folder / "uv" / "uv.toml", "user.uv"));
  }
  std::string folders = variable("XDG_CONFIG_DIRS");
  if (folders.empty()) folders = "/etc/xdg";
  folders += ":/etc";
  for (const auto folder : Split(folders, ':')) {
    const Path file = Path(folder) / "uv" / "uv.toml";
    if (build.fs.Lstat(file)) return AddMachineSettings(build, file, "machine.uv");
  }
  return {};
}

}  // namespace

Status AddSettings(ManifestBuild& build, const Path& folder, const std::string& key,
                   const Value& table) {
  return SettingLines(build, folder).Add(key, table);
}

Status AddUvSettings(ManifestBuild& build, const Path& folder, const Value& uv) {
  KINETIC_RETURN_IF_ERROR(AddEffective(build, folder, "tool.uv", uv));
  KINETIC_RETURN_IF_ERROR(IndexReader(build, folder).ReadLogins(uv));
  return IndexReader(build, folder).Read(uv);
}

Status AddFolderSettings(ManifestBuild& build, const Path& folder) {
  const Path start = bundle::ResolvePath(build.fs, folder).value_or(folder).lexically_normal();
  // uv takes most settings, and indexes, from one file. It takes sources from several.
  const Path root = FindSettingsRoot(build.fs, start);
  bool has_indexes = false;
  for (Path at = start;; at = at.parent_path()) {
    for (const SettingsFile& file : SettingsIn(build.fs, at)) {
      if (file.path.filename() == kUvToml && !bundle::IsWithin(root, at)) {
        build.manifest.warnings.push_back(UnusedSettings(file.path, root));
        continue;
      }
      const bool is_used = !has_indexes && bundle::IsWithin(root, at);
      has_indexes = has_indexes || is_used;
      auto added = AddEffective(build, at, "tool.uv", file.table);
      if (added) added = IndexReader(build, at).ReadLogins(file.table);
      if (added && is_used) added = IndexReader(build, at).Read(file.table);
      if (!added) return Failure(std::move(added).error().Context(file.path.filename().native()));
    }
    if (at == at.parent_path()) return AddUserSettings(build);
  }
}

}  // namespace kinetic::env
