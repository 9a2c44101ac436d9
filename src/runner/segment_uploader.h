#pragma once

#include "base/file_system.h"
#include "store/store.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace kinetic::runner {

/// Moves sealed log segments from the spool to the store, on a thread of its own: the program never
/// waits for the store. A segment leaves the spool when it is in the store. How long a store that
/// is away is waited for, the store knows.
///
/// @threads  safe to call concurrently.
class SegmentUploader {
 public:
  struct Places {
    Path spool;
    std::string id;
    std::uint32_t host = 0;
  };

  SegmentUploader(store::Store& store, FileSystem& fs, Places places);
  ~SegmentUploader();

  /// Takes over a segment.
  void Add(std::uint32_t attempt, std::uint64_t first_sequence);

  /// Waits until all segments are in the store, or one cannot be stored. @errors that one's.
  Status Drain();

 private:
  struct Segment {
    std::uint32_t attempt;
    std::uint64_t first_sequence;
  };

  void Work(const std::stop_token& stop);
  Status Upload(const Segment& segment, const std::stop_token& stop);

  store::Store& store_;
  FileSystem& fs_;
  const Places places_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Segment> waiting_;  ///< the first one is being uploaded
  Status failed_;                ///< of the first in line; it is tried again by Add and Drain
  std::jthread thread_;          ///< last: it uses all the others
};

}  // namespace kinetic::runner
