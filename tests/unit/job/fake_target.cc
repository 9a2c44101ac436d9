#include "fake_target.h"

#include "kinetic/try.h"

#include "job/lifecycle/logs.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/log/segment.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "store/folder_store.h"
#include "store/open.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kinetic::test {

Status FakeTarget::Start(const backend::Launch& launch, std::stop_token) {
  KINETIC_RETURN_IF_ERROR(before_start(launch));
  jobs[launch.record->id].observation.alive = true;
  return {};
}

Result<std::optional<backend::Observation>> FakeTarget::Observe(std::string_view id,
                                                                std::stop_token) {
  const auto found = jobs.find(std::string(id));
  if (found == jobs.end()) return std::optional<backend::Observation>();
  backend::Observation observation = found->second.observation;
  observation.may_start = !is_cluster && !observation.alive && !found->second.was_started;
  return std::optional(std::move(observation));
}

Result<std::optional<Explanation>> FakeTarget::Explain(std::string_view id, std::stop_token) {
  const auto found = jobs.find(std::string(id));
  if (found == jobs.end()) return std::optional<Explanation>();
  return found->second.explanation;
}

Status FakeTarget::Watch(std::string_view,
                         const std::function<Status(const backend::Observation&)>&,
                         std::stop_token) {
  return {};
}

Result<backend::LogRead> FakeTarget::Logs(std::string_view id, std::uint64_t from_sequence, bool,
                                          const LogRecordSink& reader, std::stop_token) {
  before_logs();
  const auto found = jobs.find(std::string(id));
  if (found == jobs.end() || from_sequence < found->second.first_in_spool)
    return backend::LogRead{from_sequence};
  const auto& log = found->second.log;
  for (std::uint64_t i = from_sequence; i < log.size(); ++i) {
    if (auto read = reader({.sequence = i, .text = log[i]}); !read) {
      return Failure(std::move(read).error());
    }
  }
  if (found->second.log_error) return Failure(*found->second.log_error);
  return backend::LogRead{std::max<std::uint64_t>(from_sequence, log.size()),
                          found->second.log_is_whole};
}

Status FakeTarget::Cancel(std::string_view, std::stop_token) { return {}; }

Status FakeTarget::Remove(std::string_view id, std::stop_token) {
  jobs.erase(std::string(id));
  return {};
}

Result<std::vector<backend::AbandonedJob>> FakeTarget::Sweep(std::stop_token) {
  KINETIC_RETURN_IF_ERROR(sweep_status);
  std::vector<backend::AbandonedJob> lost;
  for (const auto& [id, job] : jobs) {
    if (job.lost.empty()) continue;
    const bool is_kept_here = job.outcome.has_value() && !is_cluster;
    lost.push_back({.id = id,
                    .evidence = job.lost,
                    .status = job.observation.status,
                    .outcome_location = is_kept_here ? "/state/jobs/" + id : std::string(),
                    .age = job.age});
  }
  return lost;
}

Result<backend::CollectedState> FakeTarget::Collect(std::string_view id, store::Store&,
                                                    std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(before_collect(std::move(stop)));
  const auto found = jobs.find(std::string(id));
  if (found == jobs.end()) return backend::CollectedState{};
  return backend::CollectedState{found->second.outcome, found->second.log_availability};
}

FakeContext::FakeContext(FileSystem& fs) {
  clock_.Jump(std::chrono::system_clock::now() - clock_.Now());
  auto target = std::make_unique<FakeTarget>();
  target_ = target.get();
  const std::string location = (tree_ / "store").native();
  EXPECT_TRUE(store::Open(location, {PosixFileSystem(), clock_}, {}));
  context_ = std::shared_ptr<job::Context>(new job::Context{
      {},
      fs,
      clock_,
      std::make_unique<connect::LazyConnection>(CloudOptions{}, connect::Dependencies{fs, clock_}),
      std::make_unique<store::FolderStore>(location, fs, clock_),
      std::move(target)});
  clusters_.emplace(context_,
                    [this](const std::string& identity,
                           std::stop_token) -> Result<std::shared_ptr<backend::Target>> {
                      const auto found = clusters_by_identity.find(identity);
                      if (found != clusters_by_identity.end())
                        return std::shared_ptr<backend::Target>(found->second);
                      return Fail(ErrorCode::kFailedPrecondition, "no context leads to " + identity,
                                  "use another");
                    });
}

record::Record FakeContext::Submit(const std::string& id, const std::string& name,
                                   const std::string& identity, const std::string& nonce) {
  record::Record record;
  record.id = id;
  record.created = clock_.Now();
  record.spec.name = name;
  record.spec.run = Command{.shell = "true"};
  record.target_identity = identity;
  record.nonce = nonce;
  record.price = target_->price;
  EXPECT_TRUE(record::CreateIndex(store(), record::SummaryOf(record), {}));
  EXPECT_TRUE(store::PutBytes(store(), record::RecordName(id), record::ToJson(record),
                              store::Precondition::Absent(), {}));
  return record;
}

void FakeContext::StoreSegment(const std::string& id, std::uint64_t first,
                               const std::vector<std::string>& texts) {
  std::string plain = record::SegmentHeader(1, first);
  for (const auto& text : texts) record::AppendRecord(plain, Stream::kStdout, 0, text);
  EXPECT_TRUE(store::Overwrite(store(), record::LogSegmentName(record::RunKey(id, 1), first),
                               record::Seal(plain), {},
                               record::OwnerMetadata(*job::FindKey(*context_, id, {}))));
}

void FakeContext::StoreResult(const std::string& id, JobState state, std::uint64_t log_records) {
  record::StoredOutcome stored;
  stored.job = job::FindKey(*context_, id, {}).value();
  stored.outcome.state = state;
  stored.written_by = "runner";
  stored.log_records = log_records;
  stored.moments.push_back({"finished", clock_.Now(), {}});
  EXPECT_TRUE(store::PutBytes(store(), record::ResultName(id), record::ToJson(stored),
                              store::Precondition::Absent(), {}));
}

std::vector<std::string> FakeContext::ReadLog(const std::string& id, const LogOptions& options) {
  std::vector<std::string> texts;
  const auto read = job::ReadLogs(*context_, id, options,
                                  [&](const LogRecord& record) -> Status {
                                    texts.emplace_back(record.text);
                                    return {};
                                  },
                                  {});
  EXPECT_TRUE(read) << read.error().message;
  return texts;
}

}  // namespace kinetic::test
