#pragma once

#include "kinetic/result.h"

#include "runner/program/runner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// report.json: how the program of a pod ended, or why it could not be run. Contains no secrets.
struct ExitReport {
  std::optional<ProgramExit> exit;
  std::optional<Error> fault;     ///< present if `exit` is not
  bool began = false;             ///< the program had started before the fault
  std::uint64_t next_record = 0;  ///< number after the last log record
};

/// Removes secrets from the texts of the shim and the launcher.
void RedactReport(ExitReport& report, const std::vector<std::string>& secrets);

std::string ToJson(const ExitReport& report);
/// @errors  kDataLoss.
Result<ExitReport> ExitReportFromJson(std::string_view json);

}  // namespace kinetic::runner
