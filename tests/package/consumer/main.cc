// A third-party program: runs a function on this machine and prints its value.
#include <kinetic/kinetic.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path folder = argv[1];
  auto spec = kinetic::JobSpec::Function("double:double").Arg("number", 21).Bundle(folder);
  spec.dependencies.none = true;

  kinetic::ClientOptions options;
  options.profile.store = (folder / "store").string();
  options.state_dir = folder / "state";
  options.cache_dir = folder / "cache";
  options.runner = argv[2];
  options.search_path = argv[3];
  options.owner = "consumer";
  const auto run = [&]() -> kinetic::Result<int> {
    KINETIC_ASSIGN_OR_RETURN(auto client, kinetic::Client::Open(options));
    KINETIC_ASSIGN_OR_RETURN(const auto job, client.Submit(spec));
    KINETIC_ASSIGN_OR_RETURN(const auto outcome, job.Wait());
    return outcome.As<int>();
  };
  const auto value = run();
  if (value) std::cout << *value << '\n';
  if (!value) kinetic::Report(std::cerr, value.error());
  return value ? 0 : 1;
}
