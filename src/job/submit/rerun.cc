#include "job/submit/rerun.h"

#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "backend/local/target.h"
#include "base/strings.h"
#include "bundle/read/tree_loader.h"
#include "env/dependencies/index_settings.h"
#include "job/environment/builder.h"
#include "job/environment/job_environment.h"
#include "job/phase_log.h"
#include "job/recorded_job.h"
#include "job/submit/checks.h"
#include "job/submit/pipeline.h"
#include "job/submit/prepare.h"
#include "jobspec/diagnostics.h"
#include "jobspec/read/changes.h"
#include "jobspec/serialize.h"
#include "record/array_references.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::string_view kFromFiles = "submit the job from its files with 'kinetic run'";

/// Returns advice to use the job's files, with their commit if it is known.
std::string FromFiles(const record::Record& record) {
  std::string advice(kFromFiles);
  if (record.git && !record.git->commit.empty()) advice += "; its commit is " + record.git->commit;
  return advice;
}

Failure CannotRerun(const record::Record& record, const std::string& cause, std::string hint) {
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("cannot rerun job {}: {}", record.id, cause), std::move(hint));
}

bool RunsOnMachine(std::string_view identity) {
  return identity.starts_with(backend::kLocalIdentity);
}

/// The code of a job, in the store.
struct StoredCode {
  bundle::Tree tree;
  std::vector<bundle::SourceEntry> entries;
};

Result<StoredCode> LoadCode(Context& context, const Digest& digest, const std::stop_token& stop) {
  StoredCode code;
  KINETIC_ASSIGN_OR_RETURN(code.tree, bundle::LoadTree(*context.store, digest, stop));
  code.entries.resize(code.tree.entries.size());
  std::ranges::transform(code.tree.entries, code.entries.begin(),
                         [](const bundle::TreeEntry& entry) {
                           return bundle::SourceEntry{.path = entry.path, .type = entry.type};
                         });
  return code;
}

/// Returns the text of a file of the code, or nullopt if it is a link or cannot be read.
std::optional<std::string> ReadCodeFile(Context& context, const StoredCode& code,
                                        const std::string& path, const std::stop_token& stop) {
  const auto entry = std::ranges::find(code.tree.entries, path, &bundle::TreeEntry::path);
  if (entry->type != BundleEntry::Type::kFile) return std::nullopt;
  auto text = bundle::ReadContent(*context.store, code.tree, *entry, kMaxModuleBytes, stop);
  if (!text) return std::nullopt;
  return *std::move(text);
}

/// The steps of preparing one rerun.
class RerunPreparation {
 public:
  RerunPreparation(Context& context, const record::Record& original, PreparedJob& prepared,
                   Observer& observer)
      : context_(context), original_(original), prepared_(prepared), observer_(observer) {}

  /// Checks what can be checked without the store.
  Status Check() {
    KINETIC_RETURN_IF_ERROR(jobspec::CheckText(prepared_.spec));
    KINETIC_RETURN_IF_ERROR(CheckTarget());
    KINETIC_ASSIGN_OR_RETURN(prepared_.not_applied,
                             CheckLimitations(*context_.target, prepared_.spec, &observer_));
    const auto& names = prepared_.spec.secrets;
    auto secrets = CollectSecrets(names, context_.options.environment, prepared_.spec.env);
    if (!secrets) {
      return Failure(
          jobspec::WithKeyPosition(prepared_.spec, "secrets", std::move(secrets).error()));
    }
    prepared_.secrets = *std::move(secrets);
    for (const auto& warning : SecretWarnings(prepared_.spec, prepared_.secrets))
      observer_.OnWarning(warning);
    return {};
  }

  /// Confirms that the store still has the code, the data and the packages.
  Status ConfirmTrees(const std::stop_token& stop) {
    observer_.OnPhaseBegin(Phase::kStage, context_.store->Location());
    KINETIC_RETURN_IF_ERROR(ConfirmTree(original_.tree, "its code", stop));
    for (const auto& [path, data] : original_.data)
      KINETIC_RETURN_IF_ERROR(ConfirmTree(data.tree, "the data of " + path, stop));
    if (original_.environment)
      KINETIC_RETURN_IF_ERROR(ConfirmTree(original_.environment->tree, "its packages", stop));
    KINETIC_ASSIGN_OR_RETURN(prepared_.listings, ReadListingsOf(context_, original_, stop));
    observer_.OnPhaseEnd(Phase::kStage, "unchanged");
    return {};
  }

  /// Checks a changed function and changed arguments against the stored code. An error of the store
  /// is left to the job, which reads the same objects.
  Status CheckFunction(const JobSpec& before, const std::stop_token& stop) {
    const JobSpec& spec = prepared_.spec;
    const bool is_changed =
        spec.function != before.function || spec.args != before.args || spec.array != before.array;
    if (!is_changed || !spec.function || spec.function->IsNative()) return {};
    auto code = LoadCode(context_, original_.tree, stop);
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
    if (!code) return {};
    code_ = *std::move(code);
    return AtFunction(prepared_.spec, CheckCode(stop));
  }

  /// Checks that the function's module is in the code or in the finished environment.
  Status CheckInstalled(const std::stop_token& stop) const {
    if (!is_external_module_) return {};
    return job::CheckInstalled(prepared_.environment, prepared_.spec, code_.entries, stop);
  }

  /// Obtains the environment that the job ran in.
  Status PrepareEnvironment(const std::stop_token& stop) {
    if (context_.target->Traits().is_scripted) return {};
    prepared_.environment.base = BaseImageOf(context_, prepared_.spec);
    KINETIC_RETURN_IF_ERROR(CheckNamedImage(context_, prepared_.spec, &observer_, stop));
    if (prepared_.environment.base) return CheckImage(stop);
    if (original_.manifest_key.empty()) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto lock, FindLockOf(context_, original_, stop));
    if (!lock) {
      return CannotRerun(
          original_, "the lock of its packages is not in the store, or they were resolved again",
          FromFiles(original_));
    }
    if (lock->platform != env::HostPlatform()) {
      return CannotRerun(original_,
                         fmt::format("its packages are for {}, but this machine is {}",
                                     lock->platform, env::HostPlatform()),
                         std::string(kFromFiles));
    }
    return MakeVirtualenv(*lock, stop);
  }

 private:
  Status CheckCode(const std::stop_token& stop) {
    const JobSpec& spec = prepared_.spec;
    KINETIC_ASSIGN_OR_RETURN(
        const ModulePlace place,
        LocateModule(code_.entries, spec.function->module, spec.workdir.generic_string()));
    is_external_module_ = place.is_external;
    if (!place.file) return {};
    const auto text = ReadCodeFile(context_, code_, *place.file, stop);
    const auto python = FindJobPython(context_, spec, stop);
    if (!text || !python || !*python) return {};
    const CodeChecker checker{context_.fs, (*python)->path, context_.options.cache_dir};
    return CheckModule(checker, *text, *place.file, spec, stop);
  }

  /// The environment of a job depends on the kind of its target, and packages on the accelerator.
  Status CheckTarget() const {
    const bool ran_here = RunsOnMachine(original_.target_identity);
    const bool is_cluster = context_.target->container_images() != nullptr;
    if (ran_here == is_cluster) {
      return CannotRerun(
          original_,
          fmt::format("it ran {}, but profile {} runs jobs {}",
                      ran_here ? "on a machine" : "in a cluster", context_.options.profile.name,
                      is_cluster ? "in a cluster" : "on this machine"),
          fmt::format("select its profile with --target {}, or {}", original_.target, kFromFiles));
    }
    const auto input = original_.environment_inputs.find("accelerator");
    const std::string category = AcceleratorCategory(context_, prepared_.spec);
    if (input == original_.environment_inputs.end() || input->second == category) return {};
    return Fail(ErrorCode::kInvalidArgument,
                jobspec::KeyWithPosition(prepared_.spec, "accelerator") +
                    fmt::format(": the packages of job {} are for {}, not for {}", original_.id,
                                input->second, category),
                std::string(kFromFiles));
  }

  Status ConfirmTree(const Digest& tree, std::string_view what, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const bool there, prepared_.lease->ReuseTree(tree, stop));
    if (there) return {};
    return CannotRerun(original_, fmt::format("the store no longer has {}", what),
                       FromFiles(original_));
  }

  /// Checks that the registry still has the image with the packages, or of the Dockerfile. Nodes
  /// may have their own access, so a registry that does not respond is not an error.
  Status CheckImage(const std::stop_token& stop) {
    if (original_.environment_image.find('@') == std::string::npos) return {};
    const auto there = HasImage(context_, original_.environment_image, stop);
    if (!there && there.error().code == ErrorCode::kCancelled) return Failure(there.error());
    if (!there || *there) return {};
    return CannotRerun(original_, "its image " + original_.environment_image + " was removed",
                       FromFiles(original_));
  }

  Status MakeVirtualenv(const env::Lock& lock, const std::stop_token& stop) {
    observer_.OnPhaseBegin(Phase::kBuild, fmt::format("packages of job {}", original_.id));
    env::PrivateUrls urls;
    (void)env::IndexSettingsFromEnvironment(context_.options.environment, urls);
    KINETIC_ASSIGN_OR_RETURN(
        prepared_.environment.ready,
        VirtualenvBuilderFor(context_, lock, std::move(urls))->Ensure(lock, &observer_, stop));
    observer_.OnPhaseEnd(Phase::kBuild, DescribeEnvironment(lock.packages.size(),
                                                            prepared_.environment.ready->built));
    return {};
  }

  Context& context_;
  const record::Record& original_;
  PreparedJob& prepared_;
  Observer& observer_;
  StoredCode code_;                  ///< read if the function or the arguments changed
  bool is_external_module_ = false;  ///< the function's module is not in the code
};

/// A job to repeat, and how.
struct Rerun {
  record::Record original;
  JobSpec before;  ///< of the original, with its arguments
  JobSpec spec;    ///< with the changes
  std::string id;  ///< chosen for the new job; empty: none
};

/// Returns the spec of a job with its arguments and their own arrays.
///
/// @param tasks  the tasks of an array to keep; nullopt: all.
Result<JobSpec> LoadSpec(Context& context, const record::Record& record,
                         const std::optional<std::vector<std::uint32_t>>& tasks,
                         const std::stop_token& stop) {
  JobSpec spec = record.spec;
  const auto load = [&](Arguments& args) {
    return record::LoadArrays(*context.store, record, args, record::ArrayUse::kOwn, stop);
  };
  if (!record.arguments_by_task) {
    if (tasks) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("cannot rerun some tasks of job {}: they have no arguments that tell "
                              "them apart",
                              record.id),
                  "rerun the whole job, or submit it with array.over");
    }
    KINETIC_ASSIGN_OR_RETURN(spec.args, ReadArgumentsOf(context, record, stop));
    KINETIC_RETURN_IF_ERROR(load(spec.args));
    return spec;
  }
  KINETIC_ASSIGN_OR_RETURN(auto all, ReadTaskArgumentsOf(context, record, stop));
  Value::List over;
  for (std::uint32_t task = 0; task < all.size(); ++task) {
    if (tasks && std::ranges::find(*tasks, task) == tasks->end()) continue;
    KINETIC_RETURN_IF_ERROR(load(all[task]));
    over.push_back(TaskEntry(std::move(all[task])));
  }
  if (over.empty()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("no task of job {} to rerun", record.id));
  }
  spec.array->count = static_cast<std::uint32_t>(over.size());
  spec.array->over = std::move(over);
  return spec;
}

/// Applies changes to a spec. A changed argument is that of all tasks of an array.
Result<JobSpec> Change(JobSpec spec, const JobFileOptions& changes) {
  if (!spec.array || spec.array->over.IsNull()) {
    return jobspec::ChangeSpec(std::move(spec), changes);
  }
  Value over = std::exchange(spec.array->over, {});
  KINETIC_ASSIGN_OR_RETURN(JobSpec changed, jobspec::ChangeSpec(std::move(spec), changes));
  if (!changed.array) return changed;
  for (const auto& [name, value] : changed.args.named) {
    for (Value& entry : *over.AsList()) {
      if (entry.AsMap() != nullptr) entry.Set(name, value);
    }
  }
  changed.args = {};
  changed.array->over = std::move(over);
  return changed;
}

Result<PreparedJob> PrepareRerun(Context& context, const Rerun& rerun, Observer& observer,
                                 const std::stop_token& stop) {
  const record::Record& original = rerun.original;
  PreparedJob prepared;
  prepared.spec = rerun.spec;
  prepared.original = original;
  prepared.tree = original.tree;
  prepared.data = original.data;
  prepared.listed_data = original.listed_data;
  prepared.git = original.git;
  prepared.lease = MakeSubmissionLease(context);
  RerunPreparation preparation(context, original, prepared, observer);
  KINETIC_RETURN_IF_ERROR(preparation.Check());
  KINETIC_RETURN_IF_ERROR(preparation.ConfirmTrees(stop));
  KINETIC_RETURN_IF_ERROR(preparation.CheckFunction(rerun.before, stop));
  KINETIC_RETURN_IF_ERROR(preparation.PrepareEnvironment(stop));
  KINETIC_RETURN_IF_ERROR(preparation.CheckInstalled(stop));
  KINETIC_RETURN_IF_ERROR(context.target->Preflight(stop));
  if (!rerun.id.empty()) {
    KINETIC_ASSIGN_OR_RETURN(prepared.record_before,
                             store::GetBytes(*context.store, record::RecordName(rerun.id), stop));
  }
  return prepared;
}

}  // namespace

Result<JobSummary> RerunJob(Context& context, std::string_view id, const JobFileOptions& changes,
                            const SubmitOptions& options, std::stop_token stop,
                            const std::optional<std::vector<std::uint32_t>>& tasks) {
  KINETIC_RETURN_IF_ERROR(CheckChosenId(options.id));
  PhaseLog observer(context, options.observer);
  Rerun rerun{.original = {}, .before = {}, .spec = {}, .id = options.id};
  KINETIC_ASSIGN_OR_RETURN(rerun.original, RequireRecord(context, id, "rerun", stop));
  KINETIC_ASSIGN_OR_RETURN(rerun.before, LoadSpec(context, rerun.original, tasks, stop));
  KINETIC_ASSIGN_OR_RETURN(rerun.spec, Change(rerun.before, changes));
  const auto prepare = [&](const std::stop_token& stopping) {
    return PrepareRerun(context, rerun, observer, stopping);
  };
  return SubmitPrepared(context, options.id, observer, prepare, std::move(stop));
}

}  // namespace kinetic::job
