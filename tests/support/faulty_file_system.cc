#include "support/faulty_file_system.h"

#include "kinetic/try.h"

namespace kinetic::test {
namespace {

Path Name(int fd) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
}

}  // namespace

Status FaultyFileSystem::Consult(std::string_view operation, const Path& path) {
  const auto failure = plan_->decide(plan_->count++, operation, path);
  if (failure) return Failure(ErrnoError(*failure, operation, path));
  return {};
}

std::unique_ptr<FileSystem> FaultyFileSystem::Confined(const Path& root) {
  return std::unique_ptr<FileSystem>(new FaultyFileSystem(plan_, real_.Confined(root)));
}

Result<std::unique_ptr<FileSystem>> FaultyFileSystem::OpenConfined(const Path& root) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("opening", root));
  KINETIC_ASSIGN_OR_RETURN(auto real, real_.OpenConfined(root));
  return std::unique_ptr<FileSystem>(new FaultyFileSystem(plan_, std::move(real)));
}

Result<UniqueFd> FaultyFileSystem::Open(const Path& path, OpenMode mode,
                                        std::uint32_t permissions) {
  const bool reads = mode == OpenMode::kRead || mode == OpenMode::kReadWithoutWaiting;
  KINETIC_RETURN_IF_ERROR(reads ? ConsultRead("opening", path) : Consult("opening", path));
  return real_.Open(path, mode, permissions);
}

Result<std::size_t> FaultyFileSystem::Read(int fd, std::span<char> buffer) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("reading", Name(fd)));
  return real_.Read(fd, buffer);
}

Result<std::size_t> FaultyFileSystem::ReadAt(int fd, std::span<char> buffer, std::uint64_t offset) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("reading", Name(fd)));
  return real_.ReadAt(fd, buffer, offset);
}

Status FaultyFileSystem::Write(int fd, std::string_view bytes) {
  if (auto allowed = Consult("writing", Name(fd)); !allowed) {
    (void)real_.Write(fd, bytes.substr(0, bytes.size() / 2));  // a full disk accepts a part of it
    return allowed;
  }
  return real_.Write(fd, bytes);
}

Status FaultyFileSystem::WriteAt(int fd, std::string_view bytes, std::uint64_t offset) {
  if (auto allowed = Consult("writing", Name(fd)); !allowed) {
    (void)real_.WriteAt(fd, bytes.substr(0, bytes.size() / 2), offset);
    return allowed;
  }
  return real_.WriteAt(fd, bytes, offset);
}

Status FaultyFileSystem::Truncate(int fd, std::uint64_t size_bytes) {
  KINETIC_RETURN_IF_ERROR(Consult("resizing", Name(fd)));
  return real_.Truncate(fd, size_bytes);
}

Status FaultyFileSystem::Sync(int fd) {
  KINETIC_RETURN_IF_ERROR(Consult("flushing", Name(fd)));
  return real_.Sync(fd);
}

Result<FileStatus> FaultyFileSystem::Fstat(int fd) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("checking", Name(fd)));
  return real_.Fstat(fd);
}

Result<FileStatus> FaultyFileSystem::Lstat(const Path& path) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("checking", path));
  return real_.Lstat(path);
}

Result<std::vector<std::optional<FileStatus>>> FaultyFileSystem::LstatAll(
    const Path& directory, std::span<const std::string> names) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("looking into", directory));
  return real_.LstatAll(directory, names);
}

Result<std::vector<DirectoryEntry>> FaultyFileSystem::ReadDirectory(const Path& path) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("listing", path));
  return real_.ReadDirectory(path);
}

Result<std::string> FaultyFileSystem::ReadLink(const Path& path) {
  KINETIC_RETURN_IF_ERROR(ConsultRead("reading the link", path));
  return real_.ReadLink(path);
}

Status FaultyFileSystem::MakeDirectory(const Path& path, std::uint32_t permissions) {
  KINETIC_RETURN_IF_ERROR(Consult("creating the folder", path));
  return real_.MakeDirectory(path, permissions);
}

Status FaultyFileSystem::MakeSymlink(const std::string& target, const Path& path) {
  KINETIC_RETURN_IF_ERROR(Consult("creating the link", path));
  return real_.MakeSymlink(target, path);
}

Status FaultyFileSystem::Rename(const Path& from, const Path& to) {
  KINETIC_RETURN_IF_ERROR(Consult("renaming to", to));
  return real_.Rename(from, to);
}

Status FaultyFileSystem::Link(const Path& from, const Path& to) {
  KINETIC_RETURN_IF_ERROR(Consult("creating", to));
  return real_.Link(from, to);
}

Status FaultyFileSystem::Unlink(const Path& path) {
  KINETIC_RETURN_IF_ERROR(Consult("removing", path));
  return real_.Unlink(path);
}

Status FaultyFileSystem::RemoveDirectory(const Path& path) {
  KINETIC_RETURN_IF_ERROR(Consult("removing the folder", path));
  return real_.RemoveDirectory(path);
}

Status FaultyFileSystem::SetMode(const Path& path, std::uint32_t permissions) {
  KINETIC_RETURN_IF_ERROR(Consult("changing the mode of", path));
  return real_.SetMode(path, permissions);
}

Status FaultyFileSystem::SetModifiedTime(const Path& path, WallTime time) {
  KINETIC_RETURN_IF_ERROR(Consult("setting the time of", path));
  return real_.SetModifiedTime(path, time);
}

}  // namespace kinetic::test
