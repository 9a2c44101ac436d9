#pragma once

#include "kinetic/error.h"

#include <tl/expected.hpp>

#include <utility>

namespace kinetic::inline v0 {

using Failure = tl::unexpected<Error>;

/// A value or an Error. Every function that can fail returns one; nothing throws.
///
/// Absence that is normal (a cache probe, a missing object) is `Result<std::optional<T>>`, not
/// kNotFound.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

/// `return Fail(ErrorCode::kNotFound, "job k-123 does not exist", "kinetic ps lists the jobs");`
inline Failure Fail(ErrorCode code, std::string message, std::string hint = {}) {
  return Failure(Error{code, std::move(message), std::move(hint), {}});
}

}  // namespace kinetic::inline v0
