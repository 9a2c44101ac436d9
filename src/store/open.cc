#include "store/open.h"

#include "base/strings.h"
#include "base/try.h"
#include "json/reader.h"
#include "store/folder_store.h"
#include "store/name.h"

#include <algorithm>

namespace kinetic::store {
namespace {

constexpr std::string_view kFormatName = "format.json";
constexpr std::int64_t kFormat = 1;
constexpr std::uint64_t kFormatBytes = 4096;

/// Whether nothing but a beginning of a store is in the folder.
Result<bool> IsEmpty(FileSystem& fs, const Path& root) {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(root));
  return std::all_of(entries.begin(), entries.end(), [](const DirectoryEntry& entry) {
    return entry.name == kTemporaryFolder || entry.name == kLockFolder;
  });
}

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

Status CheckOrMakeFormat(Store& store, FileSystem& fs, const Path& root, std::stop_token stop) {
  const std::string location = Printable(root.native());
  KINETIC_ASSIGN_OR_RETURN(auto json, GetBytes(store, kFormatName, stop, kFormatBytes));
  if (!json) {
    KINETIC_ASSIGN_OR_RETURN(const bool empty, IsEmpty(fs, root));
    // Another process may have made the store between the two looks.
    KINETIC_ASSIGN_OR_RETURN(json, GetBytes(store, kFormatName, stop, kFormatBytes));
    if (!json && !empty) {
      return Fail(ErrorCode::kInvalidArgument,
                  "opening the store " + location + ": the folder holds something else",
                  "name an empty folder, or one that is absent");
    }
    if (!json) {
      const std::string made = "{\"format\": " + std::to_string(kFormat) + "}\n";
      KINETIC_ASSIGN_OR_RETURN([[maybe_unused]] const auto put,
                               PutBytes(store, kFormatName, made, Precondition::Absent(), stop));
      KINETIC_ASSIGN_OR_RETURN(json, GetBytes(store, kFormatName, stop, kFormatBytes));
    }
  }
  if (!json) return Fail(ErrorCode::kAborted, "the store " + location + " is being removed");
  return CheckFormat(*json, location);
}

}  // namespace

Result<std::unique_ptr<Store>> Open(std::string_view location, FileSystem& fs, Clock& clock,
                                    std::stop_token stop) {
  const Path root = Path(location).lexically_normal();
  if (!root.is_absolute()) {
    return Fail(ErrorCode::kInvalidArgument,
                "opening the store " + Printable(location) + ": not an absolute path of a folder",
                "only folders can be stores on this target");
  }
  // "/a/b/" and "/a/b" are one store.
  const Path folder = root.has_filename() ? root : root.parent_path();
  const std::string context = "opening the store " + Printable(folder.native());
  if (auto made = MakeDirectories(fs, folder); !made) {
    return Failure(std::move(made).error().Context(context));
  }
  auto store = std::make_unique<FolderStore>(folder, fs, clock);
  KINETIC_RETURN_IF_ERROR(CheckOrMakeFormat(*store, fs, folder, stop));
  return store;
}

}  // namespace kinetic::store
