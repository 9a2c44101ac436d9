#include "runner/fetch_board.h"

#include "runner/diagnostics.h"

namespace kinetic::runner {
namespace {

constexpr std::chrono::milliseconds kShownFor{500};

}  // namespace

FetchBoard::~FetchBoard() { DiagnoseError("showing the status", board_.CountBytes({})); }

void FetchBoard::Begin(std::string_view what) {
  const std::lock_guard lock(mutex_);
  done_bytes_ = 0;
  total_bytes_ = 0;
  next_ = clock_.Steady();
  DiagnoseError("showing the status", board_.CountBytes({}));
  DiagnoseError("showing the status", board_.Show(JobState::kPending, Phase::kPull, what));
}

void FetchBoard::Expect(std::uint64_t total_bytes) {
  const std::lock_guard lock(mutex_);
  total_bytes_ = total_bytes;
}

void FetchBoard::Add(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  done_bytes_ += bytes;
  if (clock_.Steady() < next_) return;
  next_ = clock_.Steady() + kShownFor;
  DiagnoseError("showing the status", board_.CountBytes({done_bytes_, total_bytes_}));
}

}  // namespace kinetic::runner
