#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"
#include "json/document.h"

#include <string>
#include <vector>

namespace kinetic::record {

/// A phase of the client's work before it wrote a job's record. Phases may overlap.
struct ClientPhase {
  Phase phase = Phase::kPackage;
  WallTime begun;
  WallTime ended;
  std::string detail;  ///< "42 files, 1.2 MiB"; may be empty
  bool operator==(const ClientPhase&) const = default;
};

/// Returns the list as it is in record.json.
Value ClientPhasesValue(const std::vector<ClientPhase>& phases);

/// Reads the list under `key`. Absent: empty. Skips phases that this version does not have.
///
/// @errors  kDataLoss: names the document and the field.
Result<std::vector<ClientPhase>> ReadClientPhases(json::ObjectReader& reader, std::string_view key,
                                                  std::string_view document);

}  // namespace kinetic::record
