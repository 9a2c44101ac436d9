#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

namespace kinetic {

/// A queue with a limit on the total weight (for example bytes) of its items: a fast producer waits
/// instead of filling the memory. Safe to call concurrently.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits until the item fits; an item heavier than the capacity waits for an empty queue. Returns
  /// false, and drops the item, when stopped or closed.
  bool Push(T item, std::size_t weight, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool room = changed_.wait(
        lock, stop, [&] { return closed_ || items_.empty() || used_ + weight <= capacity_; });
    if (!room || closed_) return false;
    used_ += weight;
    items_.push_back({std::move(item), weight});
    changed_.notify_all();
    return true;
  }

  /// Waits for an item. Returns nullopt if the queue is closed and empty, or when stopped.
  std::optional<T> Pop(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return closed_ || !items_.empty(); })) return std::nullopt;
    if (items_.empty()) return std::nullopt;
    Entry entry = std::move(items_.front());
    items_.pop_front();
    used_ -= entry.weight;
    changed_.notify_all();
    return std::move(entry.item);
  }

  /// Rejects further items. Consumers still receive the queued ones.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  struct Entry {
    T item;
    std::size_t weight;
  };

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Entry> items_;
  std::size_t used_ = 0;
  bool closed_ = false;
};

}  // namespace kinetic
