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

/// One thing in a layer that somebody else made, without its content.
struct LayerEntry {
  enum class Kind : std::uint8_t { kFolder, kFile, kSymlink, kOther };

  std::string path;  ///< as the archive has it: "./usr/bin/", "/usr/bin/env"; any bytes
  Kind kind = Kind::kFile;
  bool executable = false;
  std::string target;  ///< of a symbolic link
};

/// Passes on what a layer has, in its order: a tar archive of any age, compressed by gzip, zstd or
/// not at all, whatever its media type says. No byte of it is trusted.
///
/// @errors  kDataLoss: no such archive, or one that ends too early · kResourceExhausted: no memory
/// ·
///          kFailedPrecondition: libarchive is not there · kCancelled · those of FileSystem.
Status ListLayer(FileSystem& fs, const Path& file,
                 const std::function<void(LayerEntry entry)>& visit, const std::stop_token& stop);

/// What is where in an image, by the names in its layers.
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
  struct Found {
    std::string path;  ///< without a link in it: "/usr/local/bin/python3.12"
    const Node* node;  ///< no link; lives as long as the tree is not changed
  };

  /// Puts a layer on top of those that are there. Its whiteouts hide what is below it, wherever
  /// they stand in it.
  void AddLayer(const std::vector<LayerEntry>& entries);

  /// What `path` leads to, by whatever symbolic links. Nothing: it leads nowhere.
  std::optional<Found> Find(std::string_view path) const;

  /// The names of what is in a folder, itself given without a link in it, that begin with `prefix`.
  std::vector<std::string> NamesIn(const std::string& folder, std::string_view prefix) const;

 private:
  using Nodes = std::map<std::string, Node, std::less<>>;

  std::optional<std::string> Follow(std::string_view path) const;
  std::optional<std::string> PlaceOf(std::string_view path) const;
  void Put(const LayerEntry& entry);
  void MakeFoldersAbove(std::string_view place);
  void RemoveBelow(const std::string& folder);

  Nodes nodes_;  ///< by their paths from the root: "usr/bin"
};

}  // namespace kinetic::oci
