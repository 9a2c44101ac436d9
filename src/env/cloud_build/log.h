#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "store/object_store.h"

#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// What a build of Cloud Build says, read from an object that is written anew, longer, again and
/// again.
///
/// @threads  one thread at a time.
class CloudLog {
 public:
  /// @param name      of the object, which need not be there yet. The store outlives this.
  /// @param observer  told of each line; may be null.
  CloudLog(store::Store& store, std::string name, Observer* observer)
      : store_(store), name_(std::move(name)), observer_(observer) {}

  /// Reads what has come since the last time. What cannot be read now is read the next time; a
  /// store that lets nobody read it is left alone, with a warning.
  ///
  /// @returns whether there was anything. @errors kCancelled.
  Result<bool> Read(std::stop_token stop);

  /// The end of it, 15 lines at most, and of long ones the beginning.
  std::vector<std::string> LastLines();

 private:
  void Take(std::string_view bytes);
  void EndLine();

  store::Store& store_;
  std::string name_;
  Observer* observer_;
  bool is_closed_ = false;
  std::uint64_t read_bytes_ = 0;
  std::string line_;
  std::deque<std::string> recent_;
};

}  // namespace kinetic::env
