#pragma once

#include "output/base.h"

#include <functional>
#include <stop_token>
#include <thread>

namespace kinetic::cli {

/// Requests a stop when no process can read stdout any more, or when `outer` requests one. A command
/// that waits without output would not notice the former: `kinetic logs -f | head -1`.
class ReaderWatch {
 public:
  /// @param output  outlives this object.
  ReaderWatch(Output& output, const std::stop_token& outer);
  ~ReaderWatch();
  ReaderWatch(const ReaderWatch&) = delete;
  ReaderWatch& operator=(const ReaderWatch&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  void Watch();

  Output& output_;
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  const int wake_;  ///< an eventfd that ends the thread
  std::thread thread_;
};

}  // namespace kinetic::cli
