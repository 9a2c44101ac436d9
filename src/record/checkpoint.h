#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "base/digest.h"
#include "store/store.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// A complete state of a job's checkpoint folder: checkpoints/{id}/{sequence}, written when all
/// that it names is stored.
struct Checkpoint {
  std::string id;
  std::uint64_t sequence = 1;
  std::uint32_t attempt = 1;
  WallTime created;
  Digest tree;  ///< of the folder
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

std::string ToJson(const Checkpoint& checkpoint);

/// @errors  kDataLoss: not a checkpoint, or of a newer version.
Result<Checkpoint> CheckpointFromJson(std::string_view json);

/// A checkpoint as a listing shows it.
struct ListedCheckpoint {
  std::string id;
  std::uint64_t sequence = 0;
  store::ObjectInfo info;
};

/// Those of one job, the oldest first; of all jobs when `id` is empty.
Result<std::vector<ListedCheckpoint>> ListCheckpoints(store::Store& store, std::string_view id,
                                                      std::stop_token stop);

/// @errors  kNotFound · kDataLoss.
Result<Checkpoint> ReadCheckpoint(store::Store& store, const ListedCheckpoint& listed,
                                  std::stop_token stop);

}  // namespace kinetic::record
