#include "pod/container.h"
#include "target/kubernetes_object.h"
#include "target/kubernetes_warm.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace kinetic::target {
namespace {

/// Why a container waits whose image cannot be had; the kubelet goes on trying.
constexpr std::array<std::string_view, 5> kCannotPull{"ImagePullBackOff", "ErrImagePull",
                                                      "InvalidImageName", "ErrImageNeverPull",
                                                      "ImageInspectError"};

/// Whether a container's image is there: it has begun once, or could not, which comes after.
WarmState StateOf(const Value& status) {
  if (At(status, {"state", "running"}) != nullptr ||
      At(status, {"state", "terminated"}) != nullptr ||
      At(status, {"lastState", "terminated"}) != nullptr) {
    return {.settled = true, .failed = {}};
  }
  const std::string_view reason = TextAt(status, {"state", "waiting", "reason"});
  if (reason == "CrashLoopBackOff" || reason == "RunContainerError") {
    return {.settled = true, .failed = {}};
  }
  if (std::ranges::find(kCannotPull, reason) == kCannotPull.end()) return {};
  std::string why(TextAt(status, {"state", "waiting", "message"}));
  return {.settled = true, .failed = why.empty() ? std::string(reason) : std::move(why)};
}

std::optional<double> UnitOf(std::string_view unit) {
  if (unit == "h") return 3'600'000;
  if (unit == "m") return 60'000;
  if (unit == "s") return 1'000;
  if (unit == "ms") return 1;
  if (unit == "\xC2\xB5s" || unit == "us") return 1e-3;
  return std::nullopt;
}

}  // namespace

WarmState WarmStateOf(const Value& pod) {
  WarmState all{.settled = true, .failed = {}};
  for (const auto container : {pod::kCollectorContainer, pod::kMainContainer}) {
    const Value* const status = ContainerStatus(pod, container);
    const WarmState one = status == nullptr ? WarmState() : StateOf(*status);
    if (!one.failed.empty()) return one;
    all.settled = all.settled && one.settled;
  }
  return all;
}

std::optional<std::chrono::milliseconds> ParseGoDuration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double milliseconds = 0;
  while (!text.empty()) {
    double amount = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (read.ec != std::errc() || amount < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789."));
    const auto factor = UnitOf(unit);
    if (!factor) return std::nullopt;
    milliseconds += amount * *factor;
    text.remove_prefix(unit.size());
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

std::optional<WarmReport::Image> PulledImage(const Value& event) {
  if (TextAt(event, {"reason"}) != "Pulled") return std::nullopt;
  const std::string_view message = TextAt(event, {"message"});
  const std::size_t begin = message.find('"');
  const std::size_t end = message.find('"', begin + 1);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  WarmReport::Image image;
  image.name = message.substr(begin + 1, end - begin - 1);
  constexpr std::string_view kIn = " in ";
  const std::string_view rest = message.substr(end + 1);
  if (rest.starts_with(kIn)) {
    const std::string_view time = rest.substr(kIn.size());
    image.pulled_in = ParseGoDuration(time.substr(0, time.find(' ')));
  } else {
    image.was_there = true;
  }
  return image;
}

}  // namespace kinetic::target
