#include "support/gcs_server/content.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace kinetic::gcs_server {
namespace {

constexpr std::size_t kContentPieceBytes = 1U << 20;

bool ReadFile(const Content::Run& run, const std::function<bool(std::string_view piece)>& take) {
  const UniqueFd file = run.blob->Open();
  std::string piece(std::min<std::uint64_t>(kContentPieceBytes, run.size_bytes), '\0');
  for (std::uint64_t done = 0; done < run.size_bytes;) {
    const auto wanted = std::min<std::uint64_t>(piece.size(), run.size_bytes - done);
    const ssize_t count =
        ::pread(file.get(), piece.data(), wanted, static_cast<off_t>(run.offset + done));
    if (count <= 0 || !take({piece.data(), static_cast<std::size_t>(count)})) return false;
    done += static_cast<std::uint64_t>(count);
  }
  return true;
}

}  // namespace

Blob::~Blob() {
  if (in_file()) ::unlink(file_.c_str());
}

UniqueFd Blob::Open() const { return UniqueFd(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)); }

void Content::Append(std::shared_ptr<const Blob> blob) {
  size_bytes_ += blob->size_bytes();
  if (blob->size_bytes() > 0) blobs_.push_back(std::move(blob));
}

void Content::Append(const Content& other) {
  size_bytes_ += other.size_bytes_;
  blobs_.insert(blobs_.end(), other.blobs_.begin(), other.blobs_.end());
}

std::vector<Content::Run> Content::Range(std::uint64_t offset, std::uint64_t size_bytes) const {
  std::vector<Run> runs;
  for (const auto& blob : blobs_) {
    if (size_bytes == 0) break;
    if (offset >= blob->size_bytes()) {
      offset -= blob->size_bytes();
      continue;
    }
    const std::uint64_t count = std::min(size_bytes, blob->size_bytes() - offset);
    runs.push_back({blob.get(), offset, count});
    offset = 0;
    size_bytes -= count;
  }
  return runs;
}

bool Content::Read(std::uint64_t offset, std::uint64_t size_bytes,
                   const std::function<bool(std::string_view piece)>& take) const {
  for (const Run& run : Range(offset, size_bytes)) {
    const bool taken =
        run.blob->in_file()
            ? ReadFile(run, take)
            : take(std::string_view(run.blob->bytes()).substr(run.offset, run.size_bytes));
    if (!taken) return false;
  }
  return true;
}

}  // namespace kinetic::gcs_server
