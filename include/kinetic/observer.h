#pragma once

#include "kinetic/export.h"

#include <cstdint>
#include <string_view>

namespace kinetic {

/// The parts of a job's life, in order; some overlap (package, build and stage do).
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

/// Watches an operation while it goes on, for a progress display. Every function has an empty
/// default.
///
/// @threads  called from the library's threads, possibly several at once; must not block for long.
class KINETIC_EXPORT Observer {
 public:
  virtual ~Observer() = default;

  virtual void OnPhaseBegin(Phase /*phase*/, std::string_view /*what*/) {}
  /// `detail` is for people: "42 files, 1.2 MiB" or "unchanged".
  virtual void OnPhaseEnd(Phase /*phase*/, std::string_view /*detail*/) {}
  /// `total` is 0 while it is not known.
  virtual void OnBytes(Phase /*phase*/, std::uint64_t /*done*/, std::uint64_t /*total*/) {}
  /// A line of an installer or builder at work.
  virtual void OnOutput(Phase /*phase*/, std::string_view /*line*/) {}
  /// Something the user should know and that stops nothing.
  virtual void OnWarning(std::string_view /*message*/) {}
};

}  // namespace kinetic
