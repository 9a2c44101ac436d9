#pragma once

#include "kinetic/result.h"

#include "store/object.h"

#include <string>
#include <string_view>
#include <utility>

namespace kinetic::record {

/// Identifies the job that a stored object belongs to. An id can be used again after its job is
/// removed; the nonce of its record cannot.
struct JobKey {
  JobKey() = default;
  JobKey(std::string job_id, std::string job_nonce)
      : id(std::move(job_id)), nonce(std::move(job_nonce)) {}

  std::string id;
  std::string nonce;  ///< of the record; in an expected key, empty means unknown
};

/// Checks that an object belongs to the expected job.
///
/// @param name  of the object, for the message.
/// @errors  kDataLoss: it belongs to another job. The message names both.
Status CheckOwner(std::string_view name, const JobKey& found, const JobKey& expected);

/// Returns metadata that names a job: the keys `id` and `nonce`.
store::Metadata OwnerMetadata(const JobKey& job);

/// Returns the job that metadata names. Its fields are empty if the metadata names none.
JobKey OwnerFromMetadata(const store::Metadata& metadata);

}  // namespace kinetic::record
