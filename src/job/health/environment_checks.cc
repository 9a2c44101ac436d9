#include "kinetic/health.h"
#include "kinetic/try.h"

#include "backend/target.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "env/virtualenv/evict.h"
#include "env/virtualenv/seal.h"
#include "http/last_cause.h"
#include "job/context.h"
#include "record/store_probe.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace kinetic::inline v0 {
namespace {

constexpr std::uint64_t kLittleSpace = 1ULL << 30;
constexpr std::uint64_t kNoSpace = 64ULL << 20;
constexpr std::chrono::seconds kLargestSkew{30};
/// A check reports a refused connection or an unknown host at once.
constexpr std::chrono::seconds kRetryFor{1};
constexpr std::chrono::seconds kClusterTimeout{10};

void MarkFailed(HealthCheck& check, const Error& error) {
  check.health = Health::kFailed;
  check.evidence = error.message;
  check.advice = error.hint;
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

/// Returns why this user cannot write to one of the folders of the store, or nullopt. Each folder
/// has its own permissions.
std::optional<std::string> WhyPartlyUnwritable(const Path& store) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(store, ignored)) {
    const auto unwritable = entry.is_directory(ignored) ? WhyUnwritable(entry) : std::nullopt;
    if (unwritable)
      return fmt::format("cannot write to {}: {}", entry.path().native(), *unwritable);
  }
  return std::nullopt;
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
  if (const auto unwritable = IsInBucket(location) ? std::nullopt : WhyPartlyUnwritable(location)) {
    check.health = Health::kFailed;
    check.evidence = *unwritable;
    check.advice = "its owner can make it writable";
    return check;
  }
  check.evidence = fmt::format("{} is readable and writable", location);
  if (!IsInBucket(location) && std::filesystem::space(location, ignored).available < kNoSpace) {
    check.health = Health::kFailed;
    check.evidence = fmt::format("{} has no space for new jobs", location);
    check.advice = "free some space, for example with 'kinetic gc'";
  }
  return check;
}

/// Compares this machine's clock with that of a bucket, which responds.
HealthCheck CheckClock(job::Context& context, const std::stop_token& stop) {
  HealthCheck check{.name = "clock"};
  const WallTime before = context.clock.Now();
  const auto stored = context.store->ExactNow(stop);
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

HealthCheck CheckCluster(job::Context& context, const std::stop_token& stop) {
  HealthCheck check{.name = "cluster"};
  const Deadline deadline(kClusterTimeout, stop);
  const Status ready = context.target->Preflight(deadline.token());
  if (!ready) {
    MarkFailed(check, ready.error());
    if (ready.error().code != ErrorCode::kCancelled || !deadline.expired()) return check;
    check.evidence = fmt::format("{} did not respond within {} s{}", context.target->Identity(),
                                 kClusterTimeout.count(), http::CauseSuffix(ready.error()));
    check.advice = "check the address, the network and the proxy settings";
    return check;
  }
  check.evidence = fmt::format("{} accepts jobs", context.target->Identity());
  return check;
}

/// Returns nullopt if no environment of this machine is visibly damaged.
std::optional<HealthCheck> CheckEnvironments(const job::Context& context) {
  constexpr std::size_t kShownOfId = 12;
  const auto environments = env::ListEnvironments(context.fs, context.options.cache_dir);
  if (!environments) return std::nullopt;  // the check of the disk reports it
  HealthCheck check{.name = "environments", .health = Health::kWarning};
  for (const auto& environment : *environments) {
    const std::string damage = env::FindVisibleDamage(context.fs, environment);
    if (damage.empty()) continue;
    check.evidence += fmt::format("{}{} is damaged: {}", check.evidence.empty() ? "" : "; ",
                                  environment.id.substr(0, kShownOfId), damage);
  }
  if (check.evidence.empty()) return std::nullopt;
  check.advice = "the next job that uses it builds it again; 'kinetic env rm ID' removes it";
  return check;
}

}  // namespace

std::vector<HealthCheck> CheckSurroundings(ClientOptions options, std::stop_token stop) {
  std::vector<HealthCheck> checks = CheckDisks(options);
  options.cloud.retry_for = std::min(options.cloud.retry_for, kRetryFor);
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
  if (has_cluster) checks.push_back(CheckCluster(**context, stop));
  if (auto check = CheckEnvironments(**context)) checks.push_back(*std::move(check));
  return checks;
}

}  // namespace kinetic::inline v0
