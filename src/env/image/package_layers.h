#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "bundle/format/tree.h"
#include "env/lock.h"
#include "env/packages/stored_packages.h"
#include "oci/layer/writer.h"
#include "store/object_store.h"

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::env {

/// A layer of an environment's image that is not written yet.
struct PlannedLayer {
  /// The entries of one package's tree.
  struct Part {
    std::size_t package = 0;  ///< index of its tree
    std::vector<bundle::TreeEntry> entries;
  };
  std::string name;  ///< for display: "jaxlib 0.4.30", "14 packages"
  Digest key;        ///< equal keys mean equal archives
  std::vector<Part> parts;
};

/// Assigns packages to layers. Each large package has its own layer, the largest lowest; small
/// packages share the topmost layer. A node unpacks every layer above a changed one, so frequent
/// changes should be small and on top. If several packages contain a file, the image contains the
/// one in `merged`, as if they were unpacked into one folder.
///
/// @param names   of the packages, in the order of `trees`.
/// @param merged  of all of `trees`.
/// @param prefix  folder of the environment in the image.
std::vector<PlannedLayer> PlanLayers(const std::vector<bundle::Tree>& trees,
                                     const std::vector<std::string>& names,
                                     const bundle::Tree& merged, const std::string& prefix);

/// A layer as a local file.
struct LayerFile {
  oci::Layer layer;
  Path file;
};

/// The source of layers.
struct LayerSource {
  store::Store& store;
  FileSystem& fs;
  Path scratch;               ///< an empty local folder
  std::vector<Digest> trees;  ///< of the packages, indexed by PlannedLayer::Part::package
  std::string prefix;         ///< folder of the environment in the image, absolute
};

/// Fetches the packages of a layer from the store and writes them as a zstd archive. The bytes are
/// reproducible with the same libzstd.
///
/// @errors  those of bundle::Unpack and oci::WriteLayer.
/// @threads safe to call concurrently, for different layers.
Result<LayerFile> WritePackageLayer(const PlannedLayer& planned, const LayerSource& source,
                                    std::stop_token stop);

/// Writes the layer that makes the folder of packages a virtual environment of the image's Python
/// (PEP 405).
///
/// @param interpreter  in the image: "/usr/local/bin/python3.12".
/// @param python       "3.12"
Result<LayerFile> WriteVirtualEnvironmentLayer(const LayerSource& source,
                                               const std::string& interpreter,
                                               const std::string& python, std::stop_token stop);

}  // namespace kinetic::env
