#include "runner/collector.h"

#include "base/temp_dir.h"
#include "base/try.h"
#include "base/units.h"
#include "local/data_cache.h"
#include "record/data_listing.h"
#include "record/index.h"
#include "record/layout.h"
#include "runner/bucket_fetch.h"
#include "runner/diagnostics.h"
#include "runner/job_program.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxRecordBytes = 16U << 20;
constexpr std::uint64_t kMaxResultBytes = 64U << 20;
constexpr std::uint32_t kHost = 0;

Failure Missing(std::string_view name) {
  return Fail(ErrorCode::kNotFound, fmt::format("{} is not in the store", name),
              "it was removed, or never written; submit the job again");
}

/// Moves what is in a folder into another one, which has some of its folders already.
Status MergeInto(FileSystem& fs, const Path& from, const Path& to) {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(from));
  for (const auto& entry : entries) {
    const auto there = fs.Lstat(to / entry.name);
    const bool both =
        entry.type == FileType::kDirectory && there && there->type == FileType::kDirectory;
    KINETIC_RETURN_IF_ERROR(both ? MergeInto(fs, from / entry.name, to / entry.name)
                                 : fs.Rename(from / entry.name, to / entry.name));
  }
  return {};
}

/// What a board shows of an unpacking.
bundle::UnpackOptions ShownOn(FetchBoard& board) {
  return {.on_total = [&board](std::uint64_t total_bytes) { board.Expect(total_bytes); },
          .on_bytes = [&board](std::uint64_t bytes) { board.Add(bytes); }};
}

}  // namespace

Result<record::Record> Collector::FetchRecord(store::Store& store, std::string_view id,
                                              const Digest& sha256, std::stop_token stop) {
  const std::string name = record::RecordName(id);
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetBytes(store, name, std::move(stop), kMaxRecordBytes));
  if (!json) return Missing(name);
  const Digest found = Sha256::Of(*json);
  if (found != sha256) {
    return Fail(
        ErrorCode::kDataLoss,
        fmt::format("{} has sha256 {}, and the launch names {}", name, found.Hex(), sha256.Hex()),
        "the record was altered after it was written; submit the job again");
  }
  KINETIC_ASSIGN_OR_RETURN(record::Record record, record::FromJson(*json));
  if (record.id != id) {
    return Fail(ErrorCode::kDataLoss, fmt::format("{} is the record of job {}", name, record.id));
  }
  return record;
}

Collector::Collector(Seams seams, const record::Record& record, local::Runtime runtime,
                     Options options)
    : seams_(seams), record_(record), runtime_(std::move(runtime)), options_(std::move(options)) {}

Result<bool> Collector::HasResult(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto info,
                           seams_.store.Stat(record::ResultName(record_.id), std::move(stop)));
  return info.has_value();
}

Status Collector::Claim(std::uint32_t attempt, std::string_view claim, std::stop_token stop) {
  const std::string name = record::ClaimName(record_.id, attempt);
  KINETIC_ASSIGN_OR_RETURN(const auto put, store::PutBytes(seams_.store, name, claim,
                                                           store::Precondition::Absent(), stop));
  if (put) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto there, store::GetBytes(seams_.store, name, std::move(stop)));
  if (there == claim) return {};  // ours: an earlier try whose answer was lost
  return Fail(ErrorCode::kAlreadyExists,
              fmt::format("attempt {} of job {} belongs to another runner", attempt, record_.id));
}

Status Collector::MakeFolders() {
  for (const Path& folder : {runtime_.Work(), runtime_.Home(), runtime_.Temporary(),
                             runtime_.Output(), runtime_.Exchange(), runtime_.Data()}) {
    if (options_.mounted && folder == runtime_.Data()) {
      KINETIC_RETURN_IF_ERROR(ClearData(folder));
    } else {
      KINETIC_RETURN_IF_ERROR(RemoveTree(seams_.fs, folder));
    }
    KINETIC_RETURN_IF_ERROR(MakeDirectories(seams_.fs, folder, 0700));
  }
  return {};
}

/// Removes what is in a folder but the folders that data is laid down in: a mount goes on showing
/// the one that it was made of.
Status Collector::ClearData(const Path& folder) {
  const auto entries = seams_.fs.ReadDirectory(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return {};
  KINETIC_RETURN_IF_ERROR(entries);
  for (const auto& entry : *entries) {
    const Path path = folder / entry.name;
    bool leads_to_data = false;
    for (const auto& [place, source] : record_.spec.data) {
      const auto relative = DataPlace(runtime_, place).lexically_relative(path);
      leads_to_data = leads_to_data || (!relative.empty() && *relative.begin() != "..");
    }
    KINETIC_RETURN_IF_ERROR(leads_to_data && entry.type == FileType::kDirectory
                                ? ClearData(path)
                                : RemoveTree(seams_.fs, path));
  }
  return {};
}

Result<std::string> Collector::LayDown(FetchBoard& board, std::stop_token stop) {
  board.Begin("fetching the bundle");
  KINETIC_RETURN_IF_ERROR(MakeFolders());
  KINETIC_ASSIGN_OR_RETURN(const bundle::UnpackReport report,
                           bundle::Unpack(seams_.store, {seams_.fs, runtime_.Work()}, record_.tree,
                                          ShownOn(board), stop));
  Laid laid{report.files, report.content_bytes, 0, &board};
  KINETIC_RETURN_IF_ERROR(LayDownData(laid, stop));
  return fmt::format("{} files, {}{}", laid.files, FormatBytes(laid.bytes),
                     laid.kept == 0 ? "" : fmt::format("; {} data sets were kept", laid.kept));
}

Status Collector::LayDownData(Laid& laid, const std::stop_token& stop) {
  for (const auto& [path, data] : record_.data) {
    const Path place = DataPlace(runtime_, path);
    const auto lay_down = [&](const Path& here) {
      laid.board->Begin("fetching " + path);
      return LayDownTree(data, here, laid, stop);
    };
    const std::string kind = data.file ? "file-" : "tree-";
    KINETIC_RETURN_IF_ERROR(Provide(kind + data.tree.Hex(), place, lay_down, laid, stop));
  }
  for (const auto& [path, data] : record_.listed_data) {
    const Path place = DataPlace(runtime_, path);
    const auto lay_down = [&](const Path& here) {
      laid.board->Begin("fetching " + path);
      return LayDownListed(data, here, laid, stop);
    };
    KINETIC_RETURN_IF_ERROR(Provide("listing-" + data.listing.Hex(), place, lay_down, laid, stop));
  }
  return {};
}

/// A cache that cannot be used is done without: what is wrong with it is no fault of the job.
Status Collector::Provide(const std::string& key, const Path& place,
                          const std::function<Status(const Path& place)>& lay_down, Laid& laid,
                          const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(seams_.fs, place.parent_path(), 0755));
  if (options_.data_cache.empty()) return lay_down(place);
  const local::DataCache cache(seams_.fs, seams_.clock, options_.data_cache);
  // Data that is gone or damaged is so wherever it goes; a full disk is the volume's own.
  bool is_of_data = false;
  const auto watched = [&](const Path& here) {
    auto laid_down = lay_down(here);
    is_of_data = !laid_down && (laid_down.error().code == ErrorCode::kNotFound ||
                                laid_down.error().code == ErrorCode::kDataLoss);
    return laid_down;
  };
  const auto provided = cache.Provide(key, place, watched, stop);
  if (provided) {
    if (*provided) ++laid.kept;
    return {};
  }
  if (is_of_data || stop.stop_requested()) return Failure(provided.error());
  DiagnoseError("keeping data for later jobs", Failure(provided.error()));
  KINETIC_RETURN_IF_ERROR(RemoveTree(seams_.fs, place));
  return lay_down(place);
}

/// A place that is mounted may hold the places of other data, as empty folders.
Result<bundle::UnpackReport> Collector::UnpackTo(const Path& place, const Digest& tree,
                                                 FetchBoard& board, const std::stop_token& stop) {
  const auto entries = seams_.fs.ReadDirectory(place);
  if (!options_.mounted || !entries || entries->empty()) {
    return bundle::Unpack(seams_.store, {seams_.fs, place}, tree, ShownOn(board), stop);
  }
  KINETIC_ASSIGN_OR_RETURN(const TempDir draft,
                           TempDir::Make(seams_.fs, runtime_.folder, ".data-"));
  KINETIC_ASSIGN_OR_RETURN(
      const auto report,
      bundle::Unpack(seams_.store, {seams_.fs, draft.path()}, tree, ShownOn(board), stop));
  KINETIC_RETURN_IF_ERROR(MergeInto(seams_.fs, draft.path(), place));
  return report;
}

Status Collector::LayDownTree(const record::DataTree& data, const Path& place, Laid& laid,
                              const std::stop_token& stop) {
  const auto unpack = [&](const Path& folder) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto report, UnpackTo(folder, data.tree, *laid.board, stop));
    laid.files += report.files;
    laid.bytes += report.content_bytes;
    return {};
  };
  if (!data.file) return unpack(place);
  // A tree of one file: unpacked beside its place, then moved to its name.
  KINETIC_ASSIGN_OR_RETURN(const TempDir draft,
                           TempDir::Make(seams_.fs, place.parent_path(), ".data-"));
  KINETIC_RETURN_IF_ERROR(unpack(draft.path()));
  KINETIC_ASSIGN_OR_RETURN(const auto entries, seams_.fs.ReadDirectory(draft.path()));
  if (entries.size() != 1 || entries[0].type != FileType::kRegular) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("the data tree {} is not one file", data.tree.Hex()));
  }
  return seams_.fs.Rename(draft.path() / entries[0].name, place);
}

Status Collector::LayDownListed(const record::ListedData& data, const Path& place, Laid& laid,
                                const std::stop_token& stop) {
  const std::string name = record::DataListingName(record_.id, record_.nonce, data.listing);
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetBytes(seams_.store, name, stop, record::kListingBytes));
  if (!json) return Missing(name);
  if (Sha256::Of(*json) != data.listing) {
    return Fail(ErrorCode::kDataLoss, name + " is not what its name says");
  }
  KINETIC_ASSIGN_OR_RETURN(const auto listing, record::DataListingFromJson(*json));
  if (seams_.cloud == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition, "this runner has no way to gs://" + listing.bucket);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto connection, seams_.cloud->Connect(stop));
  const gcs::Client client(*connection, seams_.clock, listing.bucket, seams_.cloud->Storage());
  laid.board->Expect(data.bytes);
  const BucketFetch fetch(client, seams_.fs, [&](std::uint64_t bytes) { laid.board->Add(bytes); });
  laid.files += data.objects;
  laid.bytes += data.bytes;
  if (!data.file) return fetch.Fetch(listing, place, stop);
  if (listing.objects.size() != 1) {
    return Fail(ErrorCode::kDataLoss, name + ": is not one object");
  }
  return fetch.FetchObject(listing, listing.objects[0], place, stop);
}

Result<Arguments> Collector::FetchArguments(std::stop_token stop) {
  std::optional<std::string> json = record_.inline_arguments;
  const std::string name = record::ArgumentsName(record_.id, record_.nonce);
  if (!json) {
    KINETIC_ASSIGN_OR_RETURN(json, store::GetBytes(seams_.store, name, std::move(stop)));
  }
  if (!json) return Missing(name);
  if (Sha256::Of(*json) != record_.arguments) {
    return Fail(ErrorCode::kDataLoss, name + " is not what the record's digest says");
  }
  return record::ArgumentsFromJson(*json);
}

Result<local::CollectedValue> Collector::StoreValue(std::uint32_t attempt, std::stop_token stop) {
  return local::StoreValue(seams_.store, seams_.fs, runtime_.Exchange(), record_.id, attempt,
                           std::move(stop));
}

Status Collector::WriteAttempt(const record::StoredOutcome& outcome, std::stop_token stop) {
  const std::string name = record::AttemptResultName(record_.id, outcome.outcome.attempt, kHost);
  return store::Overwrite(seams_.store, name, record::ToJson(outcome), std::move(stop));
}

Result<bool> Collector::WriteResult(const std::string& json, std::stop_token stop) {
  const std::string name = record::ResultName(record_.id);
  KINETIC_ASSIGN_OR_RETURN(const auto put, store::PutBytes(seams_.store, name, json,
                                                           store::Precondition::Absent(), stop));
  if (put) return true;
  KINETIC_ASSIGN_OR_RETURN(const auto there,
                           store::GetBytes(seams_.store, name, std::move(stop), kMaxResultBytes));
  return there == json;  // ours: an earlier try whose answer was lost
}

Status Collector::WriteIndex(const JobSummary& summary, std::stop_token stop) {
  return record::WriteIndex(seams_.store, summary, std::move(stop));
}

}  // namespace kinetic::runner
