// Servers that do not respond are reported before the request times out.

#include "support/curl_transport.h"
#include "support/raw_server.h"

#include <future>
#include <mutex>
#include <string>
#include <thread>
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

/// A byte now and then is no progress, neither of a response nor of a request.
TEST(CurlTransport, EndsTricklingTransfers) {
  for (const bool uploads : {false, true}) {
    RawServer server([&](Connection& connection, int) {
      connection.ReadHead();
      if (!uploads) connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      for (int i = 0; i < 100; ++i) {
        if (uploads) connection.ReadBytes(1);
        if (!uploads) connection.Send("x");
        std::this_thread::sleep_for(milliseconds(100));
      }
    });
    auto request =
        uploads ? Put(server.Url(), std::make_shared<PatternBody>(64U << 20)) : Get(server.Url());
    request.stall_timeout = milliseconds(1'000);
    const auto response = MakeTransport()->Send(request, {});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kDeadlineExceeded) << response.error().message;
    const bool is_named = response.error().message.find(
                              "less than 1024 bytes per second for 4 s") != std::string::npos;
    EXPECT_TRUE(uploads || is_named) << response.error().message;
  }
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
