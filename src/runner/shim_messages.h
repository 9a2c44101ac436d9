#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the Python shim tells the launcher over its control pipe: frames of a 4-byte big-endian
/// length and a JSON object with a member "kind".
namespace kinetic::runner {

struct ShimMessage {
  enum class Kind : std::uint8_t {
    kStarted,         ///< the interpreter runs; user code comes next
    kReturned,        ///< exchange/value.json is complete
    kRaised,          ///< `exception`
    kRefused,         ///< the function cannot be called: `reason`
    kUnserialisable,  ///< the value cannot travel: `reason`, `detail` (its repr)
    kExited,          ///< SystemExit with `number`
    kLingering,       ///< threads still run: `detail`
  };
  Kind kind = Kind::kStarted;
  std::string reason;
  std::string detail;
  std::int64_t number = 0;  ///< exit code, or size in bytes
  std::optional<RemoteException> exception;
};

/// The longest frame that is taken.
inline constexpr std::size_t kMaxShimFrame = 32U << 20;

/// Takes the control pipe apart, in pieces as they come.
///
/// @threads  one thread at a time.
class ShimParser {
 public:
  /// Returns the messages that are complete now. Unknown kinds are passed over.
  ///
  /// @errors  kDataLoss: no frame of the shim (the program wrote to the descriptor); nothing more
  ///          is taken after it.
  Result<std::vector<ShimMessage>> Feed(std::string_view bytes);

 private:
  std::string pending_;
  bool broken_ = false;
};

/// A frame's body, as ParseShimMessage reads it.
std::string ToJson(const ShimMessage& message);

/// One frame's body. Nothing: a kind that is not known. @errors kDataLoss.
Result<std::optional<ShimMessage>> ParseShimMessage(std::string_view json);

}  // namespace kinetic::runner
