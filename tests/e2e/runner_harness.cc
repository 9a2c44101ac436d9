#include "e2e/runner_harness.h"

#include "base/process/subprocess.h"
#include "base/random.h"
#include "base/strings.h"
#include "bundle/format/tree.h"
#include "bundle/format/tree_codec.h"
#include "local/process_identity.h"
#include "local/runtime.h"
#include "record/job_record.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"
#include "store/open.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>
#include <utility>

namespace kinetic::test {
namespace {

constexpr std::chrono::seconds kPatience{120};

template <typename T>
T Must(Result<T> result, std::string_view what) {
  if (!result) {
    ADD_FAILURE() << what << ": " << result.error().message;
    std::abort();
  }
  return *std::move(result);
}

/// Starts `kinetic-runner supervise` with `request` as standard input; returns its answer.
std::string StartSupervisor(const std::string& request, const Path& folder) {
  const Path input = folder / ("request-" + RandomId());
  std::ofstream(input) << request;
  const std::string command = std::string(KINETIC_RUNNER) + " supervise < " + input.native();
  FILE* answer = ::popen(command.c_str(), "r");
  char line[4096] = {};
  const std::size_t count = ::fread(line, 1, sizeof line - 1, answer);
  const int status = ::pclose(answer);
  EXPECT_EQ(status, 0);
  return {line, count};
}

}  // namespace

std::string ReadWhole(const Path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void Eventually(const std::function<bool()>& condition, std::string_view what) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) FAIL() << "never: " << what;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

RunnerHarness::RunnerHarness()
    : store_(Must(store::Open((tree / "store").native(), {PosixFileSystem(), SystemClock()}, {}),
                  "opening a store")) {}

RunnerHarness::RunnerHarness(std::unique_ptr<store::Store> store) : store_(std::move(store)) {}

record::Record RunnerHarness::NewRecord() {
  record::Record record;
  record.id = "k-" + RandomId();
  record.created = SystemClock().Now();
  record.owner = "ana@laptop";
  record.client_version = "0.1.0";
  record.target = "local";
  record.target_identity = "local:test";
  record.nonce = ToHex(RandomBytes(16));
  record.spec.name = "test";
  record.spec.accelerators = {*ParseAccelerator("cpu")};
  record.spec.timeouts.grace = std::chrono::milliseconds(2000);
  return record;
}

Digest RunnerHarness::PutBundle(const std::map<std::string, std::string>& files) {
  bundle::Tree content;
  for (const auto& [path, text] : files) {
    bundle::TreeEntry entry;
    entry.path = path;
    entry.executable = text.starts_with("#!");
    entry.content = Sha256::Of(text);
    entry.size_bytes = text.size();
    if (!text.empty()) {
      entry.extents.push_back(
          {bundle::Extent::kInline, 0, content.inline_bytes.size(), text.size(), entry.content});
    }
    content.inline_bytes += text;
    content.entries.push_back(std::move(entry));
  }
  const Digest digest = bundle::TreeDigest(content.entries);
  const std::string object = Must(bundle::EncodeTree(content), "encoding a tree");
  EXPECT_TRUE(store::PutBytes(*store_, record::TreeName(digest), object,
                              store::Precondition::Absent(), {}));
  return digest;
}

record::Record RunnerHarness::FunctionJob(std::string_view source, std::string_view callable,
                                          Arguments args) {
  record::Record record = NewRecord();
  record.spec.function = FunctionReference{"job", std::string(callable)};
  record.spec.args = std::move(args);
  record.tree = PutBundle({{"job.py", std::string(source)}});
  return record;
}

record::Record RunnerHarness::ShellJob(std::string line) {
  record::Record record = NewRecord();
  record.spec.run = Command{std::move(line), {}};
  record.tree = PutBundle({{"data.txt", "data\n"}});
  return record;
}

std::string RunnerHarness::PutRecord(const record::Record& record) {
  record::Record written = record;
  if (!record.arguments_by_task) {
    written.inline_arguments = record::ArgumentsToJson(record.spec.args);
    written.arguments = Sha256::Of(*written.inline_arguments);
  }
  const std::string json = record::ToJson(written);
  EXPECT_TRUE(store::PutBytes(*store_, record::RecordName(record.id), json,
                              store::Precondition::Absent(), {}));
  return Sha256::Of(json).Hex();
}

void RunnerHarness::Start(const record::Record& record) {
  local::LaunchRequest request;
  request.job_id = record.id;
  request.record_sha256 = PutRecord(record);
  request.store = (tree / "store").native();
  request.state_dir = tree / "state";
  request.python = python;
  request.search_path = ::getenv("PATH");
  request.concurrency = concurrency;
  request.secrets = secrets;
  ASSERT_EQ(StartSupervisor(ToJson(request), tree.path()), local::kSupervisorReady);
}

record::StoredOutcome RunnerHarness::Await(const record::Record& record) {
  const auto supervisor = Supervisor(record);
  Eventually([&] { return !local::IsAlive(supervisor); }, "the supervisor ends");
  const std::string json = Stored(record::ResultName(record.id));
  EXPECT_FALSE(json.empty()) << ReadWhole(RuntimeOf(record).Diagnostics());
  if (json.empty()) return {};
  return Must(record::OutcomeFromJson(json), "reading result.json");
}

record::StoredOutcome RunnerHarness::Run(const record::Record& record) {
  Start(record);
  return Await(record);
}

void RunnerHarness::AwaitStatus(const record::Record& record,
                                const std::function<bool(const record::AttemptStatus&)>& wanted) {
  Eventually(
      [&] {
        const auto status = record::StatusFromJson(ReadWhole(RuntimeOf(record).StatusFile()));
        return status && wanted(*status);
      },
      "a status");
}

void RunnerHarness::AwaitRunning(const record::Record& record) {
  AwaitStatus(record, [](const record::AttemptStatus& status) {
    return status.state == JobState::kRunning;
  });
}

std::vector<LoggedLine> RunnerHarness::Log(const record::Record& record) {
  std::vector<LoggedLine> lines;
  const auto read = record::ReadStoredLog(
      *store_, KeyOf(record), 0,
      [&](const LogRecord& line) -> Status {
        lines.push_back({line.sequence, line.attempt, line.stream, std::string(line.text)});
        return {};
      },
      {});
  EXPECT_TRUE(read) << read.error().message;
  return lines;
}

std::string RunnerHarness::Text(const record::Record& record, Stream stream) {
  std::string text;
  for (const auto& line : Log(record)) {
    if (line.stream == stream) text += line.text;
  }
  return text;
}

bool RunnerHarness::HasResult(const record::Record& record) {
  return !Stored(record::ResultName(record.id)).empty();
}

std::string RunnerHarness::Stored(std::string_view name) {
  return Must(store::GetBytes(*store_, name, {}), name).value_or("");
}

local::Runtime RunnerHarness::RuntimeOf(const record::Record& record) const {
  return local::RuntimeOf(tree / "state", record.id);
}

local::SupervisorIdentity RunnerHarness::Supervisor(const record::Record& record) const {
  return Must(local::SupervisorIdentityFromJson(ReadWhole(RuntimeOf(record).Supervisor())),
              "reading supervisor.json");
}

void RunnerHarness::Cancel(const record::Record& record) const {
  std::ofstream(RuntimeOf(record).CancelRequest()).flush();
}

}  // namespace kinetic::test
