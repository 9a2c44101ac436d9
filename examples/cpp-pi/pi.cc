// Estimates pi with one C++ function as an array of 20 tasks, and combines their results as they
// arrive.
//
//     pi [PROFILE [IMAGE]]
#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>

#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <tuple>
#include <utility>
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

kinetic::Status EstimatePi(const std::string& profile, const std::string& image) {
  constexpr std::uint64_t kTasks = 20;
  constexpr std::uint64_t kSamples = 500'000;
  KINETIC_ASSIGN_OR_RETURN(auto client, kinetic::Client::Open(kinetic::LoadProfile(profile)));
  std::vector<std::tuple<std::uint64_t, std::uint64_t>> inputs;
  for (std::uint64_t seed = 0; seed < kTasks; ++seed) inputs.emplace_back(seed, kSamples);
  auto spec = kinetic::JobSpec::CallEach(&CountHits, inputs);
  if (!image.empty()) spec.image.emplace().uri = image;
  KINETIC_ASSIGN_OR_RETURN(kinetic::Job job, client.Submit(spec));
  Hits total;
  const kinetic::TasksOf<Hits> tasks(std::move(job));
  return tasks.Each([&](std::uint32_t, kinetic::Result<Hits> hits) -> kinetic::Status {
    if (!hits) return kinetic::Failure(hits.error());
    total.inside += hits->inside;
    total.samples += hits->samples;
    std::cout << total.samples << " samples: pi is about "
              << 4.0 * static_cast<double>(total.inside) / static_cast<double>(total.samples)
              << std::endl;
    return {};
  });
}

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  const auto done = EstimatePi(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
  if (!done) kinetic::Report(std::cerr, done.error());
  return done ? 0 : 1;
}
