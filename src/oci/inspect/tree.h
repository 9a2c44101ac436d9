#pragma once

#include "oci/layer/listing.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

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
