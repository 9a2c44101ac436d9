#include "base/parallel.h"
#include "base/temp_dir.h"
#include "base/try.h"
#include "base/units.h"
#include "local/data_cache.h"
#include "record/data_listing.h"
#include "record/layout.h"
#include "runner/bucket_fetch.h"
#include "runner/collector.h"
#include "runner/diagnostics.h"
#include "runner/environment_fetch.h"
#include "runner/fetch_tree.h"
#include "runner/job_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

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

bool IsOfFullDisk(const Error& error) {
  return std::ranges::any_of(error.details, [](const auto& detail) {
    return detail.first == "errno" &&
           (detail.second == std::to_string(ENOSPC) || detail.second == std::to_string(EDQUOT));
  });
}

}  // namespace

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

/// A node ends a pod that has more on its disk than it may, some time later.
Status Collector::CheckRoom(std::uint64_t bytes) const {
  if (!options_.disk_bytes || bytes <= *options_.disk_bytes) return {};
  return Fail(
      ErrorCode::kResourceExhausted,
      fmt::format("the files, packages and data of the job have {}, and resources.disk is {}",
                  FormatBytes(bytes), FormatBytes(*options_.disk_bytes)),
      "set 'resources: {disk: …}' to that and what the job writes");
}

/// Both at the same time; says what the packages were.
Result<std::string> Collector::LayDownAll(Laid& laid, const record::PodEnvironment* environment,
                                          std::stop_token stop) {
  const Path& folder = options_.environment;
  const bool kept = environment != nullptr && HasEnvironment(seams_.fs, *environment, folder);
  std::string packages = kept ? "; its packages were there" : "";
  std::optional<FetchBoard::Fetch> shown;
  if (environment != nullptr && !kept) {
    shown.emplace(laid.board->Begin("fetching the environment"));
  }
  const auto lay_down = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 0) return LayDownBundle(laid, stopping);
    KINETIC_ASSIGN_OR_RETURN(
        const auto report,
        FetchEnvironment(seams_.store, seams_.fs, *environment, folder, *shown, stopping));
    packages =
        fmt::format("; packages: {} files, {}", report.files, FormatBytes(report.content_bytes));
    shown.reset();
    return {};
  };
  KINETIC_RETURN_IF_ERROR(Parallel(2, shown ? 2 : 1, std::move(stop), lay_down));
  return packages;
}

Result<std::string> Collector::LayDown(FetchBoard& board, std::stop_token stop) {
  const record::PodEnvironment* environment =
      record_.environment && !options_.environment.empty() ? &*record_.environment : nullptr;
  const bool on_disk = environment != nullptr && !IsInMemory(options_.environment.parent_path());
  const std::uint64_t packed_bytes = on_disk ? environment->bytes : 0;
  std::uint64_t listed_bytes = 0;
  for (const auto& [path, listed] : record_.listed_data) listed_bytes += listed.bytes;
  KINETIC_RETURN_IF_ERROR(CheckRoom(packed_bytes + listed_bytes));
  Laid laid{.board = &board};
  auto packages = LayDownAll(laid, environment, std::move(stop));
  if (!packages) {
    Error error = std::move(packages).error();
    // Nobody can free what is on the disk of a pod's node.
    if (IsOfFullDisk(error) && options_.mounted) {
      error.hint = "'resources: {disk: …}' asks for a node that has as much free";
    }
    return Failure(std::move(error));
  }
  KINETIC_RETURN_IF_ERROR(CheckRoom(packed_bytes + laid.bytes));
  const std::string sets = fmt::format("; {} data sets were kept", laid.kept);
  return fmt::format("{} files, {}{}{}", laid.files, FormatBytes(laid.bytes),
                     laid.kept == 0 ? "" : sets, *packages);
}

Status Collector::LayDownBundle(Laid& laid, const std::stop_token& stop) {
  {
    FetchBoard::Fetch shown = laid.board->Begin("fetching the bundle");
    KINETIC_RETURN_IF_ERROR(MakeFolders());
    KINETIC_ASSIGN_OR_RETURN(
        const auto report,
        FetchTree(seams_.store, {seams_.fs, runtime_.Work()}, record_.tree, shown, stop));
    laid.files += report.files;
    laid.bytes += report.content_bytes;
  }
  return LayDownData(laid, stop);
}

Status Collector::LayDownData(Laid& laid, const std::stop_token& stop) {
  for (const auto& [path, data] : record_.data) {
    const Path place = DataPlace(runtime_, path);
    const auto lay_down = [&](const Path& here) {
      FetchBoard::Fetch shown = laid.board->Begin("fetching " + path);
      return LayDownTree(data, here, laid, shown, stop);
    };
    const std::string kind = data.file ? "file-" : "tree-";
    KINETIC_RETURN_IF_ERROR(Provide(kind + data.tree.Hex(), place, lay_down, laid, stop));
  }
  for (const auto& [path, data] : record_.listed_data) {
    const Path place = DataPlace(runtime_, path);
    const auto lay_down = [&](const Path& here) {
      FetchBoard::Fetch shown = laid.board->Begin("fetching " + path);
      return LayDownListed(data, here, laid, shown, stop);
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
Status Collector::UnpackTo(const Path& place, const Digest& tree, Laid& laid,
                           FetchBoard::Fetch& shown, const std::stop_token& stop) {
  const auto unpack = [&](const Path& folder) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto report,
                             FetchTree(seams_.store, {seams_.fs, folder}, tree, shown, stop));
    laid.files += report.files;
    laid.bytes += report.content_bytes;
    return {};
  };
  const auto entries = seams_.fs.ReadDirectory(place);
  if (!options_.mounted || !entries || entries->empty()) return unpack(place);
  KINETIC_ASSIGN_OR_RETURN(const TempDir draft,
                           TempDir::Make(seams_.fs, runtime_.folder, ".data-"));
  KINETIC_RETURN_IF_ERROR(unpack(draft.path()));
  return MergeInto(seams_.fs, draft.path(), place);
}

Status Collector::LayDownTree(const record::DataTree& data, const Path& place, Laid& laid,
                              FetchBoard::Fetch& shown, const std::stop_token& stop) {
  if (!data.file) return UnpackTo(place, data.tree, laid, shown, stop);
  // A tree of one file: unpacked beside its place, then moved to its name.
  KINETIC_ASSIGN_OR_RETURN(const TempDir draft,
                           TempDir::Make(seams_.fs, place.parent_path(), ".data-"));
  KINETIC_RETURN_IF_ERROR(UnpackTo(draft.path(), data.tree, laid, shown, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto entries, seams_.fs.ReadDirectory(draft.path()));
  if (entries.size() != 1 || entries[0].type != FileType::kRegular) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("the data tree {} is not one file", data.tree.Hex()));
  }
  return seams_.fs.Rename(draft.path() / entries[0].name, place);
}

Status Collector::LayDownListed(const record::ListedData& data, const Path& place, Laid& laid,
                                FetchBoard::Fetch& shown, const std::stop_token& stop) {
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
  shown.Expect(data.bytes);
  const BucketFetch fetch(client, seams_.fs, [&](std::uint64_t bytes) { shown.Add(bytes); });
  laid.files += data.objects;
  laid.bytes += data.bytes;
  if (!data.file) return fetch.Fetch(listing, place, stop);
  if (listing.objects.size() != 1) {
    return Fail(ErrorCode::kDataLoss, name + ": is not one object");
  }
  return fetch.FetchObject(listing, listing.objects[0], place, stop);
}

}  // namespace kinetic::runner
