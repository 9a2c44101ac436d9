#pragma once

#include "kinetic/result.h"

#include "job/context.h"
#include "job/submit/prepare.h"
#include "record/array_references.h"
#include "record/job_record.h"
#include "store/object_store.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

/// A record and the objects that belong to it.
struct JobObjects {
  record::Record record;
  std::string arguments;              ///< the arguments document
  record::ArrayContents arrays;       ///< to which it refers
  std::vector<std::string> listings;  ///< the documents of `data:` sources in buckets
};

/// Builds the record of a prepared job, with a new nonce. Uses `id`, or a new ID if it is empty.
///
/// @param spec  that of `prepared`, or one that differs in arguments, name and tags.
/// @errors  kInvalidArgument: an invalid ID, or arguments above 64 MiB without arrays.
Result<JobObjects> BuildRecord(const Context& context, const PreparedJob& prepared,
                               const JobSpec& spec, const std::string& id);

/// Returns whether a job's record, its index entry and the job itself may be written concurrently.
/// This requires that all other objects exist, that the ID is unique, and that the runner waits for
/// the record.
bool CanSubmitConcurrently(const Context& context, const PreparedJob& prepared,
                           const JobObjects& objects, const std::string& chosen_id);

/// Writes the record, the index entry and the job concurrently, and removes what was written if a
/// request fails. If the client is killed in between, the job runs and is listed, or ends because
/// its record is missing, or does not exist. Returns false if staged objects were removed.
Result<bool> SubmitConcurrently(Context& context, const PreparedJob& prepared,
                                const record::Record& record, const std::stop_token& stop);

/// Removes one object of a job, even after a stop request. A missing object is not an error.
/// @errors  errors of Store.
Status RemoveObject(store::Store& store, const std::string& name);

/// Removes what is written before a record: arguments, listings and the index entry. Best effort,
/// even after a stop request. Failures are logged. Readers ignore the remaining objects, and
/// garbage collection removes them.
void RemoveStagedObjects(Context& context, const record::Record& record);

}  // namespace kinetic::job
