#include "runner/copy/file_writer.h"

#include "kinetic/try.h"

#include "base/hash/crc32c.h"
#include "base/random.h"
#include "base/strings.h"
#include "local/outputs.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace kinetic::runner {

/// Gives a new file or folder to the program's user, as far as this process may.
Status FileWriter::ChangeOwner(int fd, const Path& path) const {
  if (!files_.user() || ::geteuid() != 0) return {};
  if (::fchown(fd, *files_.user(), static_cast<gid_t>(-1)) == 0) return {};
  return Failure(ErrnoError(errno, "cannot change the owner of", path));
}

Status FileWriter::MakeFolder(const Path& path) const {
  const auto status = fs_.Lstat(path);
  if (status && status->type == FileType::kDirectory) return {};
  if (status) {
    return Fail(ErrorCode::kFailedPrecondition,
                Printable(path.native()) + " exists and is not a folder");
  }
  if (status.error().code != ErrorCode::kNotFound) return Failure(status.error());
  KINETIC_RETURN_IF_ERROR(MakeFolder(path.parent_path()));
  const Status made = fs_.MakeDirectory(path, 0755);
  if (!made && made.error().code == ErrorCode::kAlreadyExists) return {};  // by another thread
  KINETIC_RETURN_IF_ERROR(made);
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(path, OpenMode::kReadWithoutWaiting, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus opened, fs_.Fstat(fd.get()));
  if (opened.type != FileType::kDirectory || opened.owner != ::geteuid()) {
    return Fail(ErrorCode::kFailedPrecondition,
                Printable(path.native()) + " was replaced during the copy");
  }
  return ChangeOwner(fd.get(), path);
}

Status FileWriter::Receive(store::Store& store, const store::ObjectInfo& object, int fd,
                           const local::OnCopied& on_copied, const std::stop_token& stop) const {
  Crc32c checksum;
  const auto sink = [&](std::string_view piece) -> Status {
    checksum.Update(piece);
    on_copied(piece.size());
    return fs_.Write(fd, piece);
  };
  KINETIC_ASSIGN_OR_RETURN(const auto read, store.Get(object.name, {}, sink, stop));
  if (!read || read->generation != object.generation) {
    return Fail(ErrorCode::kAborted, object.name + " was changed or removed during the copy");
  }
  if (!object.crc32c.empty() && checksum.Base64() != object.crc32c) {
    return Fail(ErrorCode::kDataLoss, object.name + " does not match its checksum");
  }
  return {};
}

Status FileWriter::Write(store::Store& store, const store::ObjectInfo& object, const Path& path,
                         const local::OnCopied& on_copied, const std::stop_token& stop) const {
  KINETIC_RETURN_IF_ERROR(MakeFolder(path.parent_path()));
  const Path draft = drafts_ / (".kinetic-" + RandomId() + ".part");
  const bool is_executable = local::OutputKindOf(object.metadata).executable;
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                           fs_.Open(draft, OpenMode::kCreateNew, is_executable ? 0755 : 0644));
  Status done = Receive(store, object, fd.get(), on_copied, stop);
  if (done) done = ChangeOwner(fd.get(), draft);
  if (done) done = fs_.Rename(draft, path);
  if (!done) (void)fs_.Unlink(draft);
  return done;
}

}  // namespace kinetic::runner
