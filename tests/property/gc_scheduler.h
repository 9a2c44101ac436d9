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

/// A turn that one thread gives and another takes. It sleeps while it waits: a semaphore of the
/// standard library yields first, and on a busy machine each yield costs a turn of everybody else.
class Turn {
 public:
  void Give();
  void Take();

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  bool is_given_ = false;
};

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
    Turn turn;
    bool killed = false;
    bool ended = false;
    int asleep = 0;  ///< for so many turns of others
    std::thread thread;
  };

  std::size_t PickAwake(const std::vector<Actor*>& running);

  Random& random_;
  Turn back_;
  std::vector<std::unique_ptr<Actor>> actors_;
};

}  // namespace kinetic::test
