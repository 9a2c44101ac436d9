#include "runner/staging/fetch_progress.h"

#include "runner/diagnostics.h"

#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::chrono::milliseconds kWriteInterval{500};

}  // namespace

FetchProgress::Transfer FetchProgress::Begin(std::string description) {
  const std::lock_guard lock(mutex_);
  items_.push_back({std::move(description)});
  if (items_.size() == 1) WriteFirst();
  return {*this, std::prev(items_.end())};
}

void FetchProgress::Expect(Item& item, std::uint64_t total_bytes) {
  const std::lock_guard lock(mutex_);
  item.total_bytes = total_bytes;
}

void FetchProgress::Add(Item& item, std::uint64_t bytes) {
  if (bytes == 0) return;  // an empty file
  const std::lock_guard lock(mutex_);
  item.done_bytes += bytes;
  if (&item != &items_.front() || clock_.Steady() < next_) return;
  next_ = clock_.Steady() + kWriteInterval;
  WriteBytes(item);
}

void FetchProgress::End(std::list<Item>::iterator item) {
  const std::lock_guard lock(mutex_);
  const bool was_first = item == items_.begin();
  items_.erase(item);
  if (items_.empty()) {
    WriteBytes({});
  } else if (was_first) {
    WriteFirst();
  }
}

void FetchProgress::WriteFirst() {
  const Item& item = items_.front();
  next_ = clock_.Steady();
  WriteBytes(item);
  LogFailure("writing the status", file_.Set(JobState::kPending, Phase::kPull, item.description));
}

void FetchProgress::WriteBytes(const Item& item) {
  LogFailure("writing the status", file_.SetFetchProgress({item.done_bytes, item.total_bytes}));
}

}  // namespace kinetic::runner
