#pragma once

#include "base/clock.h"
#include "runner/status_board.h"

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <utility>

namespace kinetic::runner {

/// Shows on a status board how much of what is being fetched has come: of several things at once
/// the one that began first, and twice a second at most.
///
/// @threads  safe to call concurrently.
class FetchBoard {
  struct Item {
    std::string what;
    std::uint64_t done_bytes = 0;
    std::uint64_t total_bytes = 0;
  };

 public:
  /// One thing that is being fetched, for as long as the object lives.
  class Fetch {
   public:
    Fetch(Fetch&& other) noexcept
        : board_(std::exchange(other.board_, nullptr)), item_(other.item_) {}
    Fetch& operator=(Fetch&&) = delete;
    ~Fetch() {
      if (board_ != nullptr) board_->End(item_);
    }

    /// How much it is, when that is known.
    void Expect(std::uint64_t total_bytes) { board_->Expect(*item_, total_bytes); }
    /// So much more has come.
    void Add(std::uint64_t bytes) { board_->Add(*item_, bytes); }

   private:
    friend class FetchBoard;
    Fetch(FetchBoard& board, std::list<Item>::iterator item) : board_(&board), item_(item) {}

    FetchBoard* board_;
    const std::list<Item>::iterator item_;
  };

  /// Both outlive it.
  FetchBoard(StatusBoard& board, Clock& clock) : board_(board), clock_(clock) {}

  /// @param what  "fetching /data/train". @returns  what the board outlives.
  [[nodiscard]] Fetch Begin(std::string what);

 private:
  void Expect(Item& item, std::uint64_t total_bytes);
  void Add(Item& item, std::uint64_t bytes);
  void End(std::list<Item>::iterator item);
  void ShowFirst();
  void ShowBytes(const Item& item);

  StatusBoard& board_;
  Clock& clock_;
  std::mutex mutex_;
  std::list<Item> items_;
  SteadyTime next_;
};

}  // namespace kinetic::runner
