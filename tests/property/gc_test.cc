// Writers, readers, collectors, kills, sleeping machines, clock jumps and a lifecycle rule,
// interleaved at every call of the store: docs/adr/0004-garbage-collection.md.
//
// KINETIC_GC_RUNS=100000 runs longer (KINETIC_GC_BUCKET_RUNS in a bucket), starting at
// KINETIC_GC_FIRST. KINETIC_GC_SEED=7 repeats one run and prints its events.

#include "gc_world.h"
#include "store/gcs_store.h"
#include "support/bucket_server.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>

namespace kinetic::test {
namespace {

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Runs `otherwise` games, or as many as the environment variable `setting` specifies.
void Play(const char* setting, std::uint64_t otherwise, const GcWorld::MakeStore& make_store) {
  const bool replay = std::getenv("KINETIC_GC_SEED") != nullptr;
  const std::uint64_t first = Setting(replay ? "KINETIC_GC_SEED" : "KINETIC_GC_FIRST", 1);
  const std::uint64_t runs = replay ? 1 : Setting(setting, otherwise);
  GcWorld::Counts total;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    GcWorld world(seed, make_store);
    const auto fault = world.Play();
    ASSERT_FALSE(fault) << "seed " << seed << ": " << *fault << "\n" << world.trace();
    if (replay) std::fputs(world.trace().c_str(), stdout);
    total.submitted += world.counts().submitted;
    total.reused += world.counts().reused;
    total.built_on += world.counts().built_on;
    total.removed += world.counts().removed;
    total.killed += world.counts().killed;
  }
  if (replay) return;
  // The runs are only useful if these events occur.
  EXPECT_GT(total.submitted, runs * 3);
  EXPECT_GT(total.reused, runs);
  EXPECT_GT(total.built_on, runs / 5);
  EXPECT_GT(total.removed, runs);
  EXPECT_GT(total.killed, runs / 2);
}

TEST(GarbageCollection, RemovesExactlyTheUnneeded) {
  Play("KINETIC_GC_RUNS", 200, [](Clock& clock) { return std::make_unique<MemoryStore>(clock); });
}

TEST(GarbageCollection, RemovesExactlyTheUnneededInBucket) {
  std::optional<BucketServer> server;  // of one run
  Play("KINETIC_GC_BUCKET_RUNS", 6, [&](Clock& clock) {
    server.emplace(clock);
    const gcs::ClientOptions options{.endpoint = server->Url()};
    return std::make_unique<store::GcsStore>(server->Connect(), clock,
                                             store::BucketLocation{"bucket", "a/folder/"}, options);
  });
}

}  // namespace
}  // namespace kinetic::test
