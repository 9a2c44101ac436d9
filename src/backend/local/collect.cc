#include "kinetic/try.h"

#include "backend/local/runtimes.h"
#include "local/outputs.h"
#include "record/outcome.h"
#include "store/object_store.h"

#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::uint64_t kMaxCollectedBytes = 64U << 20;

/// Returns nullopt if the file is missing, or was damaged by a crash of the machine.
template <typename Parse>
auto ReadAs(FileSystem& fs, const Path& file, const Parse& parse)
    -> std::optional<typename std::invoke_result_t<Parse, std::string_view>::value_type> {
  const auto text = ReadFile(fs, file, kMaxCollectedBytes);
  if (!text) return std::nullopt;
  auto parsed = parse(*text);
  if (!parsed) return std::nullopt;
  return *std::move(parsed);
}

bool EndsCollecting(const Error& error) {
  return store::IsStoreUnavailable(error) || error.code == ErrorCode::kCancelled;
}

void RecordCollectError(record::StoredOutcome& stored, const Error& error) {
  stored.outcome.state = JobState::kFailed;
  stored.outcome.exit_code = record::kExitNotStored;
  stored.outcome.exit_source = ExitSource::kKinetic;
  stored.outcome.phase = Phase::kCollect;
  stored.outcome.reason = error.message;
  stored.outcome.value = {};
  stored.value.reset();
}

/// Adds the value of a function that returned to the outcome, or why it could not be stored.
void TakeValue(record::StoredOutcome& stored, Result<local::CollectedValue> value) {
  if (stored.outcome.state != JobState::kSucceeded) return;
  if (!value) {
    RecordCollectError(stored, value.error());
  } else if (value->inline_value) {
    stored.outcome.value = *std::move(value->inline_value);
  } else {
    stored.value = value->digest;
  }
}

}  // namespace

Result<CollectedState> CollectRuntime(FileSystem& fs, store::Store& store,
                                      const local::Runtime& runtime, std::string_view id,
                                      std::stop_token stop) {
  CollectedState state;
  auto opened = local::ProgramFiles::Open(fs, runtime.folder, std::nullopt);
  if (!opened) {
    // Without a folder, the job was never started here, or its folder was deleted.
    if (opened.error().code == ErrorCode::kNotFound) return state;
    return Failure(std::move(opened).error());
  }
  const local::ProgramFiles& files = *opened;
  state.outcome = ReadAs(fs, runtime.OutcomeFile(), record::OutcomeFromJson);
  if (state.outcome && state.outcome->job.id != id) state.outcome.reset();
  auto status = ReadAs(fs, runtime.StatusFile(), record::StatusFromJson);
  if (status && status->id != id) status.reset();
  const std::uint32_t attempt =
      state.outcome ? state.outcome->outcome.attempt : (status ? status->attempt : 1);
  if (files.fs().Lstat(runtime.Exchange() / "value.json")) {
    // Without an outcome, the value is stored but not assigned to the job.
    auto value =
        local::StoreValue(store, files.fs(), runtime.Exchange(), record::RunKey(id, attempt), stop);
    if (!value && EndsCollecting(value.error())) return Failure(std::move(value).error());
    if (state.outcome) TakeValue(*state.outcome, std::move(value));
  }
  KINETIC_ASSIGN_OR_RETURN(
      const auto outputs, local::StoreOutputs(store, files, runtime.Output(), id, std::move(stop)));
  if (outputs.failure && state.outcome && state.outcome->outcome.state == JobState::kSucceeded) {
    RecordCollectError(*state.outcome, *outputs.failure);
  }
  return state;
}

}  // namespace kinetic::backend
