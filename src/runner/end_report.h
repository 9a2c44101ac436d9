#pragma once

#include "kinetic/result.h"

#include "runner/launcher.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// What the launcher of a pod says when its program has ended, or could not be run. It holds no
/// secret.
struct EndReport {
  std::optional<ProgramEnd> end;
  std::optional<Error> fault;     ///< when there is no end
  bool began = false;             ///< the program ran before the fault
  std::uint64_t next_record = 0;  ///< the number after the last record of the log
};

/// Takes secrets out of what a function's shim and the launcher say.
void MaskReport(EndReport& report, const std::vector<std::string>& secrets);

std::string ToJson(const EndReport& report);
/// @errors  kDataLoss.
Result<EndReport> EndReportFromJson(std::string_view json);

}  // namespace kinetic::runner
