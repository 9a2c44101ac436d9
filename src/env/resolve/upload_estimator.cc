#include "env/resolve/upload_estimator.h"

#include "bundle/write/bundle_writer.h"

#include <algorithm>

namespace kinetic::env {
namespace {

/// Taken, but not sent yet: what is held in memory on the way.
constexpr std::uint64_t kInHandBytes = bundle::kWriteMemoryBytes;
/// A shorter time says little.
constexpr std::chrono::seconds kSoonest{10};

}  // namespace

Uplink::Sending::Sending(Uplink& uplink, std::uint64_t content_bytes)
    : uplink_(uplink), content_bytes_(content_bytes) {
  const std::lock_guard lock(uplink_.mutex_);
  uplink_.expected_bytes_ += content_bytes;
  if (uplink_.active_++ == 0) uplink_.active_since_ = uplink_.clock_.Steady();
}

Uplink::Sending::~Sending() {
  const std::lock_guard lock(uplink_.mutex_);
  if (--uplink_.active_ == 0) {
    uplink_.active_for_ += uplink_.clock_.Steady() - uplink_.active_since_;
  }
}

void Uplink::Sending::Add(std::uint64_t bytes) {
  taken_bytes_ += bytes;
  const std::uint64_t sent = taken_bytes_ - std::min(taken_bytes_, kInHandBytes);
  uplink_.Count(sent - sent_bytes_);
  sent_bytes_ = sent;
}

void Uplink::Sending::Finish() {
  uplink_.Count(content_bytes_ - std::min(content_bytes_, sent_bytes_));
  sent_bytes_ = content_bytes_;
}

void Uplink::Count(std::uint64_t sent_bytes) {
  const std::lock_guard lock(mutex_);
  sent_bytes_ += sent_bytes;
}

std::optional<std::chrono::seconds> Uplink::Left() const {
  const std::lock_guard lock(mutex_);
  auto took = active_for_;
  if (active_ > 0) took += clock_.Steady() - active_since_;
  if (took < kSoonest || sent_bytes_ == 0) return std::nullopt;
  const double seconds = std::chrono::duration<double>(took).count();
  const auto left = static_cast<double>(expected_bytes_ - std::min(expected_bytes_, sent_bytes_));
  return std::chrono::seconds(
      static_cast<std::int64_t>(seconds * left / static_cast<double>(sent_bytes_)));
}

bool Uplink::IsTooSlow() const {
  const auto left = Left();
  const std::lock_guard lock(mutex_);
  return patience_ && left && *left > *patience_;
}

void Uplink::BePatient() {
  const std::lock_guard lock(mutex_);
  patience_.reset();
}

}  // namespace kinetic::env
