#pragma once

#include "kinetic/result.h"

#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <thread>
#include <vector>

namespace kinetic::test {

/// Lets several actors run, one at a time, and decides by a seed who goes on at every Yield. The
/// same seed plays the same game.
class Scheduler {
 public:
  using Random = std::mt19937_64;

  explicit Scheduler(Random& random) : random_(random) {}
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void Spawn(std::function<void()> body);

  /// Called by an actor where others may come between: an error when the actor has been killed.
  /// Outside actors it does nothing.
  Status Yield();

  /// Runs until all actors have ended. Now and then one falls asleep for a while. Before each turn
  /// `environment` may change the world and says whether the actor whose turn it is dies.
  void Run(const std::function<bool()>& environment);

 private:
  struct Actor {
    std::binary_semaphore turn{0};
    bool killed = false;
    bool ended = false;
    int asleep = 0;  ///< for so many turns of others
    std::thread thread;
  };

  std::size_t PickAwake(const std::vector<Actor*>& running);

  Random& random_;
  std::binary_semaphore back_{0};
  std::vector<std::unique_ptr<Actor>> actors_;
};

}  // namespace kinetic::test
