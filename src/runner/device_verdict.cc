#include "runner/device_verdict.h"

#include "base/strings.h"
#include "spec/check_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

/// Why a framework sees too little, and what to do; both may be unknown.
struct Reason {
  std::string why;
  std::string remedy;
};

bool IsOf(ChipKind kind, std::string_view platform) {
  if (kind == ChipKind::kTpu) return platform == "tpu";
  return platform == "gpu" || platform == "cuda";
}

std::int64_t Seen(const DeviceAnswer& answer, ChipKind kind) {
  std::int64_t seen = 0;
  for (const auto& [platform, count] : answer.devices) {
    if (IsOf(kind, platform)) seen += count;
  }
  return seen;
}

/// "jax 0.5.3 sees 1 cpu device and no TPU"
std::string Sight(const DeviceAnswer& answer, ChipKind kind) {
  std::string sight;
  for (const auto& [platform, count] : answer.devices) {
    sight += fmt::format("{}{} {} device{}", sight.empty() ? "" : " and ", count, platform,
                         count == 1 ? "" : "s");
  }
  if (Seen(answer, kind) == 0) {
    sight += fmt::format("{}no {}", sight.empty() ? "" : " and ",
                         kind == ChipKind::kTpu ? "TPU" : "GPU");
  }
  return fmt::format("{} {} sees {}", answer.framework, answer.version, sight);
}

Reason NotInstalled(const DeviceAnswer& answer, ChipKind kind) {
  if (answer.framework == "torch") {
    return {"it is built without CUDA",
            "take torch from PyPI or from an index with CUDA, such as "
            "https://download.pytorch.org/whl/cu126, not from …/whl/cpu"};
  }
  if (kind == ChipKind::kTpu) {
    return {"the package libtpu is not installed",
            "name jax[tpu] among the dependencies, or install it in the job's image"};
  }
  return {"its CUDA plugin is not installed",
          "name jax[cuda12] among the dependencies, or install it in the job's image"};
}

Reason ReasonOf(const DeviceAnswer& answer, ChipKind kind,
                const std::optional<MissingChips>& missing) {
  if (!answer.supported && Seen(answer, kind) == 0) return NotInstalled(answer, kind);
  if (missing) {
    return {fmt::format("the container has {} of the device files {}",
                        missing->seen == 0 ? "none" : std::to_string(missing->seen),
                        missing->looked_for),
            "run it again on another node, and ask who runs the cluster for the node's driver and "
            "device plugin"};
  }
  return {answer.said.empty() ? "" : "it said: " + answer.said,
          kind == ChipKind::kTpu
              ? "see that libtpu is of the version that this jax is made for"
              : "see that the node's driver is new enough for the CUDA that it is built with"};
}

/// "jax 0.5.3 sees 1 cpu device and no TPU (the package libtpu is not installed)"
std::string Complaint(const DeviceAnswer& answer, ChipKind kind, const Reason& reason) {
  return Sight(answer, kind) + (reason.why.empty() ? "" : " (" + reason.why + ")");
}

/// "the job asked for 4 chips": of what kind has been said.
std::string Asked(const Chips& asked) {
  const std::string_view what = asked.kind == ChipKind::kTpu ? "chip" : "GPU";
  return fmt::format("the job asked for {} {}{}", asked.count, what, asked.count == 1 ? "" : "s");
}

Error FaultOf(const Chips& asked, const std::vector<DeviceAnswer>& blind,
              const std::optional<MissingChips>& missing) {
  std::vector<std::string> complaints;
  std::vector<std::string> remedies;
  for (const auto& answer : blind) {
    Reason reason = ReasonOf(answer, asked.kind, missing);
    complaints.push_back(Complaint(answer, asked.kind, reason));
    if (std::ranges::find(remedies, reason.remedy) == remedies.end()) {
      remedies.push_back(std::move(reason.remedy));
    }
  }
  remedies.push_back(fmt::format("'env: {{{}: \"no\"}}' runs the program without this check",
                                 spec::kCheckDevicesVariable));
  return {ErrorCode::kFailedPrecondition,
          Join(complaints, ", and ") + "; " + Asked(asked),
          Join(remedies, "; "),
          {}};
}

}  // namespace

DeviceVerdict JudgeDevices(const Chips& asked, std::int64_t enough,
                           const std::vector<DeviceAnswer>& answers,
                           const std::optional<MissingChips>& missing) {
  DeviceVerdict verdict;
  bool is_seen = false;
  bool is_unknown = false;
  std::vector<DeviceAnswer> blind;
  for (const auto& answer : answers) {
    if (answer.kind == DeviceAnswer::Kind::kUnknown) {
      is_unknown = true;
      verdict.notes.push_back(fmt::format("{} could not be asked whether it sees the {}: {}",
                                          answer.framework, Text(asked), answer.said));
    } else if (answer.kind == DeviceAnswer::Kind::kAnswered) {
      const bool sees = Seen(answer, asked.kind) >= enough;
      if (sees) is_seen = true;
      if (!sees) blind.push_back(answer);
    }
  }
  if (!blind.empty() && !is_seen && !is_unknown) {
    verdict.fault = FaultOf(asked, blind, missing);
    return verdict;
  }
  for (const auto& answer : blind) {
    const Reason reason = ReasonOf(answer, asked.kind, missing);
    verdict.notes.push_back(fmt::format("{}; {}: {}", Complaint(answer, asked.kind, reason),
                                        Asked(asked), reason.remedy));
  }
  // A framework's own word is worth more than how files are named.
  if (missing && !is_seen) verdict.notes.push_back(NoteOf(*missing, asked));
  return verdict;
}

}  // namespace kinetic::runner
