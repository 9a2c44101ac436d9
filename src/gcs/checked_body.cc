#include "gcs/checked_body.h"

#include "base/try.h"

#include <algorithm>
#include <vector>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kPieceBytes = 256U << 10;

/// Reads `count` bytes into the checksum.
Status Pass(http::Body& body, std::uint64_t count, Crc32c& checksum) {
  std::vector<char> buffer(std::min<std::uint64_t>(kPieceBytes, count));
  while (count > 0) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), count);
    KINETIC_ASSIGN_OR_RETURN(const std::size_t got, body.Read(std::span(buffer).first(wanted)));
    if (got == 0) {
      return Fail(ErrorCode::kAborted, "what is sent became shorter meanwhile");
    }
    checksum.Update({buffer.data(), got});
    count -= got;
  }
  return {};
}

}  // namespace

Status TailBody::Rewind() {
  checksum_ = {};
  KINETIC_RETURN_IF_ERROR(whole_->Rewind());
  return Pass(*whole_, offset_, checksum_);
}

Result<std::size_t> TailBody::Read(std::span<char> buffer) {
  auto count = whole_->Read(buffer);
  if (count) checksum_.Update({buffer.data(), *count});
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

Result<Crc32c> ChecksumOf(http::Body& body) {
  Crc32c checksum;
  KINETIC_RETURN_IF_ERROR(body.Rewind());
  KINETIC_RETURN_IF_ERROR(Pass(body, body.size_bytes(), checksum));
  return checksum;
}

}  // namespace kinetic::gcs
