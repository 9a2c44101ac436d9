#include "local_project.h"

#include "local/process_identity.h"
#include "local/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

namespace kinetic::test {
namespace fs = std::filesystem;

LocalProject::LocalProject() { fs::create_directories(Root()); }

/// A failed test may leave jobs behind.
LocalProject::~LocalProject() {
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator(StateDir() / "jobs", ignored)) {
    const auto json = ReadFile(PosixFileSystem(), folder.path() / "supervisor.json", 4096);
    const auto identity = json ? local::SupervisorIdentityFromJson(*json)
                               : Result<local::SupervisorIdentity>(Failure(json.error()));
    if (!identity) continue;
    if (local::IsAlive(*identity)) ::kill(static_cast<pid_t>(identity->pid), SIGKILL);
    (void)local::EndProcesses(identity->nonce, std::chrono::milliseconds(0), SystemClock(), {});
  }
}

void LocalProject::Write(std::string_view name, std::string_view content,
                         std::uint32_t mode) const {
  tree_.Write("project/" + std::string(name), content, mode);
}

ClientOptions LocalProject::Options() const {
  ClientOptions options;
  options.profile.store = Store();
  options.profile.concurrency = concurrency;
  options.state_dir = StateDir();
  options.cache_dir = KINETIC_TEST_CACHE;
  options.runner = KINETIC_TEST_RUNNER;
  options.search_path = "/usr/local/bin:/usr/bin:/bin";
  options.environment = environment;
  options.owner = "ana@laptop";
  return options;
}

Client LocalProject::Open() const { return Must(Client::Open(Options())); }

Client LocalProject::OpenOnOtherMachine() const {
  ClientOptions options = Options();
  options.state_dir = tree_ / "elsewhere";
  return Must(Client::Open(std::move(options)));
}

JobSpec LocalProject::Job(std::string_view text) const {
  JobFileOptions options;
  options.environment = environment;
  options.directory = Root();
  return Must(ParseJobFile(text, Root() / "job.yaml", options));
}

std::vector<std::string> ReadLog(const Job& job, const LogOptions& options) {
  std::vector<std::string> lines;
  const auto read = job.Logs(options, [&](const LogRecord& record) -> Status {
    constexpr std::string_view kStreams = " oes";
    lines.push_back(std::to_string(record.sequence) +
                    kStreams[static_cast<std::size_t>(record.stream)] + " " +
                    std::string(record.text));
    return {};
  });
  EXPECT_TRUE(read || read.error().code == ErrorCode::kCancelled) << read.error().message;
  return lines;
}

std::vector<std::string> Objects(const Path& store) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(store, ignored)) {
    const auto name = entry.path().lexically_relative(store).native();
    if (entry.is_regular_file() && !name.starts_with('.')) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

bool Eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void RecordingObserver::OnPhaseBegin(Phase, std::string_view) {}

void RecordingObserver::OnPhaseEnd(Phase phase, std::string_view detail) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(std::string(Name(phase)) + ": " + std::string(detail));
}

void RecordingObserver::OnWarning(std::string_view message) {
  const std::lock_guard lock(mutex_);
  warnings_.emplace_back(message);
}

std::vector<std::string> RecordingObserver::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::vector<std::string> RecordingObserver::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

}  // namespace kinetic::test
