#pragma once

#include "job/submit/prepare.h"
#include "record/job_record.h"

#include <string>
#include <vector>

namespace kinetic::job {

/// A record and the objects that belong to it.
struct JobObjects {
  record::Record record;
  std::string arguments;              ///< the arguments document
  std::vector<std::string> listings;  ///< the documents of `data:` sources in buckets
};

/// Builds the record of a prepared job, with a new nonce. Uses `id`, or a new ID if it is empty.
Result<JobObjects> BuildRecord(const Context& context, const PreparedJob& prepared,
                               const std::string& id);

}  // namespace kinetic::job
