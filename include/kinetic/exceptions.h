#pragma once

#include "kinetic/result.h"

#include <stdexcept>
#include <utility>

/// Optional: exceptions for programs that prefer them to Result. Result::value() throws them too.
namespace kinetic::inline v0 {

/// An Error as an exception. what() returns its message.
class KINETIC_EXPORT ErrorException : public std::runtime_error {
 public:
  explicit ErrorException(Error error)
      : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

/// Returns the value of a result, or throws its error as ErrorException, as Result::value() does.
///
///     Client client = ValueOrThrow(Client::Open(LoadProfile()));
template <typename T>
T ValueOrThrow(Result<T> result) {
  return std::move(result).value();
}

}  // namespace kinetic::inline v0
