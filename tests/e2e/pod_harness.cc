#include "e2e/pod_harness.h"

#include "base/strings.h"
#include "local/process_identity.h"
#include "pod/collect_request.h"
#include "record/object_names.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

namespace kinetic::test {
namespace {

int Await(pid_t& pid) {
  if (pid < 0) return -1;
  int status = 0;
  Eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }, "a process ends");
  pid = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Kill(pid_t& pid) {
  if (pid < 0) return;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  pid = -1;
}

}  // namespace

Pod::Pod(Path folder, std::map<std::string, std::string> collector_environment)
    : folder_(std::move(folder)), environment_(std::move(collector_environment)) {
  std::filesystem::create_directories(folder_);
  StartCollector();
  pid_t install = Spawn({KINETIC_RUNNER, "install", folder_.native()}, {}, OpenOutput("install"),
                        OpenOutput("install.err"), {}, 0);
  EXPECT_EQ(Await(install), 0) << ReadWhole(folder_ / "install");
}

Pod::~Pod() {
  KillContainer();
  KillCollector();
}

int Pod::OpenOutput(std::string_view name) const {
  return ::open((folder_ / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

pid_t Pod::Spawn(const std::vector<std::string>& argv,
                 const std::map<std::string, std::string>& environment, int out, int err,
                 const Path& root, uid_t user) {
  std::vector<std::string> assignments;
  for (const auto& [name, value] : environment) assignments.push_back(name + "=" + value);
  std::vector<char*> words;
  std::vector<char*> variables;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  for (const auto& text : assignments) variables.push_back(const_cast<char*>(text.c_str()));
  words.push_back(nullptr);
  variables.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) {
    ::close(out);
    if (err != out) ::close(err);
    return pid;
  }
  ::setsid();
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (!root.empty() && (::chroot(root.c_str()) < 0 || ::chdir("/") < 0)) ::_exit(99);
  if (user != 0 && (::setgid(user) < 0 || ::setuid(user) < 0)) ::_exit(97);
  ::execve(words[0], words.data(), variables.data());
  ::_exit(98);
}

void Pod::StartCollector() {
  collector_ = Spawn({KINETIC_RUNNER, "collect", run().native()}, environment_,
                     OpenOutput("printed"), OpenOutput("diagnosed"), {}, 0);
}

void Pod::StartLauncher(const Options& options) {
  auto environment = options.environment;
  environment.try_emplace("PATH", ::getenv("PATH"));
  const int output = options.output < 0 ? OpenOutput("output") : options.output;
  launcher_ = Spawn({(folder_ / "bin/kinetic-launcher").native()}, environment, output, output,
                    options.root, options.user);
}

int Pod::AwaitLauncher() { return Await(launcher_); }

int Pod::EndCollector() {
  if (collector_ > 0) ::kill(collector_, SIGTERM);
  return Await(collector_);
}

void Pod::Terminate() const { ::kill(launcher_, SIGTERM); }

void Pod::KillContainer() {
  if (launcher_ < 0) return;
  ::kill(launcher_, SIGSTOP);
  auto all = local::ProcessesOf({}, launcher_);
  for (const auto& process : all) ::kill(process.pid, SIGKILL);
  Kill(launcher_);
}

void Pod::KillCollector() { Kill(collector_); }

void Pod::FreezeCollector() const { ::kill(collector_, SIGSTOP); }
void Pod::ThawCollector() const { ::kill(collector_, SIGCONT); }

bool Pod::Has(std::string_view file) const {
  return std::filesystem::exists(std::filesystem::symlink_status(run() / file));
}

std::string Pod::Output() const { return ReadWhole(folder_ / "output"); }
std::string Pod::Printed() const {
  return ReadWhole(folder_ / "printed") + ReadWhole(folder_ / "diagnosed");
}

std::vector<LoggedLine> Pod::PrintedRecords() const {
  std::vector<LoggedLine> records;
  pod::LogLineReader reader;
  const std::string printed = Printed();
  for (const auto line : Split(printed, '\n')) {
    (void)reader.Read(line, [&](const LogRecord& record) -> Status {
      records.push_back({record.sequence, record.attempt, record.stream, std::string(record.text)});
      return {};
    });
  }
  return records;
}

std::string Pod::PrintedEnd() const {
  const std::string printed = Printed();
  pod::LogLineReader reader;
  const auto ignore = [](const LogRecord&) -> Status { return {}; };
  for (const auto line : Split(printed, '\n')) {
    const auto end = reader.Read(line, ignore);
    if (end && *end) return (*end)->outcome + " " + (*end)->result_sha256;
  }
  return {};
}

PodHarness::PodHarness() = default;

PodHarness::PodHarness(std::unique_ptr<store::Store> store, CloudOptions cloud)
    : RunnerHarness(std::move(store)), cloud_(std::move(cloud)) {}

void PodHarness::Submit(const record::Record& job) {
  if (!sha256_.contains(job.id)) sha256_[job.id] = PutRecord(job);
}

std::unique_ptr<Pod> PodHarness::StartPod(const record::Record& job) {
  return StartPodIn(tree / ("pod-" + std::to_string(pods_ + 1)), job);
}

std::unique_ptr<Pod> PodHarness::StartPodIn(const Path& folder, const record::Record& job) {
  Submit(job);
  const std::string name = "pod-" + std::to_string(++pods_);
  pod::CollectRequest request;
  request.job_id = job.id;
  request.record_sha256 = sha256_[job.id];
  request.nonce = job.nonce;
  request.store = store().Location();
  request.cloud = cloud_;
  request.image = "registry/image:1";
  std::map<std::string, std::string> environment{
      {std::string(pod::kCollectRequestVariable), pod::ToJson(request)},
      {std::string(pod::kPodUidVariable), "uid-" + name},
      {std::string(pod::kPodNameVariable), name},
      {std::string(pod::kNodeVariable), "node-1"}};
  if (task) environment.emplace(pod::kTaskVariable, std::to_string(*task));
  return std::make_unique<Pod>(folder, std::move(environment));
}

int PodHarness::RunPod(const record::Record& job, const Pod::Options& options) {
  last = StartPod(job);
  last->StartLauncher(options);
  const int code = last->AwaitLauncher();
  EXPECT_EQ(last->EndCollector(), 0) << last->Printed();
  return code;
}

record::StoredOutcome PodHarness::Outcome(const record::Record& job) {
  const std::string json = Stored(record::ResultName(job.id));
  const auto outcome = record::OutcomeFromJson(json);
  EXPECT_TRUE(outcome) << (last ? last->Printed() : json);
  return outcome ? *outcome : record::StoredOutcome{};
}

std::string PythonVersion() {
  const std::string command = std::string("PATH=") + kPath +
                              " python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'";
  const std::unique_ptr<FILE, decltype(&::pclose)> answer(::popen(command.c_str(), "r"), &::pclose);
  char line[64] = {};
  EXPECT_NE(::fgets(line, sizeof line, answer.get()), nullptr) << "no python3 in " << kPath;
  return std::string(Trim(line));
}

}  // namespace kinetic::test
