#include "gc_scheduler.h"

#include <utility>

namespace kinetic::test {
namespace {

thread_local void* g_current = nullptr;

}  // namespace

Scheduler::~Scheduler() {
  for (auto& actor : actors_) actor->thread.join();
}

void Scheduler::Spawn(std::function<void()> body) {
  auto& actor = *actors_.emplace_back(std::make_unique<Actor>());
  actor.thread = std::thread([this, &actor, run = std::move(body)] {
    actor.turn.acquire();
    g_current = &actor;
    if (!actor.killed) run();
    actor.ended = true;
    back_.release();
  });
}

Status Scheduler::Yield() {
  auto* actor = static_cast<Actor*>(g_current);
  if (actor == nullptr) return {};
  if (!actor->killed) {
    back_.release();
    actor->turn.acquire();
  }
  if (actor->killed) return Fail(ErrorCode::kCancelled, "killed");
  return {};
}

void Scheduler::Run(const std::function<bool()>& environment) {
  std::vector<Actor*> running;
  for (auto& actor : actors_) running.push_back(actor.get());
  while (!running.empty()) {
    const std::size_t pick = random_() % running.size();
    Actor& actor = *running[pick];
    if (environment()) actor.killed = true;
    actor.turn.release();
    back_.acquire();
    if (actor.ended) running.erase(running.begin() + static_cast<std::ptrdiff_t>(pick));
  }
}

}  // namespace kinetic::test
