#pragma once

#include "json/parse.h"
#include "kube/kubeconfig/config.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::kube {

/// Reads the fields of one map of a kubeconfig. Getters return an empty value for fields that are
/// absent, null or of another type, and record the first type error with its location. The last of
/// duplicate keys is used, as in kubectl. Not thread-safe.
class EntryReader {
 public:
  /// @param node, file  must outlive it.
  /// @param what        begins each message: "cluster prod".
  EntryReader(const json::YamlNode& node, const Path& file, std::string what);

  std::string Text(std::string_view key);
  bool Flag(std::string_view key);
  std::vector<std::string> Texts(std::string_view key);
  /// A list of maps.
  std::vector<const json::YamlNode*> Maps(std::string_view key);
  /// Reads a certificate or key: base64 in `key` + "-data", or a file name in `key`.
  Pem PemOf(std::string_view key);
  /// Reads a path relative to the kubeconfig's folder.
  Path File(std::string_view key);

  /// Returns a field, or null if it is absent or null.
  const json::YamlNode* Member(std::string_view key) const;
  SourceLocation LocationOf(std::string_view key) const;

  void Reject(const SourceLocation& location, const std::string& message);
  /// @errors  kInvalidArgument: the first error.
  Status Finish() const;

 private:
  const json::YamlNode& node_;
  const Path& file_;
  std::string what_;
  std::optional<std::string> error_;
};

}  // namespace kinetic::kube
