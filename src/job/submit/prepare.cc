#include "job/submit/prepare.h"

#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "http/last_cause.h"
#include "job/bundle/data_sets.h"
#include "job/bundle/job_bundle.h"
#include "job/git_state.h"
#include "job/images/job_dockerfile.h"
#include "job/submit/checks.h"
#include "job/submit/program.h"
#include "jobspec/diagnostics.h"
#include "jobspec/read/job_file.h"
#include "jobspec/serialize.h"
#include "native/protocol.h"
#include "record/object_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace kinetic::job {
namespace {

/// The parts of one preparation, which run concurrently.
class Preparation {
 public:
  Preparation(Context& context, const PrepareOptions& options, PreparedJob& prepared,
              std::optional<env::Interpreter> python, bool has_workdir)
      : context_(context),
        options_(options),
        prepared_(prepared),
        has_workdir_(has_workdir),
        python_(std::move(python)),
        observer_(options.lock.observer == nullptr ? silent_ : *options.lock.observer) {}

  Status PrepareBundle(std::stop_token stop) {
    observer_.OnPhaseBegin(Phase::kPackage, prepared_.root.path.native());
    KINETIC_RETURN_IF_ERROR(Walk(stop));
    const auto& source = prepared_.files->source;
    for (const auto& warning : NewWarnings(context_, source, options_.send))
      observer_.OnWarning(warning);
    if (const auto warning = LargeFilesWarning(context_, source, options_.send)) {
      observer_.OnWarning(*warning);
    }
    KINETIC_RETURN_IF_ERROR(CheckWorkdir(source));
    KINETIC_RETURN_IF_ERROR(CheckPaths(context_.fs, prepared_.spec, source));
    KINETIC_RETURN_IF_ERROR(CheckScript(context_.fs, prepared_.spec, source));
    KINETIC_RETURN_IF_ERROR(CheckScriptSyntax(source, stop));
    KINETIC_RETURN_IF_ERROR(CheckFunction(source, stop));
    observer_.OnPhaseEnd(Phase::kPackage, DescribeSize(source));
    return options_.send ? Store(stop) : Identify(stop);
  }

  Status PrepareEnvironment(std::stop_token stop) {
    if (IsScripted()) return {};
    KINETIC_ASSIGN_OR_RETURN(prepared_.environment, ReadEnvironment(context_, prepared_.spec,
                                                                    prepared_.root.path, python_));
    auto& environment = prepared_.environment;
    // Avoids a duplicate warning about dependencies that have no effect.
    const bool is_said =
        std::ranges::find(prepared_.not_applied, "dependencies") != prepared_.not_applied.end();
    if (!environment.left_out.empty() && !is_said) {
      observer_.OnWarning("the dependencies (" + environment.left_out +
                          ") are not installed: the image is used unchanged");
    }
    if (HasDockerfile(prepared_.spec)) return PrepareDockerfileImage(stop);
    if (environment.left_out.empty()) {
      for (const auto& warning : environment.warnings) observer_.OnWarning(warning);
    }
    if (!environment.manifest) return {};
    if (!options_.send) return FindEnvironment(context_, environment, stop);
    const bool none = environment.manifest->kind == env::ManifestKind::kNone;
    const bool named = environment.manifest->kind == env::ManifestKind::kRequirements;
    const std::string file = environment.manifest->source.filename().string();
    observer_.OnPhaseBegin(Phase::kBuild, none    ? std::string_view()
                                          : named ? std::string_view(file)
                                                  : Name(environment.manifest->kind));
    KINETIC_RETURN_IF_ERROR(
        MakeEnvironment(context_, environment, *prepared_.lease, options_.lock, stop));
    observer_.OnPhaseEnd(Phase::kBuild, DescribeEnvironment(environment.lock->lock.packages.size(),
                                                            environment.ready->built) +
                                            NodeNote());
    return {};
  }

  /// Finds reasons why the cluster would reject the job.
  Status RunPreflight(std::stop_token stop) {
    if (options_.send) return context_.target->Preflight(std::move(stop));
    const Deadline deadline(options_.inspection_time, stop);
    Status checked = context_.target->Preflight(deadline.token());
    if (checked || !deadline.expired()) return checked;
    return Fail(ErrorCode::kUnavailable,
                "the cluster of profile " + context_.options.profile.name +
                    " did not respond within " + FormatDuration(options_.inspection_time) +
                    http::CauseSuffix(checked.error()),
                "check the network and 'kubectl cluster-info'; -vv shows the requests");
  }

  Status CheckImage(std::stop_token stop) {
    if (IsScripted()) return {};
    return CheckNamedImage(context_, prepared_.spec, options_.lock.observer, std::move(stop));
  }

  Status ReadGit(std::stop_token /*stop*/) {
    prepared_.git = ReadGitState(context_.fs, prepared_.root.path);
    return {};
  }

  /// Finds the job that already has the chosen ID, if any.
  Status FindExistingRecord(std::stop_token stop) {
    if (options_.id.empty()) return {};
    const std::string name = record::RecordName(options_.id);
    KINETIC_ASSIGN_OR_RETURN(prepared_.record_before,
                             store::GetBytes(*context_.store, name, std::move(stop)));
    return {};
  }

  /// Runs the checks that need the finished environment.
  Status CheckInstalled(std::stop_token stop) const {
    if (!is_external_module_) return {};
    return job::CheckInstalled(prepared_.environment, prepared_.spec,
                               prepared_.files->source.entries, std::move(stop));
  }

 private:
  bool IsScripted() const { return context_.target->Traits().is_scripted; }

  Status Walk(const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(prepared_.files,
                             WalkBundle(context_, prepared_.spec, prepared_.root, stop));
    return {};
  }

  /// Prepares the image of the job's Dockerfile. Without sending, only computes its name.
  Status PrepareDockerfileImage(const std::stop_token& stop) {
    auto& environment = prepared_.environment;
    KINETIC_ASSIGN_OR_RETURN(const JobDockerfile own,
                             ReadJobDockerfile(context_, prepared_.spec, *environment.base, stop));
    if (!own.warning.empty()) observer_.OnWarning(own.warning);
    if (!options_.send) {
      KINETIC_ASSIGN_OR_RETURN(const auto found, FindDockerfileImage(context_, own, stop));
      environment.dockerfile_image = found.value_or(own.build_request.reference);
      return {};
    }
    observer_.OnPhaseBegin(Phase::kBuild, own.build_request.dockerfile.filename().native());
    KINETIC_ASSIGN_OR_RETURN(DockerfileImage image,
                             BuildDockerfileImage(context_, own, options_.lock, stop));
    observer_.OnPhaseEnd(Phase::kBuild, (image.built ? "built" : "unchanged") + NodeNote());
    environment.dockerfile_image = std::move(image.image);
    return {};
  }

  std::string NodeNote() const {
    const bool is_requested =
        options_.lock.provisioning != nullptr && options_.lock.provisioning->IsRequested();
    return is_requested ? ", requested a node in parallel" : "";
  }

  /// A `workdir` must be in the bundle. The job's own folder may be excluded from it.
  Status CheckWorkdir(const bundle::SourceTree& source) {
    const std::string folder = prepared_.spec.workdir.generic_string();
    if (HasFolder(source.entries, folder)) return {};
    if (!has_workdir_) {
      observer_.OnWarning("the job's folder " + Printable(folder) +
                          " is excluded from the bundle; the job runs in an empty folder");
      return {};
    }
    return Failure(
        jobspec::WithKeyPosition(prepared_.spec, "workdir", MissingFolder(source.entries, folder)));
  }

  Status CheckScriptSyntax(const bundle::SourceTree& source, std::stop_token stop) {
    const auto script = BundledScript(prepared_.spec, source);
    if (!script || !python_) return {};
    const auto text = ReadRegularFile(context_.fs, source.root / *script, kMaxModuleBytes);
    if (!text) return {};  // packaging reports the problem with the file
    const CodeChecker checker{context_.fs, python_->path, context_.options.cache_dir};
    return CheckSyntax(checker, *text, *script, std::move(stop));
  }

  Status CheckFunction(const bundle::SourceTree& source, std::stop_token stop) {
    if (!prepared_.spec.function || prepared_.spec.function->IsNative()) return {};
    return AtFunction(prepared_.spec, FindFunction(source, std::move(stop)));
  }

  Status FindFunction(const bundle::SourceTree& source, std::stop_token stop) {
    const FunctionReference& function = *prepared_.spec.function;
    const std::string workdir = prepared_.spec.workdir.generic_string();
    KINETIC_ASSIGN_OR_RETURN(const ModulePlace place,
                             LocateModule(source.entries, function.module, workdir));
    is_external_module_ = place.is_external;
    if (!place.file || !python_) return {};
    const auto text = ReadRegularFile(context_.fs, source.root / *place.file, kMaxModuleBytes);
    if (!text) return {};  // packaging reports the problem with the file
    const CodeChecker checker{context_.fs, python_->path, context_.options.cache_dir};
    return CheckModule(checker, *text, *place.file, prepared_.spec, std::move(stop));
  }

  Status Identify(const std::stop_token& stop) {
    KINETIC_RETURN_IF_ERROR(ResolveRemoteData(stop));
    KINETIC_ASSIGN_OR_RETURN(prepared_.tree, HashFiles(context_, *prepared_.files, stop));
    const auto identify = [&](LocalFiles& files) { return HashFiles(context_, files, stop); };
    return ForEachLocalSource(identify, stop);
  }

  Status Store(const std::stop_token& stop) {
    observer_.OnPhaseBegin(Phase::kStage, context_.store->Location());
    std::uint64_t objects = 0;
    std::uint64_t bytes = 0;
    const auto store = [&](LocalFiles& files) -> Result<Digest> {
      KINETIC_ASSIGN_OR_RETURN(const auto report,
                               StoreFiles(context_, *prepared_.lease, files, observer_, stop));
      objects += report.objects_stored;
      bytes += report.bytes_stored;
      return report.tree;
    };
    KINETIC_RETURN_IF_ERROR(ResolveRemoteData(stop));
    KINETIC_ASSIGN_OR_RETURN(prepared_.tree, store(*prepared_.files));
    AddSource("", *prepared_.files, false);
    KINETIC_RETURN_IF_ERROR(ForEachLocalSource(store, stop));
    observer_.OnPhaseEnd(Phase::kStage, objects == 0 ? "unchanged" : FormatBytes(bytes) + " new");
    return {};
  }

  /// Resolves `data:` sources that are not local files. Reports their errors before anything is
  /// stored.
  Status ResolveRemoteData(const std::stop_token& stop) {
    for (const auto& [path, data] : prepared_.spec.data) {
      Status found;
      if (IsInBucket(data.source)) found = ListBucket(path, data.source, stop);
      if (data.source.starts_with(kDatasetScheme)) found = UseDataSet(path, data.source, stop);
      if (!found) return AtData(path, std::move(found));
    }
    return {};
  }

  /// Adds the location of a `data:` entry in the job file to an error. That of a C++ program is not in
  /// the job file.
  Status AtData(const std::string& path, Status status) const {
    if (path == native::kProgramFolder)
      return Failure(std::move(status).error().Context("storing the program"));
    const std::string key = "data." + path;
    return Failure(
        std::move(status).error().Context(jobspec::KeyWithPosition(prepared_.spec, key)));
  }

  Status ListBucket(const std::string& path, const std::string& source,
                    const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(auto listed, ListBucketData(context_, source, stop));
    for (const auto& warning : listed.warnings) observer_.OnWarning(warning);
    prepared_.listed_data[path] = listed.entry;
    prepared_.listings.push_back(std::move(listed.document));
    return {};
  }

  Status UseDataSet(const std::string& path, std::string_view source, const std::stop_token& stop) {
    source.remove_prefix(kDatasetScheme.size());
    KINETIC_ASSIGN_OR_RETURN(prepared_.data[path],
                             ReferenceDataSet(context_, source, prepared_.lease.get(), stop));
    return {};
  }

  Status ForEachLocalSource(const std::function<Result<Digest>(LocalFiles&)>& take,
                            const std::stop_token& stop) {
    for (const auto& [path, data] : prepared_.spec.data) {
      if (IsInBucket(data.source) || data.source.starts_with(kDatasetScheme)) continue;
      const Path source = prepared_.spec.directory / data.source;
      auto files = WalkData(context_, source, data.follow_links, stop);
      if (!files) return AtData(path, Failure(std::move(files).error()));
      for (const auto& warning : files->source.warnings) {
        observer_.OnWarning("data." + path + ": " + warning);
      }
      auto tree = take(*files);
      if (!tree) return AtData(path, Failure(std::move(tree).error()));
      const bool file = std::filesystem::is_regular_file(source);
      prepared_.data[path] = {*tree, file};
      // Links that were followed would be links in the job.
      if (!data.follow_links) AddSource(path, *files, file);
    }
    return {};
  }

  /// Records where stored files come from, for a target on this machine.
  void AddSource(const std::string& path, const LocalFiles& files, bool is_file) {
    local::StoredSource source{files.source.root, {}, files.cache_file};
    if (is_file && !files.source.entries.empty()) source.file = files.source.entries[0].path;
    const bool is_text =
        IsUtf8(source.folder.native()) && IsUtf8(source.file) && IsUtf8(source.stat_cache.native());
    if (is_text) prepared_.sources[path] = std::move(source);
  }

  Context& context_;
  const PrepareOptions& options_;
  PreparedJob& prepared_;
  const bool has_workdir_;  ///< set in the job file or by the caller
  std::optional<env::Interpreter> python_;
  Observer silent_;
  Observer& observer_;
  bool is_external_module_ = false;  ///< the function's module is not in the bundle
};

/// Returns whether the parts of the preparation take less time than starting threads for them.
bool IsQuick(const Context& context, const JobSpec& spec) {
  const backend::TargetTraits traits = context.target->Traits();
  const bool calls_program = spec.function && spec.function->IsNative() && !spec.bundle.root;
  return traits.is_scripted || (calls_program && traits.runner_flushes_record);
}

void ApplyRunLimit(const backend::Target& target, JobSpec& spec) {
  const auto limit = target.RunLimit(spec);
  auto& run = spec.timeouts.run;
  if (limit && (!run || *run > *limit)) run = limit;
}

}  // namespace

Result<std::vector<std::string>> CheckLimitations(const backend::Target& target,
                                                  const JobSpec& spec, Observer* observer) {
  std::vector<std::string> not_applied;
  std::vector<std::string> refused;
  std::string hint;
  for (const auto& limitation : target.Check(spec)) {
    if (!limitation.refused) {
      not_applied.push_back(limitation.key);
      if (observer != nullptr) {
        observer->OnWarning(limitation.key + " is ignored: " + limitation.reason);
      }
      continue;
    }
    refused.push_back(jobspec::KeyWithPosition(spec, limitation.key) + ": " + limitation.reason);
    if (hint.empty()) hint = limitation.hint;
  }
  if (refused.empty()) return not_applied;
  return Failure(Error{ErrorCode::kUnimplemented, Join(refused, "\n"), std::move(hint), {}}.With(
      "errors", std::to_string(refused.size())));
}

Result<PreparedJob> PrepareJob(Context& context, const JobSpec& spec, const PrepareOptions& options,
                               std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(jobspec::CheckText(spec));
  if (!IsUtf8(context.options.owner)) {
    return Fail(ErrorCode::kInvalidArgument, "owner: not valid UTF-8",
                "set another name with --owner");
  }
  PreparedJob prepared;
  prepared.spec = spec;
  KINETIC_ASSIGN_OR_RETURN(prepared.not_applied,
                           CheckLimitations(*context.target, spec, options.lock.observer));
  ApplyRunLimit(*context.target, prepared.spec);
  auto secrets = CollectSecrets(spec.secrets, context.options.environment, spec.env);
  if (!secrets)
    return Failure(jobspec::WithKeyPosition(spec, "secrets", std::move(secrets).error()));
  prepared.secrets = *std::move(secrets);
  if (options.lock.observer != nullptr) {
    for (const auto& warning : SecretWarnings(spec, prepared.secrets))
      options.lock.observer->OnWarning(warning);
  }
  KINETIC_ASSIGN_OR_RETURN(prepared.root, FindBundleRoot(context, spec));
  KINETIC_ASSIGN_OR_RETURN(prepared.spec.workdir, ResolveWorkdir(spec, prepared.root.path));
  KINETIC_RETURN_IF_ERROR(jobspec::ResolvePathArguments(prepared.spec, prepared.root.path));
  std::optional<env::Interpreter> python;
  if (!context.target->Traits().is_scripted) {
    KINETIC_RETURN_IF_ERROR(AddProgram(context, prepared.spec));
    KINETIC_ASSIGN_OR_RETURN(python, FindJobPython(context, spec, stop));
  }
  if (python) {
    context.Log(LogLevel::kDebug, "Python " + python->version + " is " + python->path.native());
  }

  if (options.send) prepared.lease = MakeSubmissionLease(context);
  const bool has_workdir = !spec.workdir.empty() && spec.workdir.is_relative();
  Preparation preparation(context, options, prepared, std::move(python), has_workdir);
  using Part = Status (Preparation::*)(std::stop_token);
  constexpr std::array<Part, 6> kParts{
      &Preparation::PrepareBundle, &Preparation::PrepareEnvironment, &Preparation::CheckImage,
      &Preparation::ReadGit,       &Preparation::FindExistingRecord, &Preparation::RunPreflight};
  const std::size_t threads = IsQuick(context, prepared.spec) ? 1 : kParts.size();
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(threads, kParts.size(), stop, [&](std::size_t part, std::stop_token part_stop) {
        return (preparation.*kParts[part])(std::move(part_stop));
      }));
  KINETIC_RETURN_IF_ERROR(preparation.CheckInstalled(std::move(stop)));
  return prepared;
}

}  // namespace kinetic::job
