#include "job/background.h"

#include <system_error>
#include <thread>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kMaxBackgroundThreads = 16;

}  // namespace

Background::~Background() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return threads_ == 0; });
}

void Background::Run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    if (threads_ == kMaxBackgroundThreads) return;
    ++threads_;
  }
  try {
    std::thread([this] { Work(); }).detach();
  } catch (const std::system_error&) {
    Work();
  }
}

void Background::Work() {
  std::unique_lock lock(mutex_);
  while (!queue_.empty()) {
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // before the lock, because it may own much
    lock.lock();
  }
  // With the lock: the destructor may run as soon as it is released.
  if (--threads_ == 0) idle_.notify_all();
}

}  // namespace kinetic::job
