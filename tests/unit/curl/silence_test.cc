// Servers that do not respond are reported before the request times out.

#include "support/curl_transport.h"
#include "support/raw_server.h"

#include <future>
#include <mutex>
#include <string>
#include <vector>

namespace kinetic::test {
namespace {

using std::chrono::milliseconds;

struct Silence {
  const char* name;
  const char* scheme;
  void (*begin)(Connection&);  ///< what the server does before it becomes silent
};

constexpr Silence kSilences[] = {{"no_response", "http", [](Connection& c) { c.ReadHead(); }},
                                 {"unfinished_head", "http",
                                  [](Connection& c) {
                                    c.ReadHead();
                                    c.Send("HTTP/1.1 200 OK\r\nContent-Le");
                                  }},
                                 {"unfinished_body", "http",
                                  [](Connection& c) {
                                    c.ReadHead();
                                    c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345");
                                  }},
                                 {"unfinished_tls_handshake", "https", [](Connection&) {}}};

/// Sends a request and returns the times that on_silence received.
std::vector<milliseconds> ReportsOf(const Silence& silence) {
  RawServer server([&](Connection& connection, int) {
    silence.begin(connection);
    connection.AwaitClose();
  });
  std::mutex mutex;
  std::vector<milliseconds> reports;
  auto request = Get(silence.scheme + server.Url().substr(server.Url().find("://")) + "/o");
  request.stall_timeout = request.connect_timeout = http::kSilence + milliseconds(2'000);
  request.on_silence = [&](milliseconds silent) {
    const std::lock_guard lock(mutex);
    reports.push_back(silent);
  };
  EXPECT_FALSE(MakeTransport()->Send(request, {})) << silence.name;
  return reports;
}

TEST(CurlTransport, ReportsSilentServers) {
  std::vector<std::future<std::vector<milliseconds>>> all;
  for (const Silence& silence : kSilences) {
    all.push_back(std::async(std::launch::async, [&] { return ReportsOf(silence); }));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto reports = all[i].get();
    ASSERT_EQ(reports.size(), 1U) << kSilences[i].name;
    EXPECT_GE(reports.front(), http::kSilence) << kSilences[i].name;
  }
}

}  // namespace
}  // namespace kinetic::test
