#include "store/source_body.h"

#include "base/try.h"

namespace kinetic::store {

Status SourceBody::Rewind() {
  piece_ = {};
  return source_.Rewind();
}

Result<std::size_t> SourceBody::Read(std::span<char> buffer) {
  if (piece_.empty()) {
    KINETIC_ASSIGN_OR_RETURN(piece_, source_.Next());
  }
  const std::size_t count = piece_.copy(buffer.data(), buffer.size());
  piece_.remove_prefix(count);
  return count;
}

}  // namespace kinetic::store
