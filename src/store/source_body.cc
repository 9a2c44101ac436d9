#include "store/source_body.h"

#include "base/try.h"

#include <algorithm>

namespace kinetic::store {

Status SourceBody::Rewind() {
  piece_ = {};
  return source_.Rewind();
}

Result<std::size_t> SourceBody::Read(std::span<char> buffer) {
  if (piece_.empty()) {
    KINETIC_ASSIGN_OR_RETURN(piece_, source_.Next());
  }
  const std::size_t count = std::min(piece_.size(), buffer.size());
  std::copy_n(piece_.data(), count, buffer.data());
  piece_.remove_prefix(count);
  return count;
}

}  // namespace kinetic::store
