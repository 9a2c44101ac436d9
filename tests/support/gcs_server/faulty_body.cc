#include "support/gcs_server/faulty_body.h"

#include <algorithm>

namespace kinetic::gcs_server {
namespace {

bool IsOfBodies(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kResetInBody:
    case FaultKind::kStallBody:
    case FaultKind::kFlipBody:
      return true;
    case FaultKind::kAnswer:
      return fault.at_byte.has_value();
    default:
      return false;
  }
}

}  // namespace

bool FaultyBody::StrikesHere() {
  if (!fault_ || !IsOfBodies(*fault_) || passed_bytes_ != fault_->At()) return false;
  switch (fault_->kind) {
    case FaultKind::kStallBody:
      socket_.Stall(fault_->stall);
      fault_.reset();
      return false;
    case FaultKind::kResetInBody:
      socket_.Reset();
      break;
    case FaultKind::kAnswer:
      break;
    default:
      return false;
  }
  struck_ = lost_ = true;
  return true;
}

BodySource::Piece FaultyBody::Read(std::span<char> buffer) {
  if (lost_ || StrikesHere()) return {State::kLost, 0};
  const bool ahead = fault_ && IsOfBodies(*fault_) && fault_->At() > passed_bytes_;
  if (ahead) {
    const auto until = std::min<std::uint64_t>(buffer.size(), fault_->At() - passed_bytes_);
    buffer = buffer.first(static_cast<std::size_t>(until));
  }
  const Piece piece = body_.Read(buffer);
  if (fault_ && fault_->kind == FaultKind::kFlipBody && passed_bytes_ == fault_->At() &&
      piece.size > 0) {
    buffer[0] = static_cast<char>(buffer[0] ^ 0x10);
  }
  passed_bytes_ += piece.size;
  if (piece.state == State::kLost) lost_ = true;
  return piece;
}

}  // namespace kinetic::gcs_server
