#include "oci/layer/archive_library.h"

#include "base/strings.h"

#include <dlfcn.h>

#include <string>

namespace kinetic::oci {
namespace {

constexpr const char* kFile = "libarchive.so.13";

class Loader {
 public:
  Loader() : handle_(::dlopen(kFile, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      Complain();
      return;
    }
    Find("archive_read_new", library_.read_new);
    Find("archive_read_free", library_.read_free);
    Find("archive_read_support_filter_gzip", library_.read_support_filter_gzip);
    Find("archive_read_support_filter_zstd", library_.read_support_filter_zstd);
    Find("archive_read_support_format_tar", library_.read_support_format_tar);
    Find("archive_read_open", library_.read_open);
    Find("archive_read_next_header", library_.read_next_header);
    Find("archive_error_string", library_.error_string);
    Find("archive_entry_pathname", library_.entry_pathname);
    Find("archive_entry_filetype", library_.entry_filetype);
    Find("archive_entry_perm", library_.entry_perm);
    Find("archive_entry_symlink", library_.entry_symlink);
    Find("archive_entry_hardlink", library_.entry_hardlink);
  }

  const std::string& problem() const { return problem_; }
  const ArchiveLibrary& library() const { return library_; }

 private:
  template <typename Function>
  void Find(const char* name, Function& function) {
    void* found = ::dlsym(handle_, name);
    if (found == nullptr && problem_.empty()) Complain();
    function = reinterpret_cast<Function>(found);
  }

  void Complain() {
    const char* words = ::dlerror();
    problem_ = words != nullptr ? words : "the loader does not say why";
  }

  void* handle_;  ///< kept until the process ends
  ArchiveLibrary library_{};
  std::string problem_;
};

}  // namespace

Result<const ArchiveLibrary*> LoadArchiveLibrary() {
  static const Loader kLoader;
  if (kLoader.problem().empty()) return &kLoader.library();
  return Fail(ErrorCode::kFailedPrecondition, "loading libarchive: " + Printable(kLoader.problem()),
              "install it (Debian: apt install libarchive13)");
}

}  // namespace kinetic::oci
