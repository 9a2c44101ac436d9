#include "runner/devices/check.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "jobspec/schema/variable_names.h"
#include "runner/devices/probe.h"
#include "runner/program/python.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kinetic::runner {
namespace {

using Variables = std::map<std::string, std::string>;

/// Variables with which a job limits the accelerators that its processes see.
constexpr std::array<std::string_view, 4> kLimitingVariables{
    "CUDA_VISIBLE_DEVICES", "TPU_VISIBLE_CHIPS", "TPU_VISIBLE_DEVICES",
    "TPU_CHIPS_PER_PROCESS_BOUNDS"};

std::string ValueOf(const Variables& environment, std::string_view name) {
  const auto found = environment.find(std::string(name));
  return found == environment.end() ? std::string() : std::string(Trim(found->second));
}

/// Returns whether JAX is configured for other platforms only.
bool UsesOtherJaxPlatform(ChipKind kind, const Variables& environment) {
  std::string platforms = ValueOf(environment, "JAX_PLATFORMS");
  if (platforms.empty()) platforms = ValueOf(environment, "JAX_PLATFORM_NAME");  // the older name
  if (platforms.empty()) return false;
  return std::ranges::none_of(Split(ToLower(platforms), ','), [&](std::string_view platform) {
    platform = Trim(platform);
    if (kind == ChipKind::kTpu) return platform == "tpu";
    return platform == "cuda" || platform == "gpu";
  });
}

/// Returns whether the job hides all GPUs from its processes.
bool HidesGpus(const Variables& environment) {
  if (!environment.contains("CUDA_VISIBLE_DEVICES")) return false;
  const std::string visible = ValueOf(environment, "CUDA_VISIBLE_DEVICES");
  return visible.empty() || visible == "-1";
}

std::int64_t RequiredCount(const Chips& requested, const Variables& environment) {
  const bool limited = std::ranges::any_of(kLimitingVariables, [&](std::string_view name) {
    return !ValueOf(environment, name).empty();
  });
  return limited ? std::min<std::int64_t>(1, requested.count) : requested.count;
}

}  // namespace

std::vector<std::string> FrameworksToProbe(ChipKind kind, const Variables& environment) {
  std::vector<std::string> frameworks;
  if (ValueOf(environment, jobspec::kCheckDevicesVariable) == "no") return frameworks;
  if (kind == ChipKind::kGpu && HidesGpus(environment)) return frameworks;
  if (!UsesOtherJaxPlatform(kind, environment)) frameworks.emplace_back("jax");
  if (kind == ChipKind::kGpu) frameworks.emplace_back("torch");
  return frameworks;
}

Result<DeviceCheckResult> CheckDevices(FileSystem& fs, const DeviceCheck& check,
                                       const std::stop_token& stop) {
  const Variables& environment = check.program.environment;
  const auto missing = FindMissingChips(fs, check.requested, check.devices);
  const auto frameworks = FrameworksToProbe(check.requested.kind, environment);
  const auto python = FindProgramPython(check.program, check.environment);
  std::vector<FrameworkReport> reports;
  if (python && !frameworks.empty()) {
    const DeviceProbe probe{.kind = check.requested.kind,
                            .python = *python,
                            .environment = environment,
                            .working_directory = check.program.working_directory,
                            .timeout = check.timeout};
    KINETIC_ASSIGN_OR_RETURN(reports, ProbeFrameworks(probe, frameworks, stop));
  }
  return ClassifyFrameworkReports(check.requested, RequiredCount(check.requested, environment),
                                  reports, missing);
}

}  // namespace kinetic::runner
