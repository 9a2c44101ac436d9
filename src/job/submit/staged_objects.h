#pragma once

#include "kinetic/result.h"

#include "job/context.h"
#include "record/job_record.h"
#include "store/object_store.h"

#include <string>

namespace kinetic::job {

/// Removes one object of a job, even after a stop request. A missing object is not an error.
/// @errors  errors of Store.
Status RemoveObject(store::Store& store, const std::string& name);

/// Removes what is written before a record: arguments, listings and the index entry. Best effort,
/// even after a stop request. Failures are logged. Readers ignore the remaining objects, and
/// garbage collection removes them.
void RemoveStagedObjects(Context& context, const record::Record& record);

}  // namespace kinetic::job
