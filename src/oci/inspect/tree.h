#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// A file in an existing layer, without its content.
struct LayerEntry {
  enum class Kind : std::uint8_t { kFolder, kFile, kSymlink, kOther };

  std::string path;  ///< as in the archive: "./usr/bin/", "/usr/bin/env"; any bytes
  Kind kind = Kind::kFile;
  bool executable = false;
  std::string target;  ///< of a symbolic link
};

/// Lists the entries of a layer in order: a tar archive in any format, compressed by gzip or zstd
/// or uncompressed, regardless of its media type. The content may be malicious.
///
/// @errors  kDataLoss: not a tar archive, or truncated · kResourceExhausted: out of memory ·
///          kFailedPrecondition: libarchive is missing · kCancelled · those of FileSystem.
Status ListLayer(FileSystem& fs, const Path& file,
                 const std::function<void(LayerEntry entry)>& visit, const std::stop_token& stop);

/// The files of an image, by the entries of its layers.
///
/// @source   https://github.com/opencontainers/image-spec/blob/v1.1.0/layer.md
/// @threads  as std::map: concurrent reads are safe.
class ImageTree {
 public:
  struct Node {
    LayerEntry::Kind kind = LayerEntry::Kind::kFolder;
    bool executable = false;
    std::string target;  ///< of a symbolic link
  };
  struct Match {
    std::string path;  ///< with links resolved: "/usr/local/bin/python3.12"
    const Node* node;  ///< not a link; valid until the tree changes
  };

  /// Adds a layer. Its whiteouts hide entries of lower layers, regardless of their position.
  void AddLayer(const std::vector<LayerEntry>& entries);

  /// Resolves a path through symbolic links, or returns nullopt if it does not exist.
  std::optional<Match> Find(std::string_view path) const;

  /// Returns the names in a folder that begin with `prefix`. `folder` must have its links resolved.
  std::vector<std::string> ListNames(const std::string& folder, std::string_view prefix) const;

 private:
  using Nodes = std::map<std::string, Node, std::less<>>;

  std::optional<std::string> ResolveLinks(std::string_view path) const;
  std::optional<std::string> ResolveEntry(std::string_view path) const;
  void AddEntry(const LayerEntry& entry);
  void AddParentFolders(std::string_view path);
  void RemoveBelow(const std::string& folder);

  Nodes nodes_;  ///< by path: "usr/bin"
};

}  // namespace kinetic::oci
