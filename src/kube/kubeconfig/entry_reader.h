#pragma once

#include "json/yaml.h"
#include "kube/kubeconfig/config.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::kube {

/// Typed access to the members of one map of a kubeconfig. Each getter gives a neutral value for
/// what is absent, null or of another kind, and remembers the first such fault with its place; of a
/// key that is given twice the last one counts, as for kubectl.
///
/// @threads  one thread at a time.
class EntryReader {
 public:
  /// Both outlive it. @param what  begins each message: "cluster prod".
  EntryReader(const json::YamlNode& node, const Path& file, std::string what);

  std::string Text(std::string_view key);
  bool Flag(std::string_view key);
  std::vector<std::string> Texts(std::string_view key);
  /// A list of maps.
  std::vector<const json::YamlNode*> Maps(std::string_view key);
  /// A certificate or key: `key` and "-data" hold its base64, `key` its file.
  Pem PemOf(std::string_view key);
  /// A path, from the file's folder.
  Path File(std::string_view key);

  /// Null where it is absent or null.
  const json::YamlNode* Member(std::string_view key) const;
  Place PlaceOf(std::string_view key) const;

  void Reject(const Place& place, const std::string& message);
  /// @errors  kInvalidArgument: the first fault.
  Status Finish() const;

 private:
  const json::YamlNode& node_;
  const Path& file_;
  std::string what_;
  std::optional<std::string> fault_;
};

}  // namespace kinetic::kube
