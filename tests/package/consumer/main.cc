// A third-party program: runs a function on this machine and prints its value.
#include <kinetic/kinetic.h>

#include <cstdlib>
#include <iostream>

namespace {

int Complain(const kinetic::Error& error) {
  std::cerr << kinetic::Name(error.code) << ": " << error.message << '\n' << error.hint << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path folder = argv[1];

  kinetic::JobFileOptions file;
  file.directory = folder;
  const auto spec = kinetic::ParseJobFile(
      "function: double:double\nargs: {number: 21}\ndependencies: null\nbundle: {root: .}\n",
      folder / "job.yaml", file);
  if (!spec) return Complain(spec.error());

  kinetic::ClientOptions options;
  options.profile.store = (folder / "store").string();
  options.state_dir = folder / "state";
  options.cache_dir = folder / "cache";
  options.runner = argv[2];
  options.search_path = argv[3];
  options.owner = "consumer";
  auto client = kinetic::Client::Open(options);
  if (!client) return Complain(client.error());
  auto job = client->Submit(*spec, {});
  if (!job) return Complain(job.error());
  const auto outcome = job->Wait();
  if (!outcome) return Complain(outcome.error());
  std::cout << outcome->value.ToJson() << '\n';
  return outcome->exit_code;
}
