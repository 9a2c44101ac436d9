#include "job/bundle/data_sets.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/format/tree_codec.h"
#include "job/bundle/job_bundle.h"
#include "job/phase_log.h"
#include "jobspec/schema/shape.h"
#include "record/data_set.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace kinetic::job {
namespace {

/// Attempts to write a dataset while other clients change the name or collect its content.
constexpr int kMaxAttempts = 5;

Status CheckName(std::string_view name) {
  if (jobspec::IsDataSetName(name)) return {};
  return Fail(
      ErrorCode::kInvalidArgument, fmt::format("'{}' is not a valid dataset name", Printable(name)),
      "set another name with --name: at most 63 letters, digits, '.', '_' and '-', starting "
      "with a letter or digit");
}

Error NoSuchData(const std::vector<record::StoredDataSet>& all, std::string_view name) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& one : all) names.push_back(one.data.name);
  const auto nearest = Nearest(name, names);
  return {ErrorCode::kNotFound,
          fmt::format("no dataset '{}'", Printable(name)),
          nearest
              ? fmt::format("did you mean '{}'?", *nearest)
              : std::string(
                    "list datasets with 'kinetic data ls', or create one with 'kinetic data put'"),
          {}};
}

/// @param source  absolute.
Dataset Describe(const Context& context, const LocalFiles& files, std::string name,
                 const std::filesystem::path& source) {
  const Size size = SizeOf(files.source);
  Dataset data;
  data.name = std::move(name);
  data.files = size.files;
  data.size_bytes = size.bytes;
  data.owner = context.options.owner;
  data.source = source;
  std::error_code ignored;
  data.file = std::filesystem::is_regular_file(source, ignored);
  return data;
}

/// Reads the dataset with a name. Logs damage.
///
/// @returns  a dataset without a tree if it is damaged.
Result<std::optional<Dataset>> ReadOrLogDamage(Context& context, const std::string& name,
                                               const std::stop_token& stop) {
  auto data = record::ReadDataSet(*context.store, name, stop);
  if (data && *data) return std::move((*data)->data);
  if (data) return std::nullopt;
  if (data.error().code != ErrorCode::kDataLoss) return Failure(std::move(data).error());
  context.Log(LogLevel::kWarning, data.error().message);
  return Dataset{.name = name};
}

/// Writes the document over any existing one. @returns whether another dataset had the name.
Result<bool> PutDocument(Context& context, const Dataset& data, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto there, ReadOrLogDamage(context, data.name, stop));
  KINETIC_RETURN_IF_ERROR(
      store::Overwrite(*context.store, record::DataSetName(data.name), record::ToJson(data), stop));
  return there && there->tree != data.tree;
}

}  // namespace

Result<PutDatasetReport> PutData(Context& context, const std::filesystem::path& source,
                                 const PutDatasetOptions& options, std::stop_token stop) {
  std::error_code failed;
  const std::filesystem::path plain = std::filesystem::absolute(source, failed).lexically_normal();
  if (source.empty())
    return Fail(ErrorCode::kInvalidArgument, "cannot store a dataset: the path is empty");
  if (failed == std::errc::no_such_file_or_directory)
    return Fail(ErrorCode::kFailedPrecondition, "the current directory no longer exists",
                "change to another one, for example: cd ~");
  if (failed) return Failure(ErrnoError(failed.value(), "resolving", source));
  const std::string given =
      plain.has_filename() ? plain.filename() : plain.parent_path().filename();
  const std::string name = options.name.empty() ? given : options.name;
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  PhaseLog observer(context, options.observer);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    observer.OnPhaseBegin(Phase::kPackage, plain.native());
    KINETIC_ASSIGN_OR_RETURN(LocalFiles files,
                             WalkData(context, plain, options.follow_links, stop));
    for (const std::string& warning : files.source.warnings) {
      if (attempt == 0) observer.OnWarning(warning);
    }
    PutDatasetReport report;
    observer.OnPhaseEnd(Phase::kPackage, DescribeSize(files.source));
    observer.OnPhaseBegin(Phase::kStage, context.store->Location());
    bundle::ContentLease lease(*context.store, &bundle::ReferencesOf);
    auto stored = StoreFiles(context, lease, files, observer, stop);
    if (!stored && stored.error().code == ErrorCode::kAborted && attempt + 1 < kMaxAttempts)
      continue;
    if (!stored) return Failure(std::move(stored).error());
    report.data = Describe(context, files, name, plain);
    report.data.tree = stored->tree.Hex();
    report.bytes_stored = stored->bytes_stored;
    KINETIC_ASSIGN_OR_RETURN(const bool there, lease.RenewIfStale(stop));
    if (!there) continue;
    KINETIC_ASSIGN_OR_RETURN(report.data.stored, context.store->Now(stop));
    KINETIC_ASSIGN_OR_RETURN(report.replaced, PutDocument(context, report.data, stop));
    KINETIC_ASSIGN_OR_RETURN(const bool still, lease.Confirm(stop));
    if (!still) continue;
    observer.OnPhaseEnd(Phase::kStage, report.bytes_stored == 0
                                           ? "unchanged"
                                           : FormatBytes(report.bytes_stored) + " stored");
    return report;
  }
  return Fail(ErrorCode::kAborted,
              "cannot store " + plain.native() + ": its stored content was removed repeatedly",
              "run the same command again");
}

Result<std::vector<Dataset>> ListData(Context& context, Observer* observer, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto stored, record::ListDataSets(*context.store, std::move(stop)));
  for (const Error& damage : stored.damaged) {
    if (observer == nullptr) break;
    observer->OnWarning(damage.message +
                        " (remove it with 'kinetic data rm', or store it again with "
                        "'kinetic data put')");
  }
  std::vector<Dataset> sets;
  sets.reserve(stored.sets.size());
  for (auto& one : stored.sets) sets.push_back(std::move(one.data));
  return sets;
}

namespace {

/// A dataset and the objects with its name: its document, or what another program has put there.
struct Removable {
  Dataset data;
  std::vector<store::ObjectInfo> objects;
};

Result<Removable> FindRemovable(Context& context, const std::string& name,
                                const std::stop_token& stop) {
  const std::string object = record::DataSetName(name);
  Removable found{.data = {.name = name}, .objects = {}};
  KINETIC_ASSIGN_OR_RETURN(found.objects, store::ListAll(*context.store, object + "/", stop));
  KINETIC_ASSIGN_OR_RETURN(auto info, context.store->Stat(object, stop));
  if (info) found.objects.push_back(*std::move(info));
  KINETIC_ASSIGN_OR_RETURN(auto data, ReadOrLogDamage(context, name, stop));
  if (data) found.data = *std::move(data);
  if (!found.objects.empty()) return found;
  KINETIC_ASSIGN_OR_RETURN(const auto all, record::ListDataSets(*context.store, stop));
  return Failure(NoSuchData(all.sets, name));
}

}  // namespace

Result<std::vector<Dataset>> RemoveData(Context& context, const std::vector<std::string>& names,
                                        std::stop_token stop) {
  std::vector<Removable> found;
  for (const std::string& name : names) {
    KINETIC_RETURN_IF_ERROR(CheckName(name));
    KINETIC_ASSIGN_OR_RETURN(auto one, FindRemovable(context, name, stop));
    found.push_back(std::move(one));
  }
  std::vector<Dataset> removed;
  for (Removable& one : found) {
    KINETIC_ASSIGN_OR_RETURN(const auto removals, context.store->RemoveAll(one.objects, stop));
    if (std::ranges::find(removals, store::Removal::kChanged) != removals.end()) {
      return Fail(ErrorCode::kAborted,
                  "dataset " + one.data.name + " was stored again while it was removed",
                  "run the same command again");
    }
    removed.push_back(std::move(one.data));
  }
  return removed;
}

Result<record::DataTree> ReferenceDataSet(Context& context, std::string_view name,
                                          bundle::ContentLease* lease, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto data, record::ReadDataSet(*context.store, name, stop));
  if (!data) {
    KINETIC_ASSIGN_OR_RETURN(const auto all, record::ListDataSets(*context.store, stop));
    return Failure(NoSuchData(all.sets, name));
  }
  if (lease != nullptr) {
    KINETIC_ASSIGN_OR_RETURN(const bool there, lease->ReuseTree(data->tree, std::move(stop)));
    if (!there) {
      return Fail(ErrorCode::kNotFound,
                  fmt::format("the content of the dataset '{}' is not in the store", name),
                  "store it again: kinetic data put " + ShellQuote(data->data.source));
    }
  }
  return record::DataTree{data->tree, data->data.file};
}

}  // namespace kinetic::job
