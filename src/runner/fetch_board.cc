#include "runner/fetch_board.h"

#include "runner/diagnostics.h"

#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::chrono::milliseconds kShownFor{500};

}  // namespace

FetchBoard::Fetch FetchBoard::Begin(std::string what) {
  const std::lock_guard lock(mutex_);
  items_.push_back({std::move(what)});
  if (items_.size() == 1) ShowFirst();
  return {*this, std::prev(items_.end())};
}

void FetchBoard::Expect(Item& item, std::uint64_t total_bytes) {
  const std::lock_guard lock(mutex_);
  item.total_bytes = total_bytes;
}

void FetchBoard::Add(Item& item, std::uint64_t bytes) {
  if (bytes == 0) return;  // of an empty file: the next is shown instead
  const std::lock_guard lock(mutex_);
  item.done_bytes += bytes;
  if (&item != &items_.front() || clock_.Steady() < next_) return;
  next_ = clock_.Steady() + kShownFor;
  ShowBytes(item);
}

void FetchBoard::End(std::list<Item>::iterator item) {
  const std::lock_guard lock(mutex_);
  const bool was_shown = item == items_.begin();
  items_.erase(item);
  if (items_.empty()) {
    ShowBytes({});
  } else if (was_shown) {
    ShowFirst();
  }
}

void FetchBoard::ShowFirst() {
  const Item& item = items_.front();
  next_ = clock_.Steady();
  ShowBytes(item);
  DiagnoseError("showing the status", board_.Show(JobState::kPending, Phase::kPull, item.what));
}

void FetchBoard::ShowBytes(const Item& item) {
  DiagnoseError("showing the status", board_.CountBytes({item.done_bytes, item.total_bytes}));
}

}  // namespace kinetic::runner
