#include "support/gcs_server/content_writer.h"

#include "support/gcs_server/crc32c.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace kinetic::gcs_server {
namespace {

constexpr std::size_t kSmallBytes = 256U << 10;
constexpr std::uint64_t kKeptBytes = 512U << 20;

}  // namespace

ContentStorage::ContentStorage(const std::filesystem::path& parent)
    : kept_bytes_(std::make_shared<std::atomic<std::uint64_t>>(0)) {
  std::string pattern = (parent / "gcs-server-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  folder_ = pattern;
}

ContentStorage::~ContentStorage() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path ContentStorage::NewFile() {
  return folder_ / std::to_string(files_.fetch_add(1));
}

bool ContentStorage::HasMemory() const { return *kept_bytes_ < kKeptBytes; }

std::shared_ptr<const Blob> ContentStorage::Keep(std::string bytes) {
  const std::uint64_t size_bytes = bytes.size();
  *kept_bytes_ += size_bytes;
  return {new Blob(std::move(bytes)), [kept = kept_bytes_, size_bytes](const Blob* blob) {
            *kept -= size_bytes;
            delete blob;
          }};
}

ContentWriter::ContentWriter(ContentStorage& contents, bool with_md5) : storage_(&contents) {
  if (with_md5) md5_.emplace();
}

ContentWriter::ContentWriter(ContentWriter&&) noexcept = default;

ContentWriter::~ContentWriter() {
  if (file_) ::unlink(path_.c_str());
}

bool ContentWriter::Append(std::string_view bytes) {
  crc32c_ = Crc32c(crc32c_, bytes);
  if (md5_) md5_->Update(bytes);
  size_bytes_ += bytes.size();
  if (!file_ && size_bytes_ <= kSmallBytes && storage_->HasMemory()) {
    small_.append(bytes);
    return true;
  }
  return (file_ || Spill()) && Write(bytes);
}

WrittenContent ContentWriter::Finish() {
  WrittenContent written;
  written.crc32c = crc32c_;
  if (md5_) written.md5 = md5_->Finish();
  if (file_) {
    file_.Reset();
    written.content = Content(std::make_shared<const Blob>(path_, size_bytes_));
  } else {
    written.content = Content(storage_->Keep(std::move(small_)));
  }
  return written;
}

bool ContentWriter::Spill() {
  path_ = storage_->NewFile();
  file_.Reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const bool written = file_ && Write(small_);
  small_ = {};
  return written;
}

bool ContentWriter::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace kinetic::gcs_server
