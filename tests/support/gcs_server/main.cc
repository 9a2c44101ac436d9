#include "support/gcs_server/server.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace kinetic::gcs_server {
namespace {

struct Flags {
  Options options;
  std::string faults_file;
  std::vector<std::string> tokens;
  std::vector<std::string> buckets;
  bool no_md5 = false;
  int change_interval_ms = 1'000;
};

void Declare(CLI::App& app, Flags& flags) {
  app.add_option("--host", flags.options.host, "address to listen on")->capture_default_str();
  app.add_option("--port", flags.options.port, "0: a free one, which is printed");
  app.add_option("--data-dir", flags.options.data_dir, "where contents go; emptied at the end");
  app.add_option("--faults", flags.faults_file, "a JSON file of faults")->check(CLI::ExistingFile);
  app.add_option("--token", flags.tokens, "a bearer token that is taken; without any, all are");
  app.add_option("--bucket", flags.buckets, "a bucket to begin with");
  app.add_option("--page-limit", flags.options.behavior.page_limit, "the most objects of a page");
  app.add_flag("--empty-pages", flags.options.behavior.empty_pages, "pages without items between");
  app.add_option("--change-interval", flags.change_interval_ms,
                 "milliseconds between two changes of an object");
  app.add_flag("--no-md5", flags.no_md5, "no MD5 sums but where a client declares one: faster");
}

bool LoadFaults(const std::string& file, Server& server) {
  if (file.empty()) return true;
  std::ifstream stream(file);
  const auto problem =
      server.faults().Load(nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false));
  if (problem) std::fprintf(stderr, "gcs-server: %s: %s\n", file.c_str(), problem->c_str());
  return !problem;
}

int Run(Flags flags) {
  for (const std::string& token : flags.tokens) {
    flags.options.accounts.push_back({token, "robot@p.iam.gserviceaccount.com", {}});
  }
  flags.options.behavior.change_interval = std::chrono::milliseconds(flags.change_interval_ms);
  flags.options.behavior.md5 = !flags.no_md5;
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // for the threads of the server, too
  const auto server = Server::Start(flags.options);
  if (!server) {
    std::fprintf(stderr, "gcs-server: cannot listen on port %d or write to %s\n",
                 flags.options.port, flags.options.data_dir.c_str());
    return 1;
  }
  if (!LoadFaults(flags.faults_file, *server)) return 2;
  for (const std::string& bucket : flags.buckets) server->CreateBucket(bucket);
  std::printf("%s\n", server->Url().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  return 0;
}

}  // namespace
}  // namespace kinetic::gcs_server

int main(int argc, char** argv) {
  CLI::App app("A strict stand-in for Google Cloud Storage's JSON API");
  kinetic::gcs_server::Flags flags;
  kinetic::gcs_server::Declare(app, flags);
  CLI11_PARSE(app, argc, argv);
  return kinetic::gcs_server::Run(std::move(flags));
}
