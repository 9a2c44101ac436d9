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

/// The object that a dataset replaces.
struct Replaceable {
  std::optional<std::int64_t> generation;  ///< nullopt: the name is free
  std::string tree;                        ///< empty: the object is damaged
};

/// Reads the object with the name of a dataset, which may be damaged.
Result<Replaceable> ReadReplaceable(Context& context, std::string_view name,
                                    const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto info, context.store->Stat(record::DataSetName(name), stop));
  if (!info) return Replaceable();
  const auto there = record::ReadDataSet(*context.store, name, stop);
  if (there && *there) return Replaceable{(*there)->generation, (*there)->data.tree};
  if (there) return Replaceable();
  if (there.error().code != ErrorCode::kDataLoss) return Failure(there.error());
  context.Log(LogLevel::kWarning, there.error().message);
  return Replaceable{info->generation, {}};
}

/// Writes the document over any existing one. @returns whether another dataset had the name.
Result<bool> PutDocument(Context& context, const Dataset& data, const std::stop_token& stop) {
  const std::string object = record::DataSetName(data.name);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto there, ReadReplaceable(context, data.name, stop));
    auto precondition = store::Precondition::Absent();
    if (there.generation) precondition = store::Precondition::Generation(*there.generation);
    KINETIC_ASSIGN_OR_RETURN(
        const auto put,
        store::PutBytes(*context.store, object, record::ToJson(data), precondition, stop));
    if (put) return there.generation && there.tree != data.tree;
  }
  return Fail(ErrorCode::kAborted, "cannot store " + object + ": other clients kept changing it",
              "run the same command again");
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
    PutDatasetReport report;
    report.data = Describe(context, files, name, plain);
    observer.OnPhaseEnd(Phase::kPackage, DescribeSize(files.source));
    observer.OnPhaseBegin(Phase::kStage, context.store->Location());
    bundle::ContentLease lease(*context.store, &bundle::ReferencesOf);
    auto stored = StoreFiles(context, lease, files, observer, stop);
    if (!stored && stored.error().code == ErrorCode::kAborted && attempt + 1 < kMaxAttempts)
      continue;
    if (!stored) return Failure(std::move(stored).error());
    report.data.tree = stored->tree.Hex();
    report.bytes_stored = stored->bytes_stored;
    // As for a job record, the lease is confirmed before the write and again after it.
    KINETIC_ASSIGN_OR_RETURN(const bool there, lease.RenewIfStale(stop));
    if (!there) continue;
    KINETIC_ASSIGN_OR_RETURN(report.data.stored, context.store->Now(stop));
    KINETIC_ASSIGN_OR_RETURN(report.replaced, PutDocument(context, report.data, stop));
    KINETIC_ASSIGN_OR_RETURN(const bool still, lease.RenewIfStale(stop));
    if (!still) continue;
    observer.OnPhaseEnd(Phase::kStage, report.bytes_stored == 0
                                           ? "unchanged"
                                           : FormatBytes(report.bytes_stored) + " stored");
    return report;
  }
  return Fail(ErrorCode::kAborted,
              "cannot store " + plain.native() + ": its stored content was removed repeatedly",
              "check the clocks of this machine and the store; one may be wrong by days");
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

Result<Dataset> RemoveData(Context& context, std::string_view name, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  const std::string object = record::DataSetName(name);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto info, context.store->Stat(object, stop));
    auto data = record::ReadDataSet(*context.store, name, stop);
    if (!data && data.error().code == ErrorCode::kDataLoss && info) {
      context.Log(LogLevel::kWarning, data.error().message);
      data = record::StoredDataSet{.data = {.name = std::string(name)}, .tree = {}};
    }
    if (!data) return Failure(std::move(data).error());
    if (!info || !*data) {
      KINETIC_ASSIGN_OR_RETURN(const auto all, record::ListDataSets(*context.store, stop));
      return Failure(NoSuchData(all.sets, name));
    }
    KINETIC_ASSIGN_OR_RETURN(const auto removal, context.store->RemoveIfUnchanged(*info, stop));
    if (removal != store::Removal::kChanged) return std::move((*data)->data);
  }
  return Fail(ErrorCode::kAborted, "cannot remove " + object + ": other clients kept changing it",
              "run the same command again");
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
