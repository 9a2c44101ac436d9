#include "kinetic/try.h"

#include "base/strings.h"
#include "env/virtualenv/evict.h"
#include "env/virtualenv/seal.h"
#include "job/environment/job_environment.h"
#include "job/summary.h"
#include "record/index.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kShownOfId = 12;

/// The jobs of each environment, newest first.
using Users = std::map<std::string, std::vector<JobSummary>>;

Result<Users> FindUsers(Context& context, const std::stop_token& stop) {
  Users users;
  KINETIC_ASSIGN_OR_RETURN(auto jobs, record::NewestJobs(*context.store, 0, stop));
  for (auto& job : jobs) {
    const auto record = ReadRecord(*context.store, job.id, stop);
    if (!record && record.error().code != ErrorCode::kDataLoss) return Failure(record.error());
    if (!record) {
      context.Log(LogLevel::kWarning,
                  "the environment of job " + job.id + " is unknown: " + record.error().message);
    } else if (*record) {
      users[(*record)->environment_id].push_back(std::move(job));
    }
  }
  return users;
}

std::vector<std::string> NamesOf(const std::vector<JobSummary>& jobs) {
  std::vector<std::string> names;
  for (const auto& job : jobs) {
    if (std::ranges::find(names, job.name) == names.end()) names.push_back(job.name);
  }
  return names;
}

/// A package set in the cache.
struct SetUse {
  std::uint64_t size_bytes = 0;
  std::uint64_t environments = 0;  ///< that link to it
};

using SetUses = std::map<Path, SetUse>;

Result<SetUses> FindSetUses(const Context& context,
                            const std::vector<env::CachedEnvironment>& environments) {
  SetUses uses;
  KINETIC_ASSIGN_OR_RETURN(const auto sets,
                           env::ListPackageSets(context.fs, context.options.cache_dir));
  for (const auto& set : sets) uses[set.root].size_bytes = set.size_bytes;
  for (const auto& environment : environments) {
    for (const Path& set : environment.package_sets) ++uses[set].environments;
  }
  return uses;
}

EnvironmentSummary SummaryOf(const env::CachedEnvironment& cached, const Users& users,
                             const SetUses& sets) {
  std::uint64_t size_bytes = cached.size_bytes;
  std::uint64_t shared_bytes = 0;
  for (const Path& set : cached.package_sets) {
    const SetUse& use = sets.at(set);
    size_bytes += use.size_bytes;
    if (use.environments > 1) shared_bytes += use.size_bytes;
  }
  const auto used = users.find(cached.id);
  return {.id = cached.id,
          .python = cached.python,
          .packages = cached.packages,
          .size_bytes = size_bytes,
          .shared_bytes = shared_bytes,
          .built_at = cached.built_at,
          // File timestamps are coarser than the clock.
          .last_used = std::max(cached.last_used, cached.built_at),
          .location = cached.root,
          .jobs = used == users.end() ? std::vector<std::string>() : NamesOf(used->second)};
}

Result<env::CachedEnvironment> FindByPrefix(const std::vector<env::CachedEnvironment>& all,
                                            std::string_view id) {
  std::vector<std::string> names;
  const env::CachedEnvironment* found = nullptr;
  for (const auto& one : all) {
    if (id.empty() || !one.id.starts_with(id)) continue;
    found = &one;
    names.push_back(one.id.substr(0, std::max(kShownOfId, id.size() + 1)));
  }
  if (names.size() == 1) return *found;
  if (names.empty()) {
    return Fail(ErrorCode::kNotFound, "environment " + Printable(id) + " does not exist",
                "list environments with 'kinetic env ls'");
  }
  return Fail(ErrorCode::kInvalidArgument,
              std::to_string(names.size()) + " environments have an id that begins with '" +
                  std::string(id) + "': " + Join(names, ", "),
              "use a longer prefix");
}

/// Fails if a job runs in the environment, or is about to.
Status CheckUnused(Context& context, const env::CachedEnvironment& environment, const Users& users,
                   const std::stop_token& stop) {
  const auto used = users.find(environment.id);
  if (used == users.end()) return {};
  for (const auto& job : used->second) {
    if (IsTerminal(job.state)) continue;
    KINETIC_ASSIGN_OR_RETURN(const JobSummary now, Refresh(context, job, stop));
    if (IsTerminal(now.state)) continue;
    return Fail(ErrorCode::kFailedPrecondition,
                "environment " + environment.id.substr(0, kShownOfId) + " is used by job " +
                    now.id + ", which is not finished",
                "wait for it, or cancel it: kinetic cancel " + now.id);
  }
  return {};
}

}  // namespace

Result<std::vector<EnvironmentSummary>> ListEnvironments(Context& context, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto cached,
                           env::ListEnvironments(context.fs, context.options.cache_dir));
  KINETIC_ASSIGN_OR_RETURN(const Users users, FindUsers(context, stop));
  KINETIC_ASSIGN_OR_RETURN(const SetUses sets, FindSetUses(context, cached));
  std::ranges::sort(cached, [](const auto& a, const auto& b) {
    return std::tie(b.last_used, a.id) < std::tie(a.last_used, b.id);
  });
  std::vector<EnvironmentSummary> summaries;
  summaries.reserve(cached.size());
  for (const auto& one : cached) {
    summaries.push_back(SummaryOf(one, users, sets));
    summaries.back().damage = env::FindVisibleDamage(context.fs, one);
  }
  return summaries;
}

Result<std::vector<EnvironmentSummary>> RemoveEnvironments(Context& context,
                                                           const std::vector<std::string>& ids,
                                                           std::stop_token stop) {
  const Path& cache = context.options.cache_dir;
  KINETIC_ASSIGN_OR_RETURN(const auto all, env::ListEnvironments(context.fs, cache));
  KINETIC_ASSIGN_OR_RETURN(const Users users, FindUsers(context, stop));
  KINETIC_ASSIGN_OR_RETURN(const SetUses sets, FindSetUses(context, all));
  std::map<std::string, env::CachedEnvironment> found;
  for (const std::string& id : ids) {
    KINETIC_ASSIGN_OR_RETURN(auto one, FindByPrefix(all, id));
    KINETIC_RETURN_IF_ERROR(CheckUnused(context, one, users, stop));
    found.insert_or_assign(one.id, std::move(one));
  }
  std::vector<EnvironmentSummary> removed;
  for (const auto& [id, one] : found) {
    KINETIC_ASSIGN_OR_RETURN(const bool is_removed, env::EvictEnvironment(context.fs, cache, one));
    if (!is_removed) {
      return Fail(
          ErrorCode::kFailedPrecondition,
          "environment " + id.substr(0, kShownOfId) + " is being built or used by a new job",
          "try again after that job has ended");
    }
    removed.push_back(SummaryOf(one, users, sets));
  }
  return removed;
}

}  // namespace kinetic::job
