#include "base/strings.h"
#include "base/try.h"
#include "oci/inspect/tree.h"
#include "oci/layer/archive_library.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::size_t kArchiveReadBytes = 256 << 10;

struct Freed {
  const ArchiveLibrary* library;
  void operator()(archive* reader) const { library->read_free(reader); }
};
using ArchiveReader = std::unique_ptr<archive, Freed>;

/// A file as libarchive reads it.
class Source {
 public:
  Source(FileSystem& fs, UniqueFd file, const std::stop_token& stop)
      : fs_(fs), file_(std::move(file)), stop_(stop) {}

  /// What went wrong here and not in the archive.
  const std::optional<Error>& failed() const { return failed_; }

  static la_ssize_t Read(archive* /*reader*/, void* self, const void** bytes) {
    return static_cast<Source*>(self)->Next(bytes);
  }

 private:
  la_ssize_t Next(const void** bytes) {
    if (stop_.stop_requested()) {
      failed_ = Error{ErrorCode::kCancelled, "reading a layer: cancelled", "", {}};
      return -1;
    }
    auto got = fs_.Read(file_.get(), buffer_);
    if (!got) {
      failed_ = std::move(got).error();
      return -1;
    }
    *bytes = buffer_.data();
    return static_cast<la_ssize_t>(*got);
  }

  FileSystem& fs_;
  UniqueFd file_;
  const std::stop_token& stop_;
  std::optional<Error> failed_;
  std::string buffer_ = std::string(kArchiveReadBytes, '\0');
};

Failure Unreadable(const Source& source, const ArchiveReader& reader, const Path& file) {
  if (source.failed()) return Failure(*source.failed());
  const char* const why = reader.get_deleter().library->error_string(reader.get());
  return Fail(ErrorCode::kDataLoss, "reading the layer " + Printable(file.native()) + ": " +
                                        Printable(why != nullptr ? why : "it is no tar archive"));
}

Result<ArchiveReader> Open(const ArchiveLibrary& library, Source& source, const Path& file) {
  ArchiveReader reader(library.read_new(), Freed{&library});
  if (!reader) return Fail(ErrorCode::kResourceExhausted, "reading a layer: no memory");
  for (const auto support : {library.read_support_filter_gzip, library.read_support_filter_zstd,
                             library.read_support_format_tar}) {
    if (support(reader.get()) != ARCHIVE_OK) return Unreadable(source, reader, file);
  }
  if (library.read_open(reader.get(), &source, nullptr, &Source::Read, nullptr) != ARCHIVE_OK) {
    return Unreadable(source, reader, file);
  }
  return reader;
}

std::string TextOf(const char* text) { return text != nullptr ? text : ""; }

LayerEntry EntryOf(const ArchiveLibrary& library, archive_entry* entry) {
  constexpr mode_t kAnyMayExecute = 0111;
  LayerEntry found{.path = TextOf(library.entry_pathname(entry)),
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
    found.target = TextOf(library.entry_symlink(entry));
  }
  return found;
}

}  // namespace

Status ListLayer(FileSystem& fs, const Path& file,
                 const std::function<void(LayerEntry entry)>& visit, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const ArchiveLibrary* const library, LoadArchiveLibrary());
  KINETIC_ASSIGN_OR_RETURN(UniqueFd opened, fs.Open(file, OpenMode::kRead, 0));
  Source source(fs, std::move(opened), stop);
  KINETIC_ASSIGN_OR_RETURN(const ArchiveReader reader, Open(*library, source, file));
  while (true) {
    archive_entry* entry = nullptr;
    const int read = library->read_next_header(reader.get(), &entry);
    if (read == ARCHIVE_EOF) return {};
    if (read == ARCHIVE_RETRY) continue;
    // A warning is about names beyond ASCII in a program without a locale: they come all the same.
    if (read != ARCHIVE_OK && read != ARCHIVE_WARN) return Unreadable(source, reader, file);
    visit(EntryOf(*library, entry));
  }
}

}  // namespace kinetic::oci
