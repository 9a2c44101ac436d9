#pragma once

#include "job/build_record.h"
#include "job/context.h"
#include "job/prepare.h"

#include <stop_token>

namespace kinetic::job {

/// Whether a job's record, its entry in the index and the job itself may be written at the same
/// time: everything else that they need is there, nobody else can have the id, and the runner waits
/// for the record.
bool MayGoTogether(const Context& context, const Prepared& prepared, const JobObjects& objects,
                   const std::string& chosen_id);

/// Does so, in one flight of requests. What was written is taken back when one of them fails. A
/// client that is killed in between leaves a job that runs and is shown, one that ends because its
/// record never came, or nothing.
Status SubmitTogether(Context& context, const Prepared& prepared, const record::Record& record,
                      const std::stop_token& stop);

}  // namespace kinetic::job
