#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "local/copies.h"
#include "local/program_files.h"
#include "store/object_store.h"

#include <stop_token>
#include <utility>

namespace kinetic::runner {

/// Writes files into the folders of a program, which get the program's user. The program may change
/// the folders meanwhile: no step follows a link.
///
/// @threads  safe to call concurrently.
class FileWriter {
 public:
  /// @param drafts  a folder on the same file system that the program cannot change, for files
  ///                whose content has not arrived completely.
  FileWriter(const local::ProgramFiles& files, Path drafts)
      : files_(files), fs_(files.fs()), drafts_(std::move(drafts)) {}

  /// Creates a folder and its missing parents.
  /// @errors  kFailedPrecondition: one of them is a file or a link.
  Status MakeFolder(const Path& path) const;

  /// Creates or replaces a file with the content of an object. The file appears as a whole.
  /// @errors  kDataLoss: the object does not match its checksum · kAborted: it was replaced.
  Status Write(store::Store& store, const store::ObjectInfo& object, const Path& path,
               const local::OnCopied& on_copied, const std::stop_token& stop) const;

 private:
  Status ChangeOwner(int fd, const Path& path) const;
  Status Receive(store::Store& store, const store::ObjectInfo& object, int fd,
                 const local::OnCopied& on_copied, const std::stop_token& stop) const;

  const local::ProgramFiles& files_;
  FileSystem& fs_;
  const Path drafts_;
};

}  // namespace kinetic::runner
