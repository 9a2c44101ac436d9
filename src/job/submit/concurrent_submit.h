#pragma once

#include "job/submit/build_record.h"
#include "job/submit/prepare.h"

#include <stop_token>
#include <string>

namespace kinetic::job {

/// Returns whether a job's record, its index entry and the job itself may be written concurrently.
/// This requires that all other objects exist, that the ID is unique, and that the runner waits for
/// the record.
bool CanSubmitConcurrently(const Context& context, const PreparedJob& prepared,
                           const JobObjects& objects, const std::string& chosen_id);

/// Writes the record, the index entry and the job concurrently, and removes what was written if a
/// request fails. If the client is killed in between, the job runs and is listed, or ends because
/// its record is missing, or does not exist.
Status SubmitConcurrently(Context& context, const PreparedJob& prepared,
                          const record::Record& record, const std::stop_token& stop);

}  // namespace kinetic::job
