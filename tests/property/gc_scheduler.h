#pragma once

#include "kinetic/result.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace kinetic::test {

/// Passes control from one thread to another. A waiting thread sleeps. The semaphore of the
/// standard library yields first, which is slow on a busy machine.
class Turn {
 public:
  void Give();
  void Take();

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool is_given_ = false;
};

/// Runs several actors, one at a time. The seed decides at every Yield which one continues. The
/// same seed repeats the same run.
class Scheduler {
 public:
  using Random = std::mt19937_64;

  explicit Scheduler(Random& random) : random_(random) {}
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void Spawn(std::function<void()> body);

  /// Called by an actor at points where others may run. Returns an error if the actor was killed.
  /// Does nothing outside actors.
  Status Yield();

  /// Runs until all actors have ended. Actors sometimes sleep. Before each turn, `environment` may
  /// change the world and decides whether the actor dies.
  void Run(const std::function<bool()>& environment);

 private:
  struct Actor {
    Turn turn;
    bool killed = false;
    bool ended = false;
    int asleep = 0;  ///< for this number of turns
    std::thread thread;
  };

  std::size_t PickAwake(const std::vector<Actor*>& running);

  Random& random_;
  Turn back_;
  std::vector<std::unique_ptr<Actor>> actors_;
};

}  // namespace kinetic::test
