#include "job/recorded_job.h"

#include "kinetic/try.h"

#include "env/resolve/resolver.h"
#include "job/summary.h"
#include "record/object_names.h"
#include "record/task_arguments.h"
#include "record/task_id.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace kinetic::job {
namespace {

/// Reads an object of a job and checks its digest.
Result<std::string> ReadChecked(Context& context, std::string_view id, const std::string& name,
                                const Digest& digest, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto text, store::GetBytes(*context.store, name, stop));
  if (!text || Sha256::Of(*text) != digest) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("cannot read job {}: {} is {}", id, name,
                            text ? "damaged" : "not in the store"),
                "submit the job from its files with 'kinetic run'");
  }
  return *std::move(text);
}

std::string InputOf(const record::Record& record, const std::string& name) {
  const auto found = record.environment_inputs.find(name);
  return found == record.environment_inputs.end() ? std::string() : found->second;
}

/// Returns the lock of a job without dependencies, which is not stored.
env::Lock EmptyLock(const Digest& key, const record::Record& record) {
  env::Lock lock;
  lock.manifest_key = key;
  lock.python = InputOf(record, "python");
  lock.platform = InputOf(record, "platform");
  return lock;
}

}  // namespace

Result<record::Record> RequireRecord(Context& context, std::string_view id,
                                     std::string_view operation, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto record, ReadRecord(*context.store, id, std::move(stop)));
  if (record) return *std::move(record);
  return Fail(ErrorCode::kNotFound,
              fmt::format("cannot {} job {}: it has been removed", operation, id),
              "list jobs with 'kinetic ps'");
}

Result<Arguments> ReadArgumentsOf(Context& context, const record::Record& record,
                                  std::stop_token stop) {
  if (record.inline_arguments) return record::ArgumentsFromJson(*record.inline_arguments);
  if (record.arguments_by_task) {
    KINETIC_ASSIGN_OR_RETURN(const std::string line,
                             record::ReadTaskArguments(*context.store, record, stop));
    return record::ArgumentsFromJson(line);
  }
  KINETIC_ASSIGN_OR_RETURN(
      const std::string text,
      ReadChecked(context, record.id, record::ArgumentsName(record.id, record.nonce),
                  record.arguments, stop));
  return record::ArgumentsFromJson(text);
}

Result<std::vector<Arguments>> ReadTaskArgumentsOf(Context& context, const record::Record& record,
                                                   std::stop_token stop) {
  const std::size_t count = record.spec.array ? record.spec.array->count : 0;
  if (!record.arguments_by_task) {
    KINETIC_ASSIGN_OR_RETURN(const Arguments args,
                             ReadArgumentsOf(context, record, std::move(stop)));
    return std::vector<Arguments>(count, args);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto lines,
                           record::ReadAllTaskArguments(*context.store, record, std::move(stop)));
  std::vector<Arguments> all;
  all.reserve(lines.size());
  for (const std::string& line : lines) {
    KINETIC_ASSIGN_OR_RETURN(all.emplace_back(), record::ArgumentsFromJson(line));
  }
  return all;
}

Value TaskEntry(Arguments args) {
  if (args.named.empty() && !args.positional.empty()) return std::move(args.positional);
  return std::move(args.named);
}

Result<JobSpec> ReadSpecOf(Context& context, const record::Record& record, std::stop_token stop) {
  JobSpec spec = record.spec;
  spec.args = {};
  if (!record.arguments_by_task || record::ParseTaskId(record.id)) {
    KINETIC_ASSIGN_OR_RETURN(spec.args, ReadArgumentsOf(context, record, std::move(stop)));
    return spec;
  }
  KINETIC_ASSIGN_OR_RETURN(auto tasks, ReadTaskArgumentsOf(context, record, std::move(stop)));
  Value::List over;
  over.reserve(tasks.size());
  for (Arguments& args : tasks) over.push_back(TaskEntry(std::move(args)));
  spec.array->over = std::move(over);
  return spec;
}

Result<std::vector<std::string>> ReadListingsOf(Context& context, const record::Record& record,
                                                std::stop_token stop) {
  std::vector<std::string> listings;
  for (const auto& [path, data] : record.listed_data) {
    const std::string name = record::DataListingName(record.id, record.nonce, data.listing);
    KINETIC_ASSIGN_OR_RETURN(std::string text,
                             ReadChecked(context, record.id, name, data.listing, stop));
    listings.push_back(std::move(text));
  }
  return listings;
}

Result<std::optional<env::Lock>> FindLockOf(Context& context, const record::Record& record,
                                            std::stop_token stop) {
  const auto key = Digest::FromHex(record.manifest_key);
  if (!key) return std::optional<env::Lock>();
  const auto is_of_job = [&](const env::Lock& lock) {
    return lock.EnvironmentId().Hex() == record.environment_id;
  };
  env::Lock empty = EmptyLock(*key, record);
  if (is_of_job(empty)) return std::optional(std::move(empty));
  KINETIC_ASSIGN_OR_RETURN(auto lock, env::FindLock(*context.store, *key, std::move(stop)));
  return lock && is_of_job(*lock) ? std::move(lock) : std::optional<env::Lock>();
}

}  // namespace kinetic::job
