#pragma once

#include "kinetic/result.h"

#include "env/dependencies/manifest.h"
#include "env/install/installer.h"
#include "env/lock.h"
#include "env/python/target_platform.h"
#include "env/tool_options.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::env {

/// Runs uv on a manifest's files, in their folder and with their settings.
class UvCommands {
 public:
  /// @param target  the platform of a pod; nullopt: this machine.
  /// @param folder  for temporary files.
  /// All arguments outlive the object.
  UvCommands(const Manifest& manifest, const ToolOptions& tools,
             const std::optional<TargetPlatform>& target, Path folder, InstallerLog& log,
             std::stop_token stop);

  /// Finds uv and the Python to resolve for.
  Status Find();

  /// Writes a pylock.toml with the manifest's packages to `folder`, and returns its path. If the
  /// manifest is a pylock.toml, returns that. The packages of a lock are for all platforms.
  Result<Path> WritePylock();

  /// Returns "name==version" of the packages of a pylock.toml whose markers match the target, or
  /// "name" if a package has a URL.
  Result<std::vector<std::string>> Select(const Path& pylock);

  /// Returns the packages of a lock as a requirements file, with comments that report which package
  /// requires each of them. Empty for a pylock.toml, which does not list that.
  Result<std::string> Annotate(const Lock& lock);

  /// Builds the wheel of a project's folder, and returns its path below `folder`.
  Result<Path> BuildWheel(const Path& project, const std::string& name);

  /// Checks out a commit of a git repository, and returns its path below `folder`.
  Result<Path> CheckOut(const std::string& url, const std::string& commit);

  /// Returns uv's version and the command that resolved, such as "uv 0.13.9 export".
  std::string Description() const;

 private:
  std::vector<std::string> Compile() const;
  std::vector<std::string> Export() const;
  Status WriteAdded();
  void AddGitLogin(const std::string& repository);

  struct Streams {
    bool logs_stdout = true;
    std::string* copy = nullptr;  ///< receives what is logged
  };
  Status Execute(std::vector<std::string> argv) { return Execute(std::move(argv), Streams()); }
  Status Execute(std::vector<std::string> argv, const Streams& streams);

  const Manifest& manifest_;
  const ToolOptions& tools_;
  const std::optional<TargetPlatform>& target_;
  Path folder_;
  InstallerLog& log_;
  std::stop_token stop_;
  Interpreter python_;
  bool is_jobs_python_ = false;
  Uv uv_;
  std::map<std::string, std::string> environment_;
};

}  // namespace kinetic::env
