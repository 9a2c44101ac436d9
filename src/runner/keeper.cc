#include "runner/keeper.h"

#include "base/deadline.h"
#include "base/try.h"
#include "record/index.h"
#include "record/layout.h"
#include "runner/diagnostics.h"
#include "store/bucket_location.h"

#include <utility>

namespace kinetic::runner {
namespace {

/// A bucket that answers is the right one; a folder may be there without the disk that belongs on
/// it.
std::string ProofFor(const store::Store& store, const std::string& id) {
  return store::IsBucketLocation(store.Location()) ? "" : record::RecordName(id);
}

}  // namespace

/// A shell gives the death of what it ran as 128 and the signal's number, which is at most 64.
bool WasKilled(const ProgramEnd& end) {
  const int shell = end.exit.ShellCode();
  return (shell > 128 && shell <= 128 + 64) || end.left_behind > 0 ||
         end.lingered != Lingered::kNot;
}

Keeper::Keeper(Collector::Seams seams, const record::Record& record, Options options)
    : seams_(seams),
      record_(record),
      options_(std::move(options)),
      board_(seams.fs, seams.clock, options_.runtime.StatusFile(), record.id, options_.on_shown),
      store_(seams.store, seams.clock,
             {.proof = ProofFor(seams.store, record.id),
              .stopped = hurried_.get_token(),
              .on_wait =
                  [this](std::string_view reason) {
                    DiagnoseError("showing the status", board_.Interject(reason));
                  }}),
      collector_({store_, seams.fs, seams.clock, seams.cloud}, record, options_.runtime,
                 options_.collecting),
      checkpoints_({store_, seams.fs, seams.clock},
                   {options_.runtime.Checkpoints(), options_.runtime.folder / "checkpoints.cache",
                    record.id}),
      outputs_({store_, seams.fs, seams.clock}, {options_.runtime.Output(), record.id}),
      compiled_(seams,
                {options_.runtime.Compiled(),
                 record.compiled ? record::CompiledFolder(*record.compiled) : std::string()},
                {}),
      uploader_(store_, seams.fs, seams.clock, {options_.runtime.Spool(), record.id, 0}) {}

Keeper::~Keeper() = default;

void Keeper::Take(const SpooledSegment& segment) {
  log_records_ = segment.next;
  uploader_.Take(segment);
}

void Keeper::Hurry() {
  hurried_.request_stop();
  uploader_.Hurry();
}

void Keeper::Show(JobState state, Phase phase, std::string_view reason) {
  board_.CountRecords(log_records_);
  DiagnoseError("showing the status", board_.Show(state, phase, reason));
}

void Keeper::BeginAttempt(std::uint32_t attempt) {
  board_.BeginAttempt(attempt);
  value_ = {};
}

Result<Keeper::Prepared> Keeper::Prepare(std::uint32_t attempt, const std::stop_token& stop) {
  auto compiled = std::async(std::launch::async, [&] { return compiled_.Fetch(stop); });
  {
    FetchBoard board(board_, seams_.clock);
    KINETIC_ASSIGN_OR_RETURN(const std::string detail, collector_.LayDown(board, stop));
    board_.Note("unpacked", detail);
  }
  NoteCompiled(compiled.get());
  KINETIC_ASSIGN_OR_RETURN(auto restored, checkpoints_.Restore(attempt, stop));
  if (restored) board_.Note("restored", *restored);
  KINETIC_ASSIGN_OR_RETURN(Arguments arguments, collector_.FetchArguments(stop));
  return Prepared{std::move(arguments), std::move(restored)};
}

Status Keeper::Resume(std::uint32_t attempt, const std::stop_token& stop) {
  DiagnoseError("looking for compiled programs", compiled_.Resume(stop));
  return checkpoints_.Resume(attempt, stop);
}

void Keeper::BeginRunning() {
  board_.Note("started");
  Show(JobState::kRunning, Phase::kRun, {});
  AwaitRunningIndex();
  // Beside the program, once: nobody depends on it, and a store that is away keeps nothing waiting.
  running_index_ = std::async(std::launch::async, [this, summary = Summary(nullptr)]() -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto there,
                             seams_.store.Stat(record::RecordName(record_.id), {}));
    if (!there) return {};
    return record::WriteIndex(seams_.store, summary, {});
  });
}

void Keeper::AwaitRunningIndex() {
  if (running_index_.valid()) DiagnoseError("writing the index", running_index_.get());
}

/// On a thread of its own: neither the program nor its log waits for the store.
void Keeper::BeginStoringValue(std::uint32_t attempt) {
  if (value_.valid()) return;  // it is told of once; more is the program's own invention
  board_.Note("returned");
  Show(JobState::kRunning, Phase::kRun, {});
  value_ = std::async(std::launch::async,
                      [this, attempt] { return collector_.StoreValue(attempt, {}); });
}

std::unique_ptr<Upkeep> Keeper::LookAfter() {
  return std::make_unique<Upkeep>(
      seams_.clock, std::vector<Upkeep::Chore>{
                        {"saving a checkpoint", [this] { return checkpoints_.Look({}); }},
                        {"storing outputs", [this] { return outputs_.Look({}); }},
                        {"keeping what was compiled", [this] { return compiled_.Look({}); }}});
}

void Keeper::NoteCompiled(Result<std::optional<std::string>> fetched) {
  if (!fetched) return DiagnoseError("fetching compiled programs", Failure(fetched.error()));
  if (*fetched) board_.Note("fetched", **fetched);
}

void Keeper::FinishCompiled(bool killed) {
  constexpr std::chrono::seconds kPatience{20};
  const Deadline deadline(kPatience, hurried_.get_token());
  DiagnoseError("keeping what was compiled", compiled_.Finish(killed, deadline.token()));
}

Status Keeper::FinishCheckpoints(bool killed) { return checkpoints_.Finish(killed, {}); }

}  // namespace kinetic::runner
