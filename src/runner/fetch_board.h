#pragma once

#include "base/clock.h"
#include "runner/status_board.h"

#include <cstdint>
#include <mutex>
#include <string_view>

namespace kinetic::runner {

/// Shows on a status board how much of what is being fetched has come: one thing at a time, and
/// twice a second at most.
///
/// @threads  safe to call concurrently.
class FetchBoard {
 public:
  /// Both outlive it.
  FetchBoard(StatusBoard& board, Clock& clock) : board_(board), clock_(clock) {}
  ~FetchBoard();
  FetchBoard(const FetchBoard&) = delete;
  FetchBoard& operator=(const FetchBoard&) = delete;

  /// Something else is fetched from now on. @param what  "fetching /data/train"
  void Begin(std::string_view what);
  /// How much it is, when that is known.
  void Expect(std::uint64_t total_bytes);
  /// So much more has come.
  void Add(std::uint64_t bytes);

 private:
  StatusBoard& board_;
  Clock& clock_;
  std::mutex mutex_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
  SteadyTime next_;
};

}  // namespace kinetic::runner
