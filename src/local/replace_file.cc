#include "local/replace_file.h"

#include "kinetic/try.h"

#include <string>

namespace kinetic::local {
namespace {

constexpr std::size_t kReservedBytes = 16U << 10;

Path WithSuffix(Path path, std::string_view suffix) {
  path += suffix;
  return path;
}

Path ReserveOf(const Path& path) { return WithSuffix(path, ".reserve"); }

/// Removes a file that cannot be written completely.
Status WriteNew(FileSystem& fs, const Path& path, std::string_view bytes,
                std::uint32_t permissions) {
  const auto write = [&]() -> Status {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kTruncate, permissions));
    return fs.Write(fd.get(), bytes);
  };
  auto written = write();
  if (!written) (void)fs.Unlink(path);
  return written;
}

Status Replace(FileSystem& fs, const Path& path, std::string_view bytes,
               std::uint32_t permissions) {
  const Path draft = WithSuffix(path, ".new");
  KINETIC_RETURN_IF_ERROR(WriteNew(fs, draft, bytes, permissions));
  return fs.Rename(draft, path);
}

}  // namespace

Status ReplaceFile(FileSystem& fs, const Path& path, std::string_view bytes,
                   std::uint32_t permissions) {
  auto replaced = Replace(fs, path, bytes, permissions);
  if (replaced || !IsDiskFull(replaced.error()) || !fs.Unlink(ReserveOf(path))) return replaced;
  replaced = Replace(fs, path, bytes, permissions);
  (void)ReserveSpace(fs, path);  // the replaced file has freed its space
  return replaced;
}

Status ReserveSpace(FileSystem& fs, const Path& path) {
  constexpr std::uint32_t kOwnerOnly = 0600;
  return WriteNew(fs, ReserveOf(path), std::string(kReservedBytes, '\0'), kOwnerOnly);
}

}  // namespace kinetic::local
