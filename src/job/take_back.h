#pragma once

#include "kinetic/result.h"

#include "job/context.h"
#include "record/record.h"

#include <string>

namespace kinetic::job {

/// Removes one object of a job, also after a stop. One that is not there is no error.
/// @errors  those of Store.
Status RemoveObject(store::Store& store, const std::string& name);

/// Removes what is written before a record: arguments, listings and the entry in the index. Best
/// effort, also after a stop: what stays is told to the log, passed over by all, and goes in time.
void RemoveTraces(Context& context, const record::Record& record);

}  // namespace kinetic::job
