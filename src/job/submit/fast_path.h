#pragma once

#include "job/context.h"
#include "job/submit/build_record.h"
#include "job/submit/prepare.h"

#include <stop_token>

namespace kinetic::job {

/// Returns whether a job's record, its index entry and the job itself may be written concurrently.
/// This requires that all other objects exist, that the ID is unique, and that the runner waits for
/// the record.
bool MayGoTogether(const Context& context, const Prepared& prepared, const JobObjects& objects,
                   const std::string& chosen_id);

/// Writes them concurrently, and removes what was written if a request fails. If the client is
/// killed in between, the job runs and is listed, or ends because its record is missing, or does
/// not exist.
Status SubmitTogether(Context& context, const Prepared& prepared, const record::Record& record,
                      const std::stop_token& stop);

}  // namespace kinetic::job
