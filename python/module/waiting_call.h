#pragma once

#include "kinetic/result.h"

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace kinetic::python {

/// The arguments of the Python callback, which receives for example each line of a log. `text` becomes
/// bytes, because it may not be UTF-8.
struct Event {
  std::string kind, name, text;
};

/// Lets one Python thread stop calls of another, kinetic._kinetic.Stop.
///
/// @threads  safe to call concurrently.
class Stop {
 public:
  void Request() { source_.request_stop(); }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

/// Whether to call back several times per second with an Event of kind "tick".
enum class Ticks : bool { kNo, kYes };

/// Runs a blocking call of the library on another thread. Meanwhile, the calling thread releases the
/// GIL, delivers the call's events to Python, and checks for signals.
class WaitingCall {
 public:
  /// @param on_event  called with the arguments of each Event; or None.
  /// @param stop      stops the call; may be null.
  explicit WaitingCall(nanobind::object on_event = nanobind::none(), const Stop* stop = nullptr,
                       Ticks ticks = Ticks::kNo);

  /// Adds an event. Waits while there are too many. Safe to call concurrently.
  void Post(Event event);

  /// Returns what `call(stop_token)` returns.
  ///
  /// @throws  nanobind::python_error: an exception of a signal handler, such as KeyboardInterrupt, or of
  ///          the callback. The call is stopped first.
  template <typename Call>
  auto Run(Call call) {
    using Returned = decltype(call(std::stop_token()));
    std::optional<Returned> returned;
    RunOnThread([&](const std::stop_token& stop) { returned.emplace(call(stop)); });
    return *std::move(returned);
  }

 private:
  void RunOnThread(const std::function<void(const std::stop_token&)>& call);
  /// Returns whether the call has ended and all events are delivered.
  bool WaitForNews();
  void Deliver();

  const nanobind::object on_event_;
  const Stop* const stop_;
  const Ticks ticks_;
  std::mutex mutex_;
  std::condition_variable news_, room_;
  std::deque<Event> events_;
  bool has_ended_ = false;
  std::stop_source stopping_;
};

/// Called when the interpreter ends. Threads that wait in a call never return from it: a thread that
/// needs the GIL afterwards would end the program with an error. Needs the GIL.
void StopOtherThreads();

/// Called in a process that was forked, where the threads of its parent do not exist.
void ForgetThreads();

}  // namespace kinetic::python
