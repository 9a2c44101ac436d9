#include "gcs/upload/checked_body.h"

#include "kinetic/try.h"

#include <algorithm>
#include <vector>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kBodyReadBytes = 256U << 10;

Error TruncatedError() {
  return {ErrorCode::kAborted, "the content became shorter while it was sent", "", {}};
}

/// Adds the next `count` bytes to the checksum.
Status ReadInto(http::Body& body, std::uint64_t count, Crc32c& checksum) {
  std::vector<char> buffer(std::min<std::uint64_t>(kBodyReadBytes, count));
  while (count > 0) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), count);
    KINETIC_ASSIGN_OR_RETURN(const std::size_t got, body.Read(std::span(buffer).first(wanted)));
    if (got == 0) return Failure(TruncatedError());
    checksum.Update({buffer.data(), got});
    count -= got;
  }
  return {};
}

}  // namespace

Status SliceBody::Rewind() {
  checksum_ = {};
  at_ = begin_;
  KINETIC_RETURN_IF_ERROR(whole_->Rewind());
  return ReadInto(*whole_, begin_, checksum_);
}

Result<std::size_t> SliceBody::Read(std::span<char> buffer) {
  auto count = whole_->Read(buffer.first(std::min<std::uint64_t>(buffer.size(), end_ - at_)));
  if (!count) return count;
  checksum_.Update({buffer.data(), *count});
  at_ += *count;
  return count;
}

Status FramedBody::Rewind() {
  KINETIC_RETURN_IF_ERROR(before_.Rewind());
  KINETIC_RETURN_IF_ERROR(content_->Rewind());
  return after_.Rewind();
}

Result<std::size_t> FramedBody::Read(std::span<char> buffer) {
  for (http::Body* part :
       {static_cast<http::Body*>(&before_), content_.get(), static_cast<http::Body*>(&after_)}) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, part->Read(buffer));
    if (count > 0) return count;
  }
  return 0;
}

Result<Crc32c> ComputeChecksum(http::Body& body) {
  Crc32c checksum;
  KINETIC_RETURN_IF_ERROR(body.Rewind());
  KINETIC_RETURN_IF_ERROR(ReadInto(body, body.size_bytes(), checksum));
  return checksum;
}

Result<std::string> ReadExactly(http::Body& body, std::size_t size_bytes) {
  std::string bytes(size_bytes, '\0');
  for (std::size_t at = 0; at < size_bytes;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t got, body.Read(std::span(bytes).subspan(at)));
    if (got == 0) return Failure(TruncatedError());
    at += got;
  }
  return bytes;
}

}  // namespace kinetic::gcs
