#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// What a framework says of the accelerators of its container.
struct DeviceAnswer {
  enum class Kind : std::uint8_t {
    kAbsent,    ///< it is not installed
    kAnswered,  ///< it has said what it sees
    kUnknown,   ///< it could not be asked
  };

  std::string framework;  ///< "jax"
  Kind kind = Kind::kAbsent;
  std::string version;                          ///< "0.5.3"
  std::map<std::string, std::int64_t> devices;  ///< how many, by platform: "cpu", "tpu", "gpu"
  bool supported = false;  ///< what it drives the job's accelerators with is installed
  std::string said;        ///< its last words; of kUnknown, why
};

/// Reads what probe/device_probe.py prints.
///
/// @param said       its standard output.
/// @param complaint  its standard error.
/// @returns  nothing when that is no whole answer.
std::optional<DeviceAnswer> DeviceAnswerFrom(std::string_view framework, std::string_view said,
                                             std::string_view complaint);

/// The last line of a text that says anything, short enough for a message.
std::string LastWords(std::string_view text);

}  // namespace kinetic::runner
