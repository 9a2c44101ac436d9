// Runs its functions in the images of a cluster: native_program PROFILE IMAGE
#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>

#include <fstream>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

double Sum(const std::vector<double>& numbers) {
  std::cout << "adding " << numbers.size() << " numbers\n";
  std::ofstream(kinetic::CurrentJob()->output / "count.txt") << numbers.size();
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}
KINETIC_FUNCTION(Sum);

[[gnu::noinline]] void Refuse(int number) {
  if (number > 0) throw std::domain_error("positive: " + std::to_string(number));
}
KINETIC_FUNCTION(Refuse);

kinetic::Result<kinetic::Outcome> RunIn(kinetic::Client& client, kinetic::JobSpec spec,
                                        const std::string& image) {
  spec.image = kinetic::ImageSpec{.uri = image, .dockerfile = {}, .context = {}};
  KINETIC_ASSIGN_OR_RETURN(const kinetic::Job job, client.Submit(spec));
  return job.Wait();
}

kinetic::Status Run(const std::string& profile, const std::string& image) {
  KINETIC_ASSIGN_OR_RETURN(auto client, kinetic::Client::Open(kinetic::LoadProfile(profile)));
  const std::vector<double> numbers(100'000, 0.5);
  KINETIC_ASSIGN_OR_RETURN(const auto sum,
                           RunIn(client, kinetic::JobSpec::Call(&Sum, numbers), image));
  std::cout << sum << ' ' << sum.value.ToJson() << '\n';
  KINETIC_ASSIGN_OR_RETURN(const auto refused,
                           RunIn(client, kinetic::JobSpec::Call(&Refuse, 3), image));
  std::cout << refused << '\n';
  if (refused.exception) std::cout << refused.exception->Format();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  if (argc != 3) return 2;
  const auto done = Run(argv[1], argv[2]);
  if (!done) kinetic::Report(std::cerr, done.error());
  return done ? 0 : 1;
}
