#include "env/packages/upload_estimator.h"

#include "bundle/write/bundle_writer.h"

#include <algorithm>

namespace kinetic::env {
namespace {

/// Maximum number of bytes in memory that were added but not sent.
constexpr std::uint64_t kBufferedBytes = bundle::kWriteMemoryBytes;
/// Minimum time before the first estimate.
constexpr std::chrono::seconds kMinTime{10};

}  // namespace

UploadEstimator::Upload::Upload(UploadEstimator& upload_estimator, std::uint64_t content_bytes)
    : estimator_(upload_estimator), content_bytes_(content_bytes) {
  const std::lock_guard lock(estimator_.mutex_);
  estimator_.expected_bytes_ += content_bytes;
  if (estimator_.active_++ == 0) estimator_.active_since_ = estimator_.clock_.Steady();
}

UploadEstimator::Upload::~Upload() {
  const std::lock_guard lock(estimator_.mutex_);
  if (--estimator_.active_ == 0) {
    estimator_.active_for_ += estimator_.clock_.Steady() - estimator_.active_since_;
  }
}

void UploadEstimator::Upload::Add(std::uint64_t bytes) {
  taken_bytes_ += bytes;
  const std::uint64_t sent = taken_bytes_ - std::min(taken_bytes_, kBufferedBytes);
  estimator_.Count(sent - sent_bytes_);
  sent_bytes_ = sent;
}

void UploadEstimator::Upload::Finish() {
  estimator_.Count(content_bytes_ - std::min(content_bytes_, sent_bytes_));
  sent_bytes_ = content_bytes_;
}

void UploadEstimator::Count(std::uint64_t sent_bytes) {
  const std::lock_guard lock(mutex_);
  sent_bytes_ += sent_bytes;
}

std::optional<std::chrono::seconds> UploadEstimator::RemainingTime() const {
  const std::lock_guard lock(mutex_);
  auto took = active_for_;
  if (active_ > 0) took += clock_.Steady() - active_since_;
  if (took < kMinTime || sent_bytes_ == 0) return std::nullopt;
  const double seconds = std::chrono::duration<double>(took).count();
  const auto left = static_cast<double>(expected_bytes_ - std::min(expected_bytes_, sent_bytes_));
  return std::chrono::seconds(
      static_cast<std::int64_t>(seconds * left / static_cast<double>(sent_bytes_)));
}

bool UploadEstimator::ExceedsLimit() const {
  const auto left = RemainingTime();
  const std::lock_guard lock(mutex_);
  return limit_ && left && *left > *limit_;
}

void UploadEstimator::DisableLimit() {
  const std::lock_guard lock(mutex_);
  limit_.reset();
}

}  // namespace kinetic::env
