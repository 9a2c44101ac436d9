#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "env/image/layer_plan.h"
#include "oci/layer/writer.h"
#include "store/object_store.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::env {

/// A layer of packages as a file.
struct LayerFile {
  oci::Layer layer;
  Path file;
};

/// What layers are made from, and where.
struct LayerSource {
  store::Store& store;
  FileSystem& fs;
  Path scratch;               ///< an empty folder of this machine's disk
  std::vector<Digest> trees;  ///< of the packages, as PlannedLayer::Part::package counts them
  std::string prefix;         ///< folder of the environment in the image, absolute
};

/// Makes a layer: fetches its packages from the store and writes them as a zstd archive. The same
/// packages give the same bytes, whoever does it with the same libzstd.
///
/// @errors  those of bundle::Unpack and oci::WriteLayer.
/// @threads safe to call concurrently, for different layers.
Result<LayerFile> WritePackageLayer(const PlannedLayer& planned, const LayerSource& source,
                                    std::stop_token stop);

/// Makes the layer that turns the folder of packages into a virtual environment of the image's
/// Python (PEP 405).
///
/// @param interpreter  in the image: "/usr/local/bin/python3.12".
/// @param python       "3.12"
Result<LayerFile> WriteVirtualEnvironmentLayer(const LayerSource& source,
                                               const std::string& interpreter,
                                               const std::string& python, std::stop_token stop);

}  // namespace kinetic::env
