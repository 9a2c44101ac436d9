#include "job/submit/concurrent_submit.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "job/submit/build_record.h"
#include "job/submit/prepare.h"
#include "job/submit/staged_objects.h"
#include "record/index.h"
#include "record/object_names.h"

#include <array>
#include <functional>

namespace kinetic::job {
namespace {

/// Best effort, even after a stop request. A job without a record ends by itself.
void RollbackJob(Context& context, const record::Record& record) {
  const auto tell = [&](const Status& status) {
    if (!status) context.Log(LogLevel::kWarning, status.error().message);
  };
  tell(context.target->Remove(record.id, {}));
  tell(RemoveObject(*context.store, record::RecordName(record.id)));
  RemoveStagedObjects(context, record);
}

}  // namespace

bool CanSubmitConcurrently(const Context& context, const PreparedJob& prepared,
                           const JobObjects& objects, const std::string& chosen_id) {
  return context.target->Traits().runner_awaits_record && chosen_id.empty() &&
         objects.listings.empty() && objects.record.inline_arguments.has_value() &&
         !prepared.lease->HasDeferredTrees();
}

Status SubmitConcurrently(Context& context, const PreparedJob& prepared,
                          const record::Record& record, const std::stop_token& stop) {
  store::Store& store = *context.store;
  const std::string json = record::ToJson(record);
  const backend::Launch launch{.record = &record,
                               .record_digest = Sha256::Of(json),
                               .environment = {},
                               .secrets = prepared.secrets};
  const std::array<std::function<Status(const std::stop_token&)>, 3> parts{
      [&](const std::stop_token& stopping) -> Status {
        KINETIC_ASSIGN_OR_RETURN(const auto put,
                                 store::PutBytes(store, record::RecordName(record.id), json,
                                                 store::Precondition::Absent(), stopping));
        if (put) return {};
        return Fail(ErrorCode::kAlreadyExists, "job " + record.id + " exists");
      },
      [&](const std::stop_token& stopping) {
        return record::CreateIndex(store, record::SummaryOf(record), stopping);
      },
      [&](const std::stop_token& stopping) { return context.target->Start(launch, stopping); }};
  auto all = ParallelFor(
      parts.size(), parts.size(), stop,
      [&](std::size_t part, const std::stop_token& stopping) { return parts.at(part)(stopping); });
  if (!all) RollbackJob(context, record);
  return all;
}

}  // namespace kinetic::job
