#include "job/definition.h"

#include "kinetic/try.h"

#include "job/recorded_job.h"
#include "record/passed_function.h"
#include "record/task_id.h"

#include <utility>

namespace kinetic::job {

Result<JobDefinition> ReadDefinition(Context& context, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const record::Record record,
                           RequireRecord(context, id, "describe", stop));
  JobDefinition definition;
  KINETIC_ASSIGN_OR_RETURN(JobSpec spec, ReadSpecOf(context, record, stop));
  definition.spec = record::AsWritten(std::move(spec));
  if (record.git) {
    definition.commit = record.git->commit;
    definition.branch = record.git->branch;
  }
  definition.image = record.environment_image;
  definition.rerun_of = record.rerun_of;
  // A damaged lock only hides the number of packages.
  const auto lock = FindLockOf(context, record, std::move(stop));
  if (!lock && lock.error().code != ErrorCode::kDataLoss) return Failure(lock.error());
  if (lock && *lock) {
    definition.python = (*lock)->python;
    definition.packages = (*lock)->packages.size();
  }
  return definition;
}

}  // namespace kinetic::job
