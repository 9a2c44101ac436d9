#include "kinetic/accelerator.h"
#include "kinetic/datasets.h"
#include "kinetic/job_file.h"
#include "kinetic/profile.h"

#include "command_line/parse.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"
#include "output/text.h"
#include "settings/client_options.h"
#include "settings/table.h"
#include "time_limit.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <ranges>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::cli {
namespace {

constexpr std::uint32_t kMaxJobs = 50;
constexpr std::size_t kMaxListedIds = 10;
constexpr std::chrono::milliseconds kStoreTimeout{1500};

void AddProfiles(const Context& context, Completion& completion) {
  completion.candidates.push_back({"local", "this machine"});
  for (const ConfigProfile& profile : context.config.profiles)
    if (profile.name != "local") completion.candidates.push_back({profile.name, profile.Kind()});
}

/// Queries the store with a short timeout, because the user waits for the completion.
void QueryStore(const Context& context,
                const std::function<void(Client& client, const std::stop_token& stop)>& query) {
  const TimeLimit limit(kStoreTimeout, context.stop);
  Context limited = context;
  limited.stop = limit.token();
  auto client = OpenClient(limited);
  if (client) query(*client, limited.stop);
}

/// Adds the names of the caller's own jobs, newest first.
void AddJobNames(const std::vector<JobSummary>& jobs, const std::string& owner,
                 Completion& completion) {
  std::set<std::string> names;
  for (const JobSummary& job : jobs)
    if (job.owner == owner && names.insert(job.name).second)
      completion.candidates.push_back({job.name, fmt::format("newest: {}", job.id)});
  if (!names.empty()) completion.candidates.push_back({"latest", "your newest job"});
}

void AddJobs(const Context& context, Completion& completion) {
  QueryStore(context, [&](Client& client, const std::stop_token& stop) {
    auto jobs = client.List({.limit = kMaxJobs}, stop);
    if (!jobs) return;
    if (completion.kind == CompletionKind::kUnfinishedJob)
      std::erase_if(*jobs, [](const JobSummary& job) { return IsTerminal(job.state); });
    AddJobNames(*jobs, context.settings.Text(SettingId::kOwner), completion);
    // A word that is still empty would match all IDs.
    const std::size_t shown = completion.prefix.empty() ? kMaxListedIds : jobs->size();
    for (const JobSummary& job : *jobs | std::views::take(shown))
      completion.candidates.push_back({job.id, fmt::format("{}, {}", job.name, Name(job.state))});
  });
}

void AddDataSets(const Context& context, Completion& completion) {
  QueryStore(context, [&](Client& client, const std::stop_token& stop) {
    const auto sets = client.datasets().List(nullptr, stop);
    if (!sets) return;
    for (const Dataset& data : *sets) completion.candidates.push_back({data.name, data.source});
  });
}

void AddContexts(const Context& context, Completion& completion) {
  const auto profile = ClusterProfileOf(context.settings, context.process);
  const auto contexts = ListContexts(profile.kubeconfigs);
  if (!contexts) return;
  for (const KubeContext& known : *contexts)
    completion.candidates.push_back({known.name, known.server});
}

/// Adds the settings, or those that a configuration file can contain.
void AddSettings(bool all, Completion& completion) {
  for (const SettingInfo& info : SettingsTable())
    if (all || info.in_profile || info.id == SettingId::kTarget)
      completion.candidates.push_back({std::string(info.name), std::string(info.doc)});
}

/// Adds "resources.memory=" and the other keys of a job file.
void AddJobKeys(const Value& schema, const std::string& prefix, Completion& completion) {
  if (const Value* alternatives = schema.Find("anyOf"); alternatives && alternatives->AsList())
    for (const Value& each : *alternatives->AsList()) AddJobKeys(each, prefix, completion);
  const Value* properties = schema.Find("properties");
  if (properties == nullptr || properties->AsMap() == nullptr) return;
  for (const auto& [name, property] : *properties->AsMap()) {
    const Value* text = property.Find("description");
    const std::string* doc = text == nullptr ? nullptr : text->AsString();
    completion.candidates.push_back(
        {prefix + name + "=", doc == nullptr ? "" : doc->substr(0, doc->find(". "))});
    AddJobKeys(property, prefix + name + ".", completion);
  }
}

void AddCandidates(const Context& context, Completion& completion) {
  switch (completion.kind) {
    case CompletionKind::kProfile:
      return AddProfiles(context, completion);
    case CompletionKind::kJob:
    case CompletionKind::kUnfinishedJob:
      return AddJobs(context, completion);
    case CompletionKind::kDataSet:
      return AddDataSets(context, completion);
    case CompletionKind::kAccelerator:
      for (const Accelerator& accelerator : Accelerators())
        completion.candidates.push_back({accelerator.name, accelerator.machine_type});
      return;
    case CompletionKind::kContext:
      return AddContexts(context, completion);
    case CompletionKind::kSetting:
    case CompletionKind::kProfileSetting:
      return AddSettings(completion.kind == CompletionKind::kSetting, completion);
    case CompletionKind::kJobKey:
      return AddJobKeys(Value::FromJson(JobFileSchema()).value_or(Value()), "", completion);
    case CompletionKind::kFile:
      return context.output.Line(":files");
    case CompletionKind::kFolder:
      return context.output.Line(":folders");
    case CompletionKind::kCommand:
    case CompletionKind::kNothing:
      return;
  }
}

Result<int> PrintCompletions(Context& context) {
  Completion completion = CompleteWords(context.root, context.rest);
  AddCandidates(context, completion);
  for (const Candidate& candidate : completion.candidates)
    if (candidate.word.starts_with(completion.prefix))
      context.output.Bytes(SafeLine(candidate.word) + "\t" + SafeLine(candidate.meaning) + "\n");
  return kSuccess;
}

}  // namespace

void RegisterCompleteWords(Command& parent) {
  Command& command = parent.Add({.name = "__complete",
                                 .summary = "Complete a command line for a shell",
                                 .description = "Complete a command line for a shell.",
                                 .takes_rest = true,
                                 .hidden = true});
  command.SetAction(PrintCompletions);
}

}  // namespace kinetic::cli
