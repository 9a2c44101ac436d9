#include "store/open.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "json/document.h"
#include "store/bucket/location.h"
#include "store/folder_store.h"
#include "store/gcs_store.h"
#include "store/lazy_store.h"
#include "store/object.h"

#include <algorithm>
#include <utility>

namespace kinetic::store {
namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::uint64_t kFormatBytes = 4096;

constexpr const char* kFormatHint =
    "choose another location; if this is a store, replace the content of the file with "
    "{\"format\": 1}";

Status CheckFormat(std::string_view json, const std::string& location) {
  const auto value = Value::FromJson(json);
  if (!value) {
    return Fail(ErrorCode::kDataLoss, location + "/format.json: " + value.error().message,
                kFormatHint);
  }
  json::ObjectReader reader(*value, location + "/format.json");
  const std::int64_t format = reader.Int("format");
  auto read = reader.Finish();
  if (!read) return Failure(std::move(read).error().Hint(kFormatHint));
  if (format == kFormat) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              "the store " + location + " has format " + std::to_string(format) +
                  ", but this version of kinetic supports only format " + std::to_string(kFormat),
              "update kinetic, or use another store");
}

/// Returns whether format.json exists. Fails if its format is not supported.
Result<bool> HasFormat(Store& store, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto json, GetBytes(store, kFormatObject, stop, kFormatBytes));
  if (json) KINETIC_RETURN_IF_ERROR(CheckFormat(*json, store.Location()));
  return json.has_value();
}

Failure NeitherStoreNorEmpty() {
  return Fail(ErrorCode::kInvalidArgument, "it is neither a store nor empty",
              "choose an empty or new folder; if a store here has lost its format.json, restore "
              "it with the content {\"format\": 1}");
}

/// Returns whether no object is below the store's prefix.
Result<bool> IsEmptyBucket(Store& store, const std::stop_token& stop) {
  bool empty = true;
  const auto found = [&](const ObjectInfo&) -> Result<bool> { return empty = false; };
  KINETIC_RETURN_IF_ERROR(store.List("", "", found, stop));
  return empty;
}

/// Checks a bucket's format.json. Returns false if the location is empty.
Result<bool> CheckBucket(Store& store, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const bool exists, HasFormat(store, stop));
  if (exists) return true;
  KINETIC_ASSIGN_OR_RETURN(const bool is_empty, IsEmptyBucket(store, stop));
  if (is_empty) return false;
  // Another process may have created the store between the two checks.
  KINETIC_ASSIGN_OR_RETURN(const bool exists_now, HasFormat(store, stop));
  if (!exists_now) return NeitherStoreNorEmpty();
  return true;
}

/// Checks format.json, or creates it in an empty location. Returns whether it was created.
Result<bool> CheckOrCreateFormat(Store& store, const std::function<Result<bool>()>& is_empty,
                                 std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(bool exists, HasFormat(store, stop));
  if (exists) return false;
  KINETIC_ASSIGN_OR_RETURN(const bool empty, is_empty());
  // Another process may have created the store between the two checks.
  KINETIC_ASSIGN_OR_RETURN(exists, HasFormat(store, stop));
  if (exists) return false;
  if (!empty) return NeitherStoreNorEmpty();
  const std::string format = "{\"format\": " + std::to_string(kFormat) + "}\n";
  KINETIC_ASSIGN_OR_RETURN(const auto put,
                           PutBytes(store, kFormatObject, format, Precondition::Absent(), stop));
  KINETIC_ASSIGN_OR_RETURN(exists, HasFormat(store, stop));
  if (exists) return put.has_value();
  return Fail(ErrorCode::kAborted, "another process is removing it");
}

Result<Path> ParseFolder(std::string_view location) {
  const Path root = Path(location).lexically_normal();
  if (!root.is_absolute()) {
    return Fail(ErrorCode::kInvalidArgument, "not an absolute path or gs://BUCKET",
                "write the absolute path of a folder, or gs://BUCKET/FOLDER");
  }
  // "/a/b/" and "/a/b" are one store.
  return root.has_filename() ? root : root.parent_path();
}

/// Returns whether the folder has nothing but what a process creates first that is creating a
/// store.
Result<bool> IsEmptyFolder(FileSystem& fs, const Path& folder) {
  const auto entries = fs.ReadDirectory(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return true;
  if (!entries) return Failure(entries.error());
  return std::all_of(entries->begin(), entries->end(), [](const DirectoryEntry& entry) {
    return entry.name == kTemporaryFolder || entry.name == kLockFolder;
  });
}

Result<std::unique_ptr<Store>> CreateFolder(const Path& folder, FileSystem& fs,
                                            const std::stop_token& stop) {
  if (Status made = MakeDirectories(fs, folder); !made) {
    Error error = std::move(made).error();
    // As in /proc, where no folder can be created. The store itself is not missing.
    if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kPermissionDenied;
    return Failure(std::move(error));
  }
  auto store = std::make_unique<FolderStore>(folder, fs);
  const auto is_empty = [&] { return IsEmptyFolder(fs, folder); };
  KINETIC_RETURN_IF_ERROR(CheckOrCreateFormat(*store, is_empty, stop));
  return store;
}

Result<std::unique_ptr<Store>> OpenFolder(std::string_view location, const Access& access,
                                          const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const Path folder, ParseFolder(location));
  return CreateFolder(folder, access.fs, stop);
}

Failure OpenFailure(std::string_view location, Error error) {
  return Failure(std::move(error).Context("cannot open the store " + Printable(location)));
}

/// Fails if the path has something else than a folder, which would look like a missing store.
Status CheckIsFolder(const Path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) return {};
  if (std::filesystem::exists(status)) {
    return Fail(ErrorCode::kInvalidArgument, "it is not a folder",
                "choose another folder with --store");
  }
  const auto target = std::filesystem::read_symlink(path, ignored);
  if (target.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "it is a link to " + Printable(target.native()) + ", which does not exist",
              "check that the disk of the link's target is mounted");
}

/// Opens a folder store without creating it.
Result<std::unique_ptr<Store>> OpenFolderLazily(std::string_view location, const Access& access,
                                                const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const Path folder, ParseFolder(location));
  KINETIC_RETURN_IF_ERROR(CheckIsFolder(folder));
  FileSystem& fs = access.fs;
  auto store = std::make_unique<FolderStore>(folder, fs);
  const auto found = fs.Lstat(folder);
  if (!found && found.error().code != ErrorCode::kNotFound) return Failure(found.error());
  const auto exists = [&fs, folder] { return fs.Lstat(folder).has_value(); };
  if (found) {
    KINETIC_ASSIGN_OR_RETURN(const bool has_format, HasFormat(*store, stop));
    if (has_format) return store;
    KINETIC_ASSIGN_OR_RETURN(const bool is_empty, IsEmptyFolder(fs, folder));
    if (!is_empty) return CreateFolder(folder, fs, stop);  // reports why it cannot
  }
  const auto create = [&fs, folder](const std::stop_token& stopping) -> Status {
    auto created = CreateFolder(folder, fs, stopping);
    if (!created) return OpenFailure(folder.native(), std::move(created).error());
    return {};
  };
  return std::make_unique<UncreatedStore>(std::move(store), exists, create);
}

/// A connection to a bucket, and the options for stores in it.
class BucketConnection {
 public:
  static Result<BucketConnection> Open(std::string_view location, const Access& access,
                                       const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const BucketLocation bucket, ParseBucketLocation(location));
    if (!access.connect) {
      return Fail(ErrorCode::kInvalidArgument, "buckets are not supported here; use a folder");
    }
    KINETIC_ASSIGN_OR_RETURN(auto transport, access.connect(stop));
    return BucketConnection(bucket, access, std::move(transport));
  }

  std::unique_ptr<Store> MakeStore() const {
    return std::make_unique<GcsStore>(transport_, clock_, location_, options_);
  }

  /// Checks the store's format, or creates a store in an empty location.
  Status CheckOrCreateStore(Store& store, const std::stop_token& stop) const {
    const auto is_empty = [&] { return IsEmptyBucket(store, stop); };
    KINETIC_ASSIGN_OR_RETURN(const bool created, CheckOrCreateFormat(store, is_empty, stop));
    if (!created) return {};
    const gcs::Buckets buckets(*transport_, clock_, options_);
    if (const auto added = EnsureLifecycleRules(buckets, clock_, location_, stop);
        !added && log_ != nullptr) {
      log_->Write(LogLevel::kWarning, "store",
                  "cannot add lifecycle rules, so only 'kinetic gc' removes "
                  "old packs and trees: " +
                      added.error().message);
    }
    return {};
  }

 private:
  BucketConnection(BucketLocation location, const Access& access,
                   std::shared_ptr<http::Transport> transport)
      : location_(std::move(location)),
        clock_(access.clock),
        options_(access.gcs),
        log_(access.log),
        transport_(std::move(transport)) {}

  BucketLocation location_;
  Clock& clock_;
  gcs::ClientOptions options_;
  LogSink* log_;
  std::shared_ptr<http::Transport> transport_;
};

Result<std::unique_ptr<Store>> OpenBucket(std::string_view location, const Access& access,
                                          const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto connection, BucketConnection::Open(location, access, stop));
  auto store = connection.MakeStore();
  KINETIC_RETURN_IF_ERROR(connection.CheckOrCreateStore(*store, stop));
  return store;
}

}  // namespace

Result<std::unique_ptr<Store>> Open(std::string_view location, const Access& access,
                                    std::stop_token stop) {
  auto opened = IsBucketLocation(location) ? OpenBucket(location, access, stop)
                                           : OpenFolder(location, access, stop);
  if (opened) return opened;
  return OpenFailure(location, std::move(opened).error());
}

Result<std::unique_ptr<Store>> OpenChecked(std::string_view location, const Access& access,
                                           std::stop_token stop) {
  return IsBucketLocation(location) ? Reopen(location, access, std::move(stop))
                                    : Open(location, access, std::move(stop));
}

Result<std::unique_ptr<Store>> Reopen(std::string_view location, const Access& access,
                                      std::stop_token stop) {
  if (!IsBucketLocation(location)) {
    KINETIC_ASSIGN_OR_RETURN(Path folder, ParseFolder(location));
    return std::make_unique<FolderStore>(std::move(folder), access.fs);
  }
  auto connection = BucketConnection::Open(location, access, stop);
  if (!connection) return OpenFailure(location, std::move(connection).error());
  return connection->MakeStore();
}

Result<std::unique_ptr<Store>> OpenLazy(std::string_view location, const Access& access,
                                        std::stop_token stop) {
  if (!IsBucketLocation(location)) {
    auto opened = OpenFolderLazily(location, access, stop);
    if (opened) return opened;
    return OpenFailure(location, std::move(opened).error());
  }
  auto connection = BucketConnection::Open(location, access, stop);
  if (!connection) return OpenFailure(location, std::move(connection).error());
  auto store = connection->MakeStore();
  const std::string where(location);
  const auto check = [where](Store& bucket, const std::stop_token& stopping) -> Result<bool> {
    auto exists = CheckBucket(bucket, stopping);
    if (!exists) return OpenFailure(where, std::move(exists).error());
    return exists;
  };
  const auto create = [connection = *std::move(connection), where](
                          Store& bucket, const std::stop_token& stopping) -> Status {
    auto created = connection.CheckOrCreateStore(bucket, stopping);
    if (!created) return OpenFailure(where, std::move(created).error());
    return {};
  };
  return std::make_unique<LazyStore>(std::move(store), check, create);
}

}  // namespace kinetic::store
