#pragma once

#include "kinetic/export.h"

#include <cstdint>
#include <string_view>

namespace kinetic::inline v0 {

/// The phases of a job, in order. Package, build and stage may overlap.
enum class Phase : std::uint8_t {
  kPackage,
  kStage,
  kBuild,
  kSubmit,
  kQueue,
  kProvision,
  kPull,
  kStart,
  kRun,
  kCollect
};

KINETIC_EXPORT std::string_view Name(Phase phase);

/// Receives the progress of an operation. Every function has an empty default.
///
/// @threads  called from the library's threads, possibly several at once; must not block for long.
class KINETIC_EXPORT Observer {
 public:
  virtual ~Observer() = default;

  virtual void OnPhaseBegin(Phase /*phase*/, std::string_view /*what*/) {}
  /// `detail` is for display: "42 files, 1.2 MiB" or "unchanged".
  virtual void OnPhaseEnd(Phase /*phase*/, std::string_view /*detail*/) {}
  /// `total` is 0 if unknown.
  virtual void OnBytes(Phase /*phase*/, std::uint64_t /*done*/, std::uint64_t /*total*/) {}
  /// Called with a line of output of an installer or builder.
  virtual void OnOutput(Phase /*phase*/, std::string_view /*line*/) {}
  /// Called with a message that the user should see; the operation continues.
  virtual void OnWarning(std::string_view /*message*/) {}
};

}  // namespace kinetic::inline v0
