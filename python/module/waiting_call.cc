#include "waiting_call.h"

#include <chrono>
#include <exception>

namespace kinetic::python {

namespace nb = nanobind;

namespace {

constexpr std::size_t kMostEvents = 4096;
/// Interval of the checks for signals, such as that of Ctrl-C.
constexpr std::chrono::milliseconds kSlice{50};
/// How long the interpreter's end waits for threads, which hold the GIL in their callbacks.
constexpr std::chrono::seconds kLongestEnd{1};

/// Counts the threads that wait in calls, and those that never return from one.
class WaitingThreads {
 public:
  void Enter() {
    const std::lock_guard lock(mutex_);
    ++waiting_;
  }
  void Leave() {
    const std::lock_guard lock(mutex_);
    --waiting_;
    changed_.notify_all();
  }
  /// Never returns if another thread ends the interpreter. Call without the GIL.
  void CheckEnd() {
    std::unique_lock lock(mutex_);
    if (!ending_ || *ending_ == std::this_thread::get_id()) return;
    ++stopped_;
    changed_.notify_all();
    changed_.wait(lock, [] { return false; });
  }
  void End() {
    std::unique_lock lock(mutex_);
    ending_ = std::this_thread::get_id();
    changed_.wait_for(lock, kLongestEnd, [&] { return stopped_ >= waiting_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::thread::id> ending_;
  int waiting_ = 0;
  int stopped_ = 0;
};

// Threads outlive static objects, so it is never destroyed.
WaitingThreads* waiting_threads = new WaitingThreads;

}  // namespace

WaitingCall::WaitingCall(nb::object on_event, const Stop* stop, Ticks ticks)
    : on_event_(std::move(on_event)), stop_(stop), ticks_(ticks) {}

void WaitingCall::Post(Event event) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] { return events_.size() < kMostEvents || stopping_.stop_requested(); });
  events_.push_back(std::move(event));
  news_.notify_one();
}

bool WaitingCall::WaitForNews() {
  const nb::gil_scoped_release release;
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, kSlice, [&] { return has_ended_ || !events_.empty(); });
  const bool is_done = has_ended_ && events_.empty();
  lock.unlock();
  waiting_threads->CheckEnd();
  return is_done;
}

void WaitingCall::Deliver() {
  std::deque<Event> events;
  {
    const std::lock_guard lock(mutex_);
    events.swap(events_);
  }
  room_.notify_all();
  if (on_event_.is_none()) return;
  if (ticks_ == Ticks::kYes) events.push_back({.kind = "tick", .name = {}, .text = {}});
  for (const Event& event : events)
    on_event_(nb::str(event.kind.c_str(), event.kind.size()),
              nb::str(event.name.c_str(), event.name.size()),
              nb::bytes(event.text.data(), event.text.size()));
}

void WaitingCall::RunOnThread(const std::function<void(const std::stop_token&)>& call) {
  const auto request_stop = [this] {
    stopping_.request_stop();
    // Post may have checked the token already, and not wait yet.
    {
      const std::lock_guard lock(mutex_);
    }
    room_.notify_all();
  };
  const std::stop_callback on_stop(stop_ != nullptr ? stop_->token() : std::stop_token(),
                                   request_stop);
  std::exception_ptr failure;  // such as std::bad_alloc
  std::jthread thread([&] {
    try {
      call(stopping_.get_token());
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    news_.notify_one();
  });
  const auto end = [&] {
    const nb::gil_scoped_release release;
    thread.join();
    waiting_threads->CheckEnd();
    waiting_threads->Leave();
  };
  waiting_threads->Enter();
  try {
    while (!WaitForNews()) {
      Deliver();
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  } catch (...) {
    request_stop();
    end();
    throw;
  }
  end();
  // A signal during the end must not be lost together with the result.
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (failure) std::rethrow_exception(failure);
}

void ForgetThreads() { waiting_threads = new WaitingThreads; }

void StopOtherThreads() {
  const nb::gil_scoped_release release;
  waiting_threads->End();
}

}  // namespace kinetic::python
