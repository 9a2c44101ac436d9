#pragma once

#include "base/time/clock.h"
#include "runner/staging/status_file.h"

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <utility>

namespace kinetic::runner {

/// Writes the progress of transfers to the status file, at most twice a second. Of several
/// concurrent transfers the first one is written.
///
/// @threads  safe to call concurrently.
class FetchProgress {
  struct Item {
    std::string description;
    std::uint64_t done_bytes = 0;
    std::uint64_t total_bytes = 0;
  };

 public:
  /// A transfer, which lasts as long as this object.
  class Transfer {
   public:
    Transfer(Transfer&& other) noexcept
        : progress_(std::exchange(other.progress_, nullptr)), item_(other.item_) {}
    Transfer& operator=(Transfer&&) = delete;
    ~Transfer() {
      if (progress_ != nullptr) progress_->End(item_);
    }

    /// Sets the total size when it is known.
    void Expect(std::uint64_t total_bytes) { progress_->Expect(*item_, total_bytes); }
    /// Adds received bytes.
    void Add(std::uint64_t bytes) { progress_->Add(*item_, bytes); }

   private:
    friend class FetchProgress;
    Transfer(FetchProgress& progress, std::list<Item>::iterator item)
        : progress_(&progress), item_(item) {}

    FetchProgress* progress_;
    const std::list<Item>::iterator item_;
  };

  /// Both parameters outlive the object.
  FetchProgress(StatusFile& file, Clock& clock) : file_(file), clock_(clock) {}

  /// Starts a transfer, which must end before this object.
  /// @param description  "fetching /data/train".
  [[nodiscard]] Transfer Begin(std::string description);

 private:
  void Expect(Item& item, std::uint64_t total_bytes);
  void Add(Item& item, std::uint64_t bytes);
  void End(std::list<Item>::iterator item);
  void WriteFirst();
  void WriteBytes(const Item& item);

  StatusFile& file_;
  Clock& clock_;
  std::mutex mutex_;
  std::list<Item> items_;
  SteadyTime next_;
};

}  // namespace kinetic::runner
