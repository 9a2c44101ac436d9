#pragma once

#include "kinetic/result.h"

#include "base/digest.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::record {

/// What layers/{key} says: which layer of an image some packages gave. Whether a registry has it is
/// for that registry to say.
struct StoredLayer {
  Digest blob;              ///< of the compressed layer
  std::uint64_t bytes = 0;  ///< compressed
  Digest diff_id;           ///< of the tar archive in it
  std::uint64_t content_bytes = 0;
  bool operator==(const StoredLayer&) const = default;
};

std::string ToJson(const StoredLayer& layer);
/// @errors  kDataLoss: no such document, or of a newer version.
Result<StoredLayer> StoredLayerFromJson(std::string_view json);

/// Reads what is known of a layer, renewing the document's lease when it is some days old. Nothing:
/// it is not there, or cannot be read.
///
/// @errors  those of Store.
Result<std::optional<StoredLayer>> ReadStoredLayer(store::Store& store, const Digest& key,
                                                   std::stop_token stop);

/// Puts a document, in place of one that is there.
Status WriteStoredLayer(store::Store& store, const Digest& key, const StoredLayer& layer,
                        std::stop_token stop);

}  // namespace kinetic::record
