#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "store/object_store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// The contents of checkpoints/{id}/{sequence}: a complete state of a job's checkpoint folder.
/// Written after all packs and the tree are stored.
struct Checkpoint {
  std::string id;
  std::uint64_t sequence = 1;
  std::uint32_t attempt = 1;
  WallTime created;
  Digest tree;  ///< the folder
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

std::string ToJson(const Checkpoint& checkpoint);

/// @errors  kDataLoss: not a checkpoint · kFailedPrecondition: of a newer version.
Result<Checkpoint> CheckpointFromJson(std::string_view json);

/// A checkpoint in a listing.
struct ListedCheckpoint {
  std::string id;
  std::uint64_t sequence = 0;
  store::ObjectInfo info;
};

/// Returns nullopt for an object that does not have the name of a checkpoint.
std::optional<ListedCheckpoint> CheckpointInListing(const store::ObjectInfo& info);

/// Lists the checkpoints of a job, the oldest first.
Result<std::vector<ListedCheckpoint>> ListCheckpoints(store::Store& store, std::string_view id,
                                                      std::stop_token stop);

/// @errors  kNotFound · kDataLoss, naming the object.
Result<Checkpoint> ReadCheckpoint(store::Store& store, const ListedCheckpoint& listed,
                                  std::stop_token stop);

}  // namespace kinetic::record
