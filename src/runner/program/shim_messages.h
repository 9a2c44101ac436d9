#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Messages of the Python shim, or of a C++ program (src/native), over its control pipe: frames of a 4-byte big-endian length and a
/// JSON object with a member "kind".
namespace kinetic::runner {

struct ShimMessage {
  enum class Kind : std::uint8_t {
    kStarted,          ///< the interpreter runs; user code comes next
    kReturned,         ///< exchange/value.json is complete
    kRaised,           ///< `exception`
    kRefused,          ///< the function cannot be called: `reason`
    kNotSerializable,  ///< the value cannot be stored: `reason`, `detail` (its repr)
    kExited,           ///< SystemExit with `number`; `detail`: a note on it, or empty
    kLingering,        ///< threads still run: `detail`
    kCalled,           ///< one of several calls has ended with the exit code `number`
  };
  Kind kind = Kind::kStarted;
  std::string reason;
  std::string detail;
  std::int64_t number = 0;  ///< exit code or size in bytes
  std::optional<RemoteException> exception;
};

/// The maximum length of a frame.
inline constexpr std::size_t kMaxShimFrame = 32U << 20;

/// Parses the bytes of the control pipe.
///
/// @threads  one thread at a time.
class ShimParser {
 public:
  /// Returns the messages that are complete now, without those of unknown kind.
  ///
  /// @errors  kDataLoss: not a frame, because the program wrote to the descriptor. Later bytes are
  ///          ignored.
  Result<std::vector<ShimMessage>> Feed(std::string_view bytes);

 private:
  std::string pending_;
  bool broken_ = false;
};

/// Removes secrets from the texts of a message.
///
/// @param secrets  from RedactableSecrets.
void RedactTexts(ShimMessage& message, const std::vector<std::string>& secrets);

/// Returns the body of a frame.
std::string ToJson(const ShimMessage& message);

/// Parses the body of a frame; nullopt for an unknown kind. @errors kDataLoss.
Result<std::optional<ShimMessage>> ParseShimMessage(std::string_view json);

}  // namespace kinetic::runner
