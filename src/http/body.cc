#include "http/body.h"

#include <algorithm>

namespace kinetic::http {

Status BytesBody::Rewind() {
  read_bytes_ = 0;
  return {};
}

Result<std::size_t> BytesBody::Read(std::span<char> buffer) {
  const std::size_t count = std::min(buffer.size(), bytes_.size() - read_bytes_);
  std::copy_n(bytes_.data() + read_bytes_, count, buffer.data());
  read_bytes_ += count;
  return count;
}

}  // namespace kinetic::http
