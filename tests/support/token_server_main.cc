#include "kinetic/value.h"

#include "support/token_server.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>

/// TokenServer for other programs. Prints its address and credentials as one line of JSON and
/// serves until SIGTERM. SIGUSR1 revokes the user's credential.
int main(int argc, char** argv) {
  CLI::App app("A strict stand-in for Google's token services and metadata server");
  int lifetime = 3600;
  int date_shift = 0;
  int unavailable = 0;
  bool revoked = false;
  app.add_option("--lifetime", lifetime, "of its tokens, in seconds");
  app.add_option("--date-shift", date_shift, "how many seconds its clock is ahead");
  app.add_option("--unavailable", unavailable, "how many requests are answered with 503 first");
  app.add_flag("--revoked", revoked, "the user's credential was revoked");
  CLI11_PARSE(app, argc, argv);

  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // inherited by the threads of the server
  kinetic::test::TokenServer server;
  server.LastFor(lifetime);
  server.ShiftDate(date_shift);
  server.BeUnavailable(unavailable);
  if (revoked) server.Revoke();
  const kinetic::Value line{kinetic::Value::Map{{"url", server.Url()},
                                                {"user", server.UserJson()},
                                                {"service_account", server.ServiceAccountJson()}}};
  std::printf("%s\n", line.ToJson().c_str());
  std::fflush(stdout);
  int signal = 0;
  while (sigwait(&ends, &signal) == 0 && signal == SIGUSR1) server.Revoke();
  return 0;
}
