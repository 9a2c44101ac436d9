#pragma once

#include "base/files/file_system.h"
#include "kube/auth/credential.h"

#include <optional>
#include <string>

namespace kinetic::kube {

/// Credentials that plugins gave, until they expire, in a folder that nobody but its owner can look
/// into: a plugin takes longer than everything else that a command does.
///
/// @threads  safe to call concurrently, also from several processes.
class PluginStore {
 public:
  /// Both outlive it. @param folder  made, 0700, when it is needed; empty: nothing is kept.
  PluginStore(FileSystem& fs, Clock& clock, Path folder)
      : fs_(&fs), clock_(&clock), folder_(std::move(folder)) {}

  /// One that lasts a while yet. A file that is not its owner's alone, or is damaged, is none.
  std::optional<Credential> Find(const std::string& key) const;
  /// What cannot be kept is no fault.
  void Keep(const std::string& key, const Credential& credential) const;
  void Forget(const std::string& key) const;

 private:
  Path FileOf(const std::string& key) const { return folder_ / (key + ".json"); }

  FileSystem* fs_;
  Clock* clock_;
  Path folder_;
};

}  // namespace kinetic::kube
