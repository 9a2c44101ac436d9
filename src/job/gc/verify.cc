#include "kinetic/try.h"

#include "bundle/gc/content_removal.h"
#include "job/find.h"
#include "job/gc/garbage.h"
#include "job/lifecycle/outcome.h"
#include "record/log/stored_log.h"

#include <algorithm>
#include <utility>

namespace kinetic::job {
namespace {

Status VerifyResult(Context& context, const std::string& id, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto stored, ReadIntactResult(context, id, stop));
  if (stored) KINETIC_RETURN_IF_ERROR(WithValue(*context.store, id, *std::move(stored), stop));
  return {};
}

Status VerifyLog(Context& context, const std::string& id, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const record::JobKey key, FindKey(context, id, stop));
  const auto skip = [](const LogRecord&) -> Status { return {}; };
  KINETIC_RETURN_IF_ERROR(record::ReadStoredLog(*context.store, key, 0, skip, stop));
  return {};
}

}  // namespace

Status VerifyContent(Context& context, const GarbageOptions& options, GarbageReport& report,
                     std::stop_token stop) {
  constexpr std::size_t kRequests = 16;
  KINETIC_ASSIGN_OR_RETURN(const auto check, bundle::CheckContent(*context.store, kRequests, stop));
  GarbageReport::Class found{.name = "verified", .kept = check.objects, .kept_bytes = check.bytes};
  for (const auto& object : check.unusable) {
    report.removed.push_back(object.info.name);
    found.kept -= 1;
    found.kept_bytes -= std::min(found.kept_bytes, object.info.size_bytes);
    Count(found, object.info.size_bytes, true);
    report.warnings.push_back(object.problem);
    if (options.dry_run) continue;
    const auto removal = context.store->RemoveIfUnchanged(object.info, stop);
    if (!removal && removal.error().code != ErrorCode::kPermissionDenied) {
      return Failure(removal.error());
    }
    report.warnings.back() += removal ? " (it was removed)" : ": " + removal.error().message;
  }
  report.classes.push_back(std::move(found));
  return {};
}

Status VerifyJob(Context& context, const std::string& id,
                 const std::function<void(const Error&)>& on_damage, std::stop_token stop) {
  for (const auto verify : {&VerifyResult, &VerifyLog}) {
    const Status verified = verify(context, id, stop);
    if (verified) continue;
    if (verified.error().code != ErrorCode::kDataLoss) return verified;
    on_damage(verified.error());
  }
  return {};
}

}  // namespace kinetic::job
