#include "kinetic/health.h"
#include "kinetic/try.h"

#include "backend/target.h"
#include "base/process/subprocess.h"
#include "base/strings.h"
#include "job/context.h"
#include "job/health/tools.h"
#include "record/store_probe.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace kinetic::inline v0 {
namespace {

constexpr std::uint64_t kLittleSpace = 1ULL << 30;
constexpr std::uint64_t kNoSpace = 64ULL << 20;
constexpr std::chrono::seconds kLargestSkew{30};
constexpr std::chrono::seconds kRetryFor{5};
constexpr std::chrono::seconds kClusterTimeout{10};

/// Keeps the reason of the last retry.
class LastWait final : public WaitSink {
 public:
  void OnWait(std::string_view what, std::chrono::milliseconds /*elapsed*/) override {
    const std::lock_guard lock(mutex_);
    what_ = what;
  }
  std::string what() const {
    const std::lock_guard lock(mutex_);
    return what_;
  }

 private:
  mutable std::mutex mutex_;
  std::string what_;
};

void MarkFailed(HealthCheck& check, const Error& error) {
  check.health = Health::kFailed;
  check.evidence = error.message;
  check.advice = error.hint;
}

HealthCheck CheckGit(const ClientOptions& options, const std::stop_token& stop) {
  HealthCheck check{.name = "git"};
  const auto git = FindExecutable("git", options.search_path);
  const std::string line = git ? job::VersionLine(*git, options, stop) : std::string();
  if (line.empty()) {
    check.health = Health::kWarning;
    check.evidence = git ? git->native() + " cannot be run" : "missing: no git on PATH";
    check.advice = "jobs do not record the changes in their code since the last commit";
    return check;
  }
  check.version = line.substr(line.rfind(' ') + 1);
  check.path = git->native();
  check.evidence = fmt::format("{} at {}", check.version, check.path);
  return check;
}

/// Returns the folder, or the nearest existing one above it.
Path Existing(Path folder) {
  std::error_code ignored;
  while (!std::filesystem::exists(folder, ignored) && folder.has_relative_path())
    folder = folder.parent_path();
  return folder;
}

/// Returns why nothing can be created in a folder, or nullopt.
std::optional<std::string> WhyUnwritable(const Path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return std::error_code(errno, std::generic_category()).message();
}

HealthCheck CheckDisk(std::string name, const Path& folder, const std::string& move) {
  HealthCheck check{.name = std::move(name)};
  const Path existing = Existing(folder);
  std::error_code error;
  const auto space = std::filesystem::space(existing, error);
  const auto unwritable = WhyUnwritable(existing);
  if (error || unwritable) {
    check.health = Health::kFailed;
    check.evidence = fmt::format("cannot write to {}: {}", existing.native(),
                                 unwritable.value_or(error.message()));
    check.advice = move;
    return check;
  }
  check.evidence = fmt::format("{} free in {}", FormatBytes(space.available), folder.native());
  if (space.available < kLittleSpace) {
    check.health = space.available < kNoSpace ? Health::kFailed : Health::kWarning;
    check.advice = "free some space, for example with 'kinetic gc', or " + move;
  }
  return check;
}

std::vector<HealthCheck> CheckDisks(const ClientOptions& options) {
  std::vector<HealthCheck> checks;
  if (!IsInBucket(options.profile.store))
    checks.push_back(CheckDisk("store disk", options.profile.store,
                               "set another folder with --store or KINETIC_STORE"));
  checks.push_back(CheckDisk("state disk", options.state_dir,
                             "set another folder with --state-dir or KINETIC_STATE_DIR"));
  checks.push_back(CheckDisk("cache disk", options.cache_dir,
                             "set another folder with --cache-dir or KINETIC_CACHE_DIR"));
  return checks;
}

void CheckNewStore(HealthCheck& check, const std::string& location) {
  const Path parent = Existing(location);
  check.evidence = fmt::format("{} does not exist yet; the first job creates it", location);
  const auto unwritable = WhyUnwritable(parent);
  if (!unwritable) return;
  check.health = Health::kFailed;
  check.evidence =
      fmt::format("{} cannot be created: {}: {}", location, parent.native(), *unwritable);
  check.advice = "set another folder with --store or KINETIC_STORE";
}

HealthCheck CheckStore(job::Context& context, const std::stop_token& stop) {
  HealthCheck check{.name = "store"};
  const std::string& location = context.options.profile.store;
  std::error_code ignored;
  if (!IsInBucket(location) && !std::filesystem::exists(location, ignored)) {
    CheckNewStore(check, location);
    return check;
  }
  if (const Status written = record::ProbeStore(*context.store, stop); !written) {
    MarkFailed(check, written.error());
    return check;
  }
  check.evidence = fmt::format("{} is readable and writable", location);
  return check;
}

/// Compares this machine's clock with that of a bucket, which responds.
HealthCheck CheckClock(job::Context& context, const std::stop_token& stop) {
  HealthCheck check{.name = "clock"};
  const WallTime before = context.clock.Now();
  const auto stored = context.store->Now(stop);
  if (!stored) {
    check.health = Health::kWarning;
    check.evidence = "cannot be compared with the store's clock: " + stored.error().message;
    return check;
  }
  const auto skew = std::chrono::duration_cast<std::chrono::seconds>(before - *stored);
  const auto size = std::chrono::abs(skew);
  check.evidence = size <= std::chrono::seconds{1}
                       ? "agrees with the store's clock"
                       : fmt::format("{} s {} the store's clock", size.count(),
                                     skew.count() > 0 ? "ahead of" : "behind");
  if (size > kLargestSkew) {
    check.health = Health::kFailed;
    check.advice = "set this machine's clock, for example with 'timedatectl set-ntp true'";
  }
  return check;
}

/// Calls `work` with a token that is stopped after the timeout.
Status WithTimeout(const std::function<Status(std::stop_token)>& work,
                   const std::stop_token& stop) {
  std::stop_source limited;
  const std::stop_callback forward(stop, [&] { limited.request_stop(); });
  std::mutex mutex;
  std::condition_variable_any passed;
  const std::jthread timer([&](const std::stop_token& ended) {
    std::unique_lock lock(mutex);
    passed.wait_for(lock, ended, kClusterTimeout, [] { return false; });
    limited.request_stop();
  });
  return work(limited.get_token());
}

HealthCheck CheckCluster(job::Context& context, const LastWait& waits,
                         const std::stop_token& stop) {
  HealthCheck check{.name = "cluster"};
  const Status ready = WithTimeout(
      [&](std::stop_token limited) { return context.target->Preflight(std::move(limited)); }, stop);
  if (!ready) {
    MarkFailed(check, ready.error());
    if (ready.error().code != ErrorCode::kCancelled || stop.stop_requested()) return check;
    const std::string wait = waits.what();
    check.evidence = fmt::format("{} did not respond within {} s{}", context.target->Identity(),
                                 kClusterTimeout.count(), wait.empty() ? "" : ": " + wait);
    check.advice = "check the address, the network and the proxy settings";
    return check;
  }
  check.evidence = fmt::format("{} accepts jobs", context.target->Identity());
  return check;
}

}  // namespace

std::vector<HealthCheck> CheckSurroundings(ClientOptions options, std::stop_token stop) {
  std::vector<HealthCheck> checks = {CheckGit(options, stop)};
  for (HealthCheck& disk : CheckDisks(options)) checks.push_back(std::move(disk));
  options.cloud.retry_for = std::min(options.cloud.retry_for, kRetryFor);
  LastWait waits;  // outlives the context
  options.cloud.waits = &waits;
  const bool has_cluster = options.profile.kind != TargetKind::kLocal;
  const bool is_bucket = IsInBucket(options.profile.store);
  const auto context = job::OpenContext(std::move(options), stop);
  if (!context) {
    MarkFailed(checks.emplace_back(HealthCheck{.name = "target"}), context.error());
    return checks;
  }
  checks.push_back(CheckStore(**context, stop));
  const bool is_store_good = checks.back().health == Health::kGood;
  if (is_bucket && is_store_good) checks.push_back(CheckClock(**context, stop));
  if (has_cluster) checks.push_back(CheckCluster(**context, waits, stop));
  return checks;
}

}  // namespace kinetic::inline v0
