#include "gc_scheduler.h"

#include <utility>

namespace kinetic::test {
namespace {

thread_local void* g_current = nullptr;

}  // namespace

void Turn::Give() {
  const std::lock_guard lock(mutex_);
  is_given_ = true;
  given_.notify_one();
}

void Turn::Take() {
  std::unique_lock lock(mutex_);
  given_.wait(lock, [this] { return is_given_; });
  is_given_ = false;
}

Scheduler::~Scheduler() {
  for (auto& actor : actors_) actor->thread.join();
}

void Scheduler::Spawn(std::function<void()> body) {
  auto& actor = *actors_.emplace_back(std::make_unique<Actor>());
  actor.thread = std::thread([this, &actor, run = std::move(body)] {
    actor.turn.Take();
    g_current = &actor;
    if (!actor.killed) run();
    actor.ended = true;
    back_.Give();
  });
}

Status Scheduler::Yield() {
  auto* actor = static_cast<Actor*>(g_current);
  if (actor == nullptr) return {};
  if (!actor->killed) {
    back_.Give();
    actor->turn.Take();
  }
  if (actor->killed) return Fail(ErrorCode::kCancelled, "killed");
  return {};
}

/// Selects an awake actor. If there is none, the selected actor wakes up.
std::size_t Scheduler::PickAwake(const std::vector<Actor*>& running) {
  std::size_t pick = 0;
  for (std::size_t tries = 0; tries < 4 * running.size(); ++tries) {
    pick = random_() % running.size();
    if (running[pick]->asleep == 0) break;
    --running[pick]->asleep;
  }
  if (random_() % 25 == 0) running[pick]->asleep = static_cast<int>(random_() % 80);
  return pick;
}

void Scheduler::Run(const std::function<bool()>& environment) {
  std::vector<Actor*> running;
  running.reserve(actors_.size());
  for (auto& actor : actors_) running.push_back(actor.get());
  while (!running.empty()) {
    const std::size_t pick = PickAwake(running);
    Actor& actor = *running[pick];
    if (environment()) actor.killed = true;
    actor.turn.Give();
    back_.Take();
    if (actor.ended) running.erase(running.begin() + static_cast<std::ptrdiff_t>(pick));
  }
}

}  // namespace kinetic::test
