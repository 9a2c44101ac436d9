// Estimates pi with 20 jobs of one C++ function and combines their results as they arrive.
//
//     pi [PROFILE [IMAGE]]
#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Hits {
  std::uint64_t inside = 0;
  std::uint64_t samples = 0;
};
KINETIC_FIELDS(Hits, inside, samples);

// Counts random points of the unit square that are inside of the circle.
Hits CountHits(std::uint64_t seed, std::uint64_t samples) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> coordinate(0, 1);
  Hits hits{.samples = samples};
  for (std::uint64_t i = 0; i < samples; ++i) {
    const double x = coordinate(random);
    const double y = coordinate(random);
    if (x * x + y * y <= 1) ++hits.inside;
  }
  return hits;
}
KINETIC_FUNCTION(CountHits);

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);

  constexpr int kJobs = 20;
  auto client = kinetic::Client::Open(kinetic::LoadProfile(argc > 1 ? argv[1] : ""));
  if (!client) {
    kinetic::Report(std::cerr, client.error());
    return 1;
  }

  std::mutex mutex;
  Hits total;
  int failed = 0;
  const auto run = [&](std::uint64_t seed) -> kinetic::Result<Hits> {
    auto spec = kinetic::JobSpec::Call(&CountHits, seed, 500'000);
    if (argc > 2) spec.image = kinetic::ImageSpec{.uri = argv[2]};
    KINETIC_ASSIGN_OR_RETURN(const kinetic::Job job, client->Submit(spec));
    return kinetic::WaitFor<Hits>(job);
  };
  const auto combine = [&](std::uint64_t seed) {
    const auto hits = run(seed);
    const std::lock_guard lock(mutex);
    if (!hits) {
      kinetic::Report(std::cerr, hits.error());
      ++failed;
      return;
    }
    total.inside += hits->inside;
    total.samples += hits->samples;
    std::printf("%8lu samples: pi is about %.4f\n", static_cast<unsigned long>(total.samples),
                4.0 * static_cast<double>(total.inside) / static_cast<double>(total.samples));
  };
  std::vector<std::jthread> threads;
  for (int seed = 0; seed < kJobs; ++seed) threads.emplace_back(combine, seed);
  threads.clear();  // waits
  return failed == 0 ? 0 : 1;
}
