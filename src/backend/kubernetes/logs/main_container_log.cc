#include "backend/kubernetes/logs/follow.h"
#include "pod/container.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::chrono::milliseconds kPlainReopenDelay{500};
constexpr std::chrono::milliseconds kDrainPoll{20};
constexpr std::chrono::seconds kDraining{5};

}  // namespace

MainContainerLog::MainContainerLog(const kube::Client& client, Clock& clock, std::string name_space,
                                   std::string pod, std::function<void(std::string_view line)> each)
    : client_(client),
      clock_(clock),
      name_space_(std::move(name_space)),
      pod_(std::move(pod)),
      each_(std::move(each)),
      thread_([this](const std::stop_token& stop) { Follow(stop); }) {}

void MainContainerLog::Drain() {
  const SteadyTime end = clock_.Steady() + kDraining;
  while (!over_ && clock_.Steady() < end) (void)clock_.Sleep(kDrainPoll, {});
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void MainContainerLog::Follow(const std::stop_token& stop) {
  const kube::LogQuery query{.container = std::string(pod::kMainContainer), .follow = true};
  const auto take = [this](std::string_view bytes) -> Status {
    Take(bytes);
    return {};
  };
  while (!stop.stop_requested()) {
    to_skip_ = taken_;
    const auto ended = client_.ReadLog(name_space_, pod_, query, take, stop);
    const bool is_cut = !ended || ended->reason == kube::LogEnd::Reason::kInterrupted ||
                        ended->reason == kube::LogEnd::Reason::kNotStarted;
    if (!is_cut || !clock_.Sleep(kPlainReopenDelay, stop)) break;
  }
  if (!line_.empty()) each_(line_);
  over_ = true;
}

void MainContainerLog::Take(std::string_view bytes) {
  const std::size_t known = std::min<std::uint64_t>(to_skip_, bytes.size());
  to_skip_ -= known;
  bytes.remove_prefix(known);
  taken_ += bytes.size();
  for (const char c : bytes) {
    if (c != '\n') {
      line_ += c;
      continue;
    }
    each_(line_);
    line_.clear();
  }
}

}  // namespace kinetic::backend
