#include "kinetic/try.h"

#include "base/never_destroyed.h"
#include "base/process/dynamic_library.h"
#include "base/strings.h"
#include "oci/inspect/tree.h"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::oci {
namespace {

/// The functions of libarchive. They are looked up when the first layer is read, not by the loader:
/// a program that reads none starts without libarchive and the ten libraries below it.
struct ArchiveLibrary {
  decltype(&::archive_read_new) read_new;
  decltype(&::archive_read_free) read_free;
  decltype(&::archive_read_support_filter_gzip) read_support_filter_gzip;
  decltype(&::archive_read_support_filter_zstd) read_support_filter_zstd;
  decltype(&::archive_read_support_format_tar) read_support_format_tar;
  decltype(&::archive_read_open) read_open;
  decltype(&::archive_read_next_header) read_next_header;
  decltype(&::archive_error_string) error_string;
  decltype(&::archive_entry_pathname) entry_pathname;
  decltype(&::archive_entry_filetype) entry_filetype;
  decltype(&::archive_entry_perm) entry_perm;
  decltype(&::archive_entry_symlink) entry_symlink;
  decltype(&::archive_entry_hardlink) entry_hardlink;
};

constexpr const char* kLibarchive = "libarchive.so.13";

class Loader {
 public:
  Loader() {
    file_.Find("archive_read_new", library_.read_new);
    file_.Find("archive_read_free", library_.read_free);
    file_.Find("archive_read_support_filter_gzip", library_.read_support_filter_gzip);
    file_.Find("archive_read_support_filter_zstd", library_.read_support_filter_zstd);
    file_.Find("archive_read_support_format_tar", library_.read_support_format_tar);
    file_.Find("archive_read_open", library_.read_open);
    file_.Find("archive_read_next_header", library_.read_next_header);
    file_.Find("archive_error_string", library_.error_string);
    file_.Find("archive_entry_pathname", library_.entry_pathname);
    file_.Find("archive_entry_filetype", library_.entry_filetype);
    file_.Find("archive_entry_perm", library_.entry_perm);
    file_.Find("archive_entry_symlink", library_.entry_symlink);
    file_.Find("archive_entry_hardlink", library_.entry_hardlink);
  }

  const std::string& problem() const { return file_.problem(); }
  const ArchiveLibrary& library() const { return library_; }

 private:
  DynamicLibrary file_{kLibarchive};
  ArchiveLibrary library_{};
};

Result<const ArchiveLibrary*> LoadArchiveLibrary() {
  static const Loader& loader = NeverDestroyed<Loader>();
  if (loader.problem().empty()) return &loader.library();
  return Fail(ErrorCode::kFailedPrecondition, "loading libarchive: " + Printable(loader.problem()),
              "install it (Debian: apt install libarchive13)");
}

constexpr std::size_t kArchiveReadBytes = 256 << 10;

struct ReaderDeleter {
  const ArchiveLibrary* library;
  void operator()(archive* reader) const { library->read_free(reader); }
};
using ArchiveReader = std::unique_ptr<archive, ReaderDeleter>;

/// Passes a file to libarchive.
class ArchiveSource {
 public:
  ArchiveSource(FileSystem& fs, UniqueFd file, const std::stop_token& stop)
      : fs_(fs), file_(std::move(file)), stop_(stop) {}

  /// Returns an error of reading the file, as opposed to the archive.
  const std::optional<Error>& error() const { return error_; }

  static la_ssize_t Read(archive* /*reader*/, void* self, const void** bytes) {
    return static_cast<ArchiveSource*>(self)->Next(bytes);
  }

 private:
  la_ssize_t Next(const void** bytes) {
    if (stop_.stop_requested()) {
      error_ = Error{ErrorCode::kCancelled, "reading a layer: cancelled", "", {}};
      return -1;
    }
    auto got = fs_.Read(file_.get(), buffer_);
    if (!got) {
      error_ = std::move(got).error();
      return -1;
    }
    *bytes = buffer_.data();
    return static_cast<la_ssize_t>(*got);
  }

  FileSystem& fs_;
  UniqueFd file_;
  const std::stop_token& stop_;
  std::optional<Error> error_;
  std::string buffer_ = std::string(kArchiveReadBytes, '\0');
};

Failure ReadError(const ArchiveSource& source, const ArchiveReader& reader, const Path& file) {
  if (source.error()) return Failure(*source.error());
  const char* const why = reader.get_deleter().library->error_string(reader.get());
  return Fail(ErrorCode::kDataLoss, "reading the layer " + Printable(file.native()) + ": " +
                                        Printable(why != nullptr ? why : "not a tar archive"));
}

Result<ArchiveReader> Open(const ArchiveLibrary& library, ArchiveSource& source, const Path& file) {
  ArchiveReader reader(library.read_new(), ReaderDeleter{&library});
  if (!reader) return Fail(ErrorCode::kResourceExhausted, "reading a layer: out of memory");
  for (const auto support : {library.read_support_filter_gzip, library.read_support_filter_zstd,
                             library.read_support_format_tar}) {
    if (support(reader.get()) != ARCHIVE_OK) return ReadError(source, reader, file);
  }
  if (library.read_open(reader.get(), &source, nullptr, &ArchiveSource::Read, nullptr) !=
      ARCHIVE_OK) {
    return ReadError(source, reader, file);
  }
  return reader;
}

std::string OrEmpty(const char* text) { return text != nullptr ? text : ""; }

LayerEntry EntryOf(const ArchiveLibrary& library, archive_entry* entry) {
  constexpr mode_t kAnyMayExecute = 0111;
  LayerEntry found{.path = OrEmpty(library.entry_pathname(entry)),
                   .kind = LayerEntry::Kind::kOther,
                   .executable = (library.entry_perm(entry) & kAnyMayExecute) != 0,
                   .target = {}};
  const mode_t type = library.entry_filetype(entry);
  if (type == AE_IFREG || library.entry_hardlink(entry) != nullptr) {
    found.kind = LayerEntry::Kind::kFile;
  } else if (type == AE_IFDIR) {
    found.kind = LayerEntry::Kind::kFolder;
  } else if (type == AE_IFLNK) {
    found.kind = LayerEntry::Kind::kSymlink;
    found.target = OrEmpty(library.entry_symlink(entry));
  }
  return found;
}

}  // namespace

Status ListLayer(FileSystem& fs, const Path& file,
                 const std::function<void(LayerEntry entry)>& visit, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const ArchiveLibrary* const library, LoadArchiveLibrary());
  KINETIC_ASSIGN_OR_RETURN(UniqueFd opened, fs.Open(file, OpenMode::kRead, 0));
  ArchiveSource source(fs, std::move(opened), stop);
  KINETIC_ASSIGN_OR_RETURN(const ArchiveReader reader, Open(*library, source, file));
  while (true) {
    archive_entry* entry = nullptr;
    const int read = library->read_next_header(reader.get(), &entry);
    if (read == ARCHIVE_EOF) return {};
    if (read == ARCHIVE_RETRY) continue;
    // Warnings concern non-ASCII names in programs without a locale, which are read correctly.
    if (read != ARCHIVE_OK && read != ARCHIVE_WARN) return ReadError(source, reader, file);
    visit(EntryOf(*library, entry));
  }
}

}  // namespace kinetic::oci
