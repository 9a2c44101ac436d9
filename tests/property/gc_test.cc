// Writers, readers, collectors, kills, sleeping machines, clock jumps and a lifecycle rule,
// interleaved at every call of the store: docs/adr/0004-garbage-collection.md.
//
// With wrong clocks, every client's date and the Date of every response is off by −60 to 400 days.
//
// KINETIC_GC_RUNS=100000 runs longer (KINETIC_GC_STORE_RUNS in a bucket and in a folder), starting
// at KINETIC_GC_FIRST. KINETIC_GC_SEED=7 repeats one run and prints its events.

#include "gc_world.h"
#include "store/folder_store.h"
#include "store/gcs_store.h"
#include "support/bucket_server.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <random>

namespace kinetic::test {
namespace {

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

enum class Clocks : std::uint8_t { kRight, kWrong };

/// Runs `otherwise` games, or as many as the environment variable `setting` specifies.
void Play(const char* setting, std::uint64_t otherwise, Clocks clocks,
          const GcWorld::MakeStore& make_store) {
  const bool replay = std::getenv("KINETIC_GC_SEED") != nullptr;
  const std::uint64_t first = Setting(replay ? "KINETIC_GC_SEED" : "KINETIC_GC_FIRST", 1);
  const std::uint64_t runs = replay ? 1 : Setting(setting, otherwise);
  GcWorld::Counts total;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    GcWorld world(seed, make_store, clocks == Clocks::kWrong);
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

std::unique_ptr<store::Store> InMemory(Clock& clock) {
  return std::make_unique<MemoryStore>(clock);
}

TEST(GarbageCollection, RemovesExactlyTheUnneeded) {
  Play("KINETIC_GC_RUNS", 200, Clocks::kRight, InMemory);
}

TEST(GarbageCollection, RemovesExactlyTheUnneededWithWrongClocks) {
  Play("KINETIC_GC_RUNS", 200, Clocks::kWrong, InMemory);
}

TEST(GarbageCollection, RemovesExactlyTheUnneededInFolder) {
  std::optional<TempTree> folder;  // of one run
  Play("KINETIC_GC_STORE_RUNS", 20, Clocks::kWrong, [&](Clock& clock) {
    folder.emplace();
    return std::make_unique<store::FolderStore>(folder->path(), PosixFileSystem(), clock);
  });
}

class InBucket : public testing::TestWithParam<Clocks> {};

TEST_P(InBucket, RemovesExactlyTheUnneeded) {
  std::optional<BucketServer> server;  // of one run
  std::optional<SkewedClock> client;
  std::mt19937 random(7);
  Play("KINETIC_GC_STORE_RUNS", 6, GetParam(), [&](Clock& clock) {
    server.emplace(clock);
    const int days = GetParam() == Clocks::kWrong ? 400 : 0;
    if (days > 0) server->server().dates().Set(-60 * 24, days * 24);
    client.emplace(clock, [&random, days, calls = 0, skew = std::chrono::hours(0)]() mutable {
      if (calls++ % 64 == 0) {
        std::uniform_int_distribution<int> some(-days / 6, days);
        skew = std::chrono::hours(24 * some(random));
      }
      return skew;
    });
    const gcs::ClientOptions options{.endpoint = server->Url()};
    return std::make_unique<store::GcsStore>(server->Connect(), *client,
                                             store::BucketLocation{"bucket", "a/folder/"}, options);
  });
}

INSTANTIATE_TEST_SUITE_P(Clocks, InBucket, testing::Values(Clocks::kRight, Clocks::kWrong),
                         [](const auto& one) {
                           return one.param == Clocks::kRight ? "Right" : "Wrong";
                         });

}  // namespace
}  // namespace kinetic::test
