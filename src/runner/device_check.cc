#include "runner/device_check.h"

#include "base/strings.h"
#include "base/try.h"
#include "runner/chip_check.h"
#include "runner/device_probe.h"
#include "runner/program_python.h"
#include "spec/check_devices.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kinetic::runner {
namespace {

using Variables = std::map<std::string, std::string>;

/// With one of these a job lets its processes see fewer accelerators than its container has.
constexpr std::array<std::string_view, 4> kNarrowing{"CUDA_VISIBLE_DEVICES", "TPU_VISIBLE_CHIPS",
                                                     "TPU_VISIBLE_DEVICES",
                                                     "TPU_CHIPS_PER_PROCESS_BOUNDS"};

std::string ValueOf(const Variables& environment, std::string_view name) {
  const auto found = environment.find(std::string(name));
  return found == environment.end() ? std::string() : std::string(Trim(found->second));
}

/// Whether JAX has been told to use other platforms alone.
bool UsesJaxElsewhere(ChipKind kind, const Variables& environment) {
  std::string platforms = ValueOf(environment, "JAX_PLATFORMS");
  if (platforms.empty()) platforms = ValueOf(environment, "JAX_PLATFORM_NAME");  // its older name
  if (platforms.empty()) return false;
  return std::ranges::none_of(Split(ToLower(platforms), ','), [&](std::string_view platform) {
    platform = Trim(platform);
    if (kind == ChipKind::kTpu) return platform == "tpu";
    return platform == "cuda" || platform == "gpu";
  });
}

/// Whether the job hides all GPUs from itself.
bool HidesGpus(const Variables& environment) {
  if (!environment.contains("CUDA_VISIBLE_DEVICES")) return false;
  const std::string visible = ValueOf(environment, "CUDA_VISIBLE_DEVICES");
  return visible.empty() || visible == "-1";
}

std::int64_t Enough(const Chips& asked, const Variables& environment) {
  const bool narrowed = std::ranges::any_of(
      kNarrowing, [&](std::string_view name) { return !ValueOf(environment, name).empty(); });
  return narrowed ? std::min<std::int64_t>(1, asked.count) : asked.count;
}

}  // namespace

std::vector<std::string> FrameworksToAsk(ChipKind kind, const Variables& environment) {
  std::vector<std::string> frameworks;
  if (ValueOf(environment, spec::kCheckDevicesVariable) == "no") return frameworks;
  if (kind == ChipKind::kGpu && HidesGpus(environment)) return frameworks;
  if (!UsesJaxElsewhere(kind, environment)) frameworks.emplace_back("jax");
  if (kind == ChipKind::kGpu) frameworks.emplace_back("torch");
  return frameworks;
}

Result<DeviceVerdict> CheckDevices(FileSystem& fs, const DeviceCheck& check,
                                   const std::stop_token& stop) {
  const Variables& environment = check.program.environment;
  const auto missing = FindMissingChips(fs, check.asked, check.devices);
  const auto frameworks = FrameworksToAsk(check.asked.kind, environment);
  const auto python = PythonOf(check.program, check.environment);
  std::vector<DeviceAnswer> answers;
  if (python && !frameworks.empty()) {
    const DeviceProbe probe{.kind = check.asked.kind,
                            .python = *python,
                            .environment = environment,
                            .working_directory = check.program.working_directory,
                            .patience = check.patience};
    KINETIC_ASSIGN_OR_RETURN(answers, AskFrameworks(probe, frameworks, stop));
  }
  return JudgeDevices(check.asked, Enough(check.asked, environment), answers, missing);
}

}  // namespace kinetic::runner
