#pragma once

#include <unistd.h>

#include <memory>
#include <utility>

namespace kinetic::python {

/// Owns an object of the library. A forked process lacks the threads of the object, so it must not use
/// the object and does not destroy it.
template <typename T>
class Owned {
 public:
  explicit Owned(T object) : object_(std::make_unique<T>(std::move(object))) {}
  Owned(Owned&&) noexcept = default;
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (owner_ != ::getpid()) (void)object_.release();
  }

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  std::unique_ptr<T> object_;
  pid_t owner_ = ::getpid();
};

}  // namespace kinetic::python
