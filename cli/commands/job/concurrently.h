#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <vector>

namespace kinetic::cli {

/// Calls `work` for each item, up to 32 at a time, because each call waits for a store. Returns the
/// results in the order of the items.
template <typename Outcome, typename Item>
std::vector<Outcome> Concurrently(const std::vector<Item>& items,
                                  const std::function<Outcome(const Item&)>& work) {
  constexpr std::size_t kMost = 32;
  std::vector<Outcome> outcomes;
  for (std::size_t begin = 0; begin < items.size(); begin += kMost) {
    std::vector<std::future<Outcome>> running;
    for (std::size_t i = begin; i < std::min(begin + kMost, items.size()); ++i)
      running.push_back(std::async(std::launch::async | std::launch::deferred, work, items[i]));
    for (auto& each : running) outcomes.push_back(each.get());
  }
  return outcomes;
}

}  // namespace kinetic::cli
