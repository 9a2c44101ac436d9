#include "base/strings.h"
#include "jobspec/schema/variable_names.h"
#include "runner/devices/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

/// Why a framework sees too few devices, and what to do; both may be empty.
struct Diagnosis {
  std::string cause;
  std::string remedy;
};

bool IsOf(ChipKind kind, std::string_view platform) {
  if (kind == ChipKind::kTpu) return platform == "tpu";
  return platform == "gpu" || platform == "cuda";
}

std::int64_t CountSeen(const FrameworkReport& report, ChipKind kind) {
  std::int64_t seen = 0;
  for (const auto& [platform, count] : report.devices) {
    if (IsOf(kind, platform)) seen += count;
  }
  return seen;
}

/// "jax 0.5.3 detects 1 cpu device and no TPU"
std::string DescribeDevices(const FrameworkReport& report, ChipKind kind) {
  std::string devices;
  for (const auto& [platform, count] : report.devices) {
    devices += fmt::format("{}{} {} device{}", devices.empty() ? "" : " and ", count, platform,
                           count == 1 ? "" : "s");
  }
  if (CountSeen(report, kind) == 0) {
    devices += fmt::format("{}no {}", devices.empty() ? "" : " and ",
                           kind == ChipKind::kTpu ? "TPU" : "GPU");
  }
  return fmt::format("{} {} detects {}", report.framework, report.version, devices);
}

Diagnosis NotInstalled(const FrameworkReport& report, ChipKind kind) {
  if (report.framework == "torch") {
    return {"it was built without CUDA",
            "install torch from PyPI or from an index with CUDA, such as "
            "https://download.pytorch.org/whl/cu126, not from …/whl/cpu"};
  }
  if (kind == ChipKind::kTpu) {
    return {"the package libtpu is not installed",
            "add jax[tpu] to the dependencies, or install it in the job's image"};
  }
  return {"its CUDA plugin is not installed",
          "add jax[cuda12] to the dependencies, or install it in the job's image"};
}

Diagnosis Diagnose(const FrameworkReport& report, ChipKind kind,
                   const std::optional<MissingChips>& missing) {
  if (!report.supported && CountSeen(report, kind) == 0) return NotInstalled(report, kind);
  if (missing) {
    return {
        fmt::format("the container has {} of the device files {}",
                    missing->seen == 0 ? "none" : std::to_string(missing->seen), missing->searched),
        "retry on another node, and ask the cluster administrator to check the node's driver and "
        "device plugin"};
  }
  return {report.message.empty() ? "" : "its message: " + report.message,
          kind == ChipKind::kTpu
              ? "check that the libtpu version matches this jax version"
              : "check that the node's driver supports the CUDA version that it was built with"};
}

/// "jax 0.5.3 detects 1 cpu device and no TPU (the package libtpu is not installed)"
std::string DescribeProblem(const FrameworkReport& report, ChipKind kind,
                            const Diagnosis& diagnosis) {
  return DescribeDevices(report, kind) +
         (diagnosis.cause.empty() ? "" : " (" + diagnosis.cause + ")");
}

/// Returns "the job requested 4 chips"; the kind is already named.
std::string DescribeRequest(const Chips& requested) {
  const std::string_view unit = requested.kind == ChipKind::kTpu ? "chip" : "GPU";
  return fmt::format("the job requested {} {}{}", requested.count, unit,
                     requested.count == 1 ? "" : "s");
}

Error MakeError(const Chips& requested, const std::vector<FrameworkReport>& failing,
                const std::optional<MissingChips>& missing) {
  std::vector<std::string> descriptions;
  std::vector<std::string> remedies;
  for (const auto& report : failing) {
    Diagnosis diagnosis = Diagnose(report, requested.kind, missing);
    descriptions.push_back(DescribeProblem(report, requested.kind, diagnosis));
    if (std::ranges::find(remedies, diagnosis.remedy) == remedies.end()) {
      remedies.push_back(std::move(diagnosis.remedy));
    }
  }
  remedies.push_back(
      fmt::format("set 'env: {{{}: \"no\"}}' to skip this check", jobspec::kCheckDevicesVariable));
  return {ErrorCode::kFailedPrecondition,
          Join(descriptions, ", and ") + "; " + DescribeRequest(requested),
          Join(remedies, "; "),
          {}};
}

}  // namespace

DeviceCheckResult ClassifyFrameworkReports(const Chips& requested, std::int64_t required,
                                           const std::vector<FrameworkReport>& reports,
                                           const std::optional<MissingChips>& missing) {
  DeviceCheckResult result;
  bool is_seen = false;
  bool is_incomplete = false;
  std::vector<FrameworkReport> failing;
  for (const auto& report : reports) {
    if (report.kind == FrameworkReport::Kind::kFailed) {
      is_incomplete = true;
      result.notes.push_back(fmt::format("could not check whether {} detects the {}: {}",
                                         report.framework, Describe(requested), report.message));
    } else if (report.kind == FrameworkReport::Kind::kReported) {
      const bool sees = CountSeen(report, requested.kind) >= required;
      if (sees) is_seen = true;
      if (!sees) failing.push_back(report);
    }
  }
  if (!failing.empty() && !is_seen && !is_incomplete) {
    result.fault = MakeError(requested, failing, missing);
    return result;
  }
  for (const auto& report : failing) {
    const Diagnosis diagnosis = Diagnose(report, requested.kind, missing);
    result.notes.push_back(fmt::format("{}; {}: {}",
                                       DescribeProblem(report, requested.kind, diagnosis),
                                       DescribeRequest(requested), diagnosis.remedy));
  }
  // A framework that sees the chips is more reliable than the names of device files.
  if (missing && !is_seen) result.notes.push_back(DescribeMissingChips(*missing, requested));
  return result;
}

}  // namespace kinetic::runner
