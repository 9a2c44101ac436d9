#pragma once

#include "job/prepare.h"

#include <string>
#include <vector>

namespace kinetic::job {

/// A record and the objects that belong to it.
struct JobObjects {
  record::Record record;
  std::string arguments;              ///< the document
  std::vector<std::string> listings;  ///< the documents of what `data:` names in buckets
};

/// The record of a prepared job, with a new nonce, and with `id` or a new one.
Result<JobObjects> BuildRecord(const Context& context, const Prepared& prepared,
                               const std::string& id);

}  // namespace kinetic::job
