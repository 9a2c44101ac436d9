#include "store/open.h"

#include "base/strings.h"
#include "base/try.h"
#include "json/reader.h"
#include "store/bucket_location.h"
#include "store/bucket_rules.h"
#include "store/folder_store.h"
#include "store/gcs_store.h"
#include "store/name.h"
#include "store/opening_store.h"

#include <algorithm>
#include <utility>

namespace kinetic::store {
namespace {

constexpr std::string_view kFormatName = "format.json";
constexpr std::int64_t kFormat = 1;
constexpr std::uint64_t kFormatBytes = 4096;

Status CheckFormat(std::string_view json, const std::string& location) {
  const auto value = Value::FromJson(json);
  if (!value) {
    return Fail(ErrorCode::kDataLoss, location + "/format.json: " + value.error().message,
                "the folder is no store of kinetic, or its disk is damaged");
  }
  json::ObjectReader reader(*value, location + "/format.json");
  const std::int64_t format = reader.Int("format");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (format == kFormat) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              "the store " + location + " has format " + std::to_string(format) +
                  ", and this kinetic understands format " + std::to_string(kFormat),
              "use the version of kinetic that made the store, or another store");
}

/// Whether there is a format.json, which must be one that is understood.
Result<bool> HasFormat(Store& store, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto json, GetBytes(store, kFormatName, stop, kFormatBytes));
  if (json) KINETIC_RETURN_IF_ERROR(CheckFormat(*json, store.Location()));
  return json.has_value();
}

/// Checks format.json, or makes it in a place that is empty. @returns whether it made it.
Result<bool> CheckOrMakeFormat(Store& store, const std::function<Result<bool>()>& is_empty,
                               std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(bool there, HasFormat(store, stop));
  if (there) return false;
  KINETIC_ASSIGN_OR_RETURN(const bool empty, is_empty());
  // Another process may have made the store between the two looks.
  KINETIC_ASSIGN_OR_RETURN(there, HasFormat(store, stop));
  if (there) return false;
  if (!empty) {
    return Fail(ErrorCode::kInvalidArgument, "it holds something else",
                "name an empty folder, or one that is absent");
  }
  const std::string made = "{\"format\": " + std::to_string(kFormat) + "}\n";
  KINETIC_ASSIGN_OR_RETURN(const auto put,
                           PutBytes(store, kFormatName, made, Precondition::Absent(), stop));
  KINETIC_ASSIGN_OR_RETURN(there, HasFormat(store, stop));
  if (there) return put.has_value();
  return Fail(ErrorCode::kAborted, "it is being removed");
}

Result<std::unique_ptr<Store>> OpenFolder(std::string_view location, const Access& access,
                                          const std::stop_token& stop) {
  const Path root = Path(location).lexically_normal();
  if (!root.is_absolute()) {
    return Fail(ErrorCode::kInvalidArgument, "neither an absolute path of a folder nor gs://BUCKET",
                "write the whole path of a folder, or gs://BUCKET/FOLDER");
  }
  // "/a/b/" and "/a/b" are one store.
  const Path folder = root.has_filename() ? root : root.parent_path();
  KINETIC_RETURN_IF_ERROR(MakeDirectories(access.fs, folder));
  auto store = std::make_unique<FolderStore>(folder, access.fs, access.clock);
  // Nothing but a beginning of a store is in the folder.
  const auto is_empty = [&]() -> Result<bool> {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, access.fs.ReadDirectory(folder));
    return std::all_of(entries.begin(), entries.end(), [](const DirectoryEntry& entry) {
      return entry.name == kTemporaryFolder || entry.name == kLockFolder;
    });
  };
  KINETIC_RETURN_IF_ERROR(CheckOrMakeFormat(*store, is_empty, stop));
  return store;
}

/// The way into a bucket.
class BucketOpening {
 public:
  static Result<BucketOpening> Connect(std::string_view location, const Access& access,
                                       const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const BucketLocation place, ParseBucketLocation(location));
    if (!access.connect) {
      return Fail(ErrorCode::kInvalidArgument, "only folders can be stores here");
    }
    KINETIC_ASSIGN_OR_RETURN(auto transport, access.connect(stop));
    return BucketOpening(place, access, std::move(transport));
  }

  std::unique_ptr<Store> MakeStore() const {
    return std::make_unique<GcsStore>(transport_, clock_, place_, options_);
  }

  /// Checks the format of the store, or makes it.
  Status Check(Store& store, const std::stop_token& stop) const {
    const auto is_empty = [&]() -> Result<bool> {
      bool empty = true;
      const auto found = [&](const ObjectInfo&) -> Result<bool> { return empty = false; };
      KINETIC_RETURN_IF_ERROR(store.List("", "", found, stop));
      return empty;
    };
    KINETIC_ASSIGN_OR_RETURN(const bool made, CheckOrMakeFormat(store, is_empty, stop));
    if (!made) return {};
    const gcs::Buckets buckets(*transport_, clock_, options_);
    if (const auto ruled = EnsureLifecycle(buckets, place_, stop); !ruled && log_ != nullptr) {
      log_->Write(LogLevel::kWarning, "store",
                  "without a lifecycle rule only 'kinetic gc' removes what is old: " +
                      ruled.error().message);
    }
    return {};
  }

 private:
  BucketOpening(BucketLocation place, const Access& access,
                std::shared_ptr<http::Transport> transport)
      : place_(std::move(place)),
        clock_(access.clock),
        options_(access.gcs),
        log_(access.log),
        transport_(std::move(transport)) {}

  BucketLocation place_;
  Clock& clock_;
  gcs::ClientOptions options_;
  LogSink* log_;
  std::shared_ptr<http::Transport> transport_;
};

Result<std::unique_ptr<Store>> OpenBucket(std::string_view location, const Access& access,
                                          const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto opening, BucketOpening::Connect(location, access, stop));
  auto store = opening.MakeStore();
  KINETIC_RETURN_IF_ERROR(opening.Check(*store, stop));
  return store;
}

/// Says what was being done when it went wrong.
Failure WhileOpening(std::string_view location, Error error) {
  return Failure(std::move(error).Context("opening the store " + Printable(location)));
}

}  // namespace

Result<std::unique_ptr<Store>> Open(std::string_view location, const Access& access,
                                    std::stop_token stop) {
  auto opened = IsBucketLocation(location) ? OpenBucket(location, access, stop)
                                           : OpenFolder(location, access, stop);
  if (opened) return opened;
  return WhileOpening(location, std::move(opened).error());
}

Result<std::unique_ptr<Store>> OpenAhead(std::string_view location, const Access& access,
                                         std::stop_token stop) {
  if (!IsBucketLocation(location)) return Open(location, access, std::move(stop));
  auto opening = BucketOpening::Connect(location, access, stop);
  if (!opening) return WhileOpening(location, std::move(opening).error());
  auto store = opening->MakeStore();
  const auto check = [opening = *std::move(opening), where = std::string(location)](
                         Store& bucket, const std::stop_token& stopping) -> Status {
    auto checked = opening.Check(bucket, stopping);
    if (checked) return {};
    return WhileOpening(where, std::move(checked).error());
  };
  return std::make_unique<OpeningStore>(std::move(store), check);
}

}  // namespace kinetic::store
