#include "local/replace_file.h"

#include "kinetic/try.h"

namespace kinetic::local {

Status ReplaceFile(FileSystem& fs, const Path& path, std::string_view bytes,
                   std::uint32_t permissions) {
  Path draft = path;
  draft += ".new";
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(draft, OpenMode::kTruncate, permissions));
  KINETIC_RETURN_IF_ERROR(fs.Write(fd.get(), bytes));
  fd.Reset();
  return fs.Rename(draft, path);
}

}  // namespace kinetic::local
