#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::record {

/// The contents of packages/{key} and environments/{key}: the tree of an installed package or of a
/// whole environment. The tree itself may have been removed from the store.
struct StoredPackage {
  std::string name;  ///< for display: "numpy 2.1.0"
  Digest tree;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  bool operator==(const StoredPackage&) const = default;
};

std::string ToJson(const StoredPackage& package);
/// @errors  kDataLoss: not such a document, or of a newer version.
Result<StoredPackage> StoredPackageFromJson(std::string_view json);

/// Reads the document `object`, and renews its lease if it is some days old. Returns nullopt if it
/// is absent.
///
/// @errors  kDataLoss, naming the object · those of Store.
Result<std::optional<StoredPackage>> ReadStoredPackage(store::Store& store, std::string_view object,
                                                       std::stop_token stop);

/// Creates or replaces the document `object`.
Status WriteStoredPackage(store::Store& store, std::string_view object,
                          const StoredPackage& package, std::stop_token stop);

/// The contents of images/{key}: an image that a client of this store built, or started to build.
/// Only the registry can tell whether the image exists. The record identifies the image for garbage
/// collection, and its lease is the time of the image's last use.
struct ImageRecord {
  std::string image;  ///< "registry/name:tag"
  Digest key;         ///< of the image's inputs; also a label of the image
  bool operator==(const ImageRecord&) const = default;
};

std::string ToJson(const ImageRecord& image);

/// @errors  kDataLoss: not an image record · kFailedPrecondition: of a newer version.
Result<ImageRecord> ImageRecordFromJson(std::string_view json);

/// Creates or replaces the record.
Status WriteImageRecord(store::Store& store, const ImageRecord& image, std::stop_token stop);

/// Renews the lease of the image's record, if it has one. `image` is ImageRecord::image.
Status TouchImageRecord(store::Store& store, std::string_view image, std::stop_token stop);

/// The contents of layers/{key}: the image layer that was built from certain packages. Only a
/// registry can tell whether it has the layer.
struct StoredLayer {
  Digest blob;              ///< of the compressed layer
  std::uint64_t bytes = 0;  ///< of the compressed layer
  Digest diff_id;           ///< of the uncompressed tar archive
  std::uint64_t content_bytes = 0;
  bool operator==(const StoredLayer&) const = default;
};

std::string ToJson(const StoredLayer& layer);

/// @errors  kDataLoss: not a stored layer · kFailedPrecondition: of a newer version.
Result<StoredLayer> StoredLayerFromJson(std::string_view json);

/// Reads a document, and renews its lease if it is some days old. Returns nullopt if the document
/// is absent or invalid.
Result<std::optional<StoredLayer>> ReadStoredLayer(store::Store& store, const Digest& key,
                                                   std::stop_token stop);

/// Creates or replaces the document.
Status WriteStoredLayer(store::Store& store, const Digest& key, const StoredLayer& layer,
                        std::stop_token stop);

}  // namespace kinetic::record
