#include "kinetic/try.h"

#include "backend/local/target.h"
#include "base/time/clock.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "local/process_identity.h"
#include "record/heartbeat.h"
#include "record/object_names.h"
#include "record/task_id.h"
#include "store/age.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

std::string DescribeSupervisor(const record::Heartbeat& heartbeat) {
  return fmt::format("its supervisor, process {} on {},", heartbeat.pid, heartbeat.host);
}

}  // namespace

Result<bool> HasAttempt(Context& context, const std::string& id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto claim, context.store->Stat(record::ClaimName(id, 1), stop));
  if (claim || record::ParseTaskId(id)) return claim.has_value();
  bool has_task = false;
  const auto note = [&](const store::ObjectInfo&) -> Result<bool> {
    has_task = true;
    return false;
  };
  KINETIC_RETURN_IF_ERROR(context.store->List(record::TasksFolder(id), {}, note, std::move(stop)));
  return has_task;
}

Result<Liveness> CheckLiveness(Context& context, const record::Record& record,
                               std::stop_token stop) {
  const bool is_own = record.target_identity == context.target->Identity();
  Liveness liveness{.is_elsewhere = !is_own};
  if (!record.target_identity.starts_with(backend::kLocalIdentity)) {
    // The Jobs of another cluster are visible only there.
    if (!is_own) return liveness;
    KINETIC_ASSIGN_OR_RETURN(const bool started, HasAttempt(context, record.id, stop));
    if (started) {
      // It may have been started since the caller looked.
      KINETIC_ASSIGN_OR_RETURN(const auto seen, context.target->Observe(record.id, stop));
      if (!seen) liveness.gone = "its Job was deleted from the cluster";
    }
    KINETIC_ASSIGN_OR_RETURN(const ObjectAge age,
                             AgeOf(context, record::RecordName(record.id), stop));
    if (!started && age == ObjectAge::kOld)
      liveness.gone = "the client that submitted it ended before the job was started";
    return liveness;
  }
  KINETIC_ASSIGN_OR_RETURN(const auto last,
                           record::ReadHeartbeat(*context.store, KeyOf(record), stop));
  if (is_own && !last) {
    KINETIC_ASSIGN_OR_RETURN(const ObjectAge age,
                             AgeOf(context, record::RecordName(record.id), stop));
    if (age != ObjectAge::kOld) return liveness;
    KINETIC_ASSIGN_OR_RETURN(const bool started, HasAttempt(context, record.id, stop));
    liveness.gone = started ? "its runtime directory no longer exists on " + record.target_identity
                            : "the client that submitted it ended before the job was started";
    return liveness;
  }
  if (is_own && last->heartbeat.machine == local::MachineIdentity()) {
    const record::Heartbeat& heartbeat = last->heartbeat;
    const local::SupervisorIdentity supervisor{
        .pid = heartbeat.pid,
        .start_time = static_cast<std::uint64_t>(heartbeat.start_time),
        .boot_id = heartbeat.boot_id,
        .nonce = {}};
    if (local::IsAlive(supervisor)) return liveness;
    liveness.gone = DescribeSupervisor(heartbeat) + " is gone, and so is its runtime directory";
    return liveness;
  }
  liveness.is_elsewhere = true;
  auto sign = last ? std::optional(last->info) : std::nullopt;
  if (!sign) {
    KINETIC_ASSIGN_OR_RETURN(sign, context.store->Stat(record::RecordName(record.id), stop));
  }
  if (!sign) return liveness;
  const std::string source =
      last ? fmt::format("process {} on {}", last->heartbeat.pid, last->heartbeat.host)
           : record.target_identity;
  const std::string text =
      fmt::format("no heartbeat since {} from {}", FormatTime(sign->lease), source);
  const auto mark = fmt::format("{} {} {}", sign->name, sign->generation, sign->metageneration);
  const auto silent = context.silence.Since(record.id, mark, context.clock.Steady());
  if (silent >= record::kHeartbeatTimeout) {
    liveness.gone = text;
    return liveness;
  }
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, context.store->Now(std::move(stop)));
  if (store::IsOlder(sign->lease, now, record::kHeartbeatTimeout)) liveness.silent = text;
  return liveness;
}

}  // namespace kinetic::job
