#include "http/retry.h"
#include "support/curl_transport.h"
#include "support/raw_server.h"

#include <thread>

namespace kinetic::test {
namespace {

using std::chrono::milliseconds;

struct Fault {
  const char* name;
  void (*act)(Connection&);
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class TransientFault : public testing::TestWithParam<Fault> {};

TEST_P(TransientFault, IsRetryable) {
  RawServer server([&](Connection& connection, int) { GetParam().act(connection); });
  auto request = Get(server.Url() + "/o?upload_id=hidden");
  request.stall_timeout = milliseconds(1000);
  const auto response = MakeTransport()->Send(request, {});
  ASSERT_FALSE(response);
  EXPECT_TRUE(http::IsRetryable(response.error(), http::Idempotency::kIdempotent))
      << response.error().message;
  EXPECT_FALSE(http::IsRetryable(response.error(), http::Idempotency::kNonIdempotent));
  EXPECT_TRUE(
      response.error().message.starts_with("GET " + server.Url() + "/o?upload_id=[secret]: "))
      << response.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Faults, TransientFault,
    testing::Values(
        Fault{"closed_at_once", [](Connection& c) { c.ReadHead(); }},
        Fault{"reset_before_the_answer",
              [](Connection& c) {
                c.ReadHead();
                c.Reset();
              }},
        Fault{"half_a_head",
              [](Connection& c) {
                c.ReadHead();
                c.Send("HTTP/1.1 200 OK\r\nContent-Le");
              }},
        Fault{"half_a_body",
              [](Connection& c) {
                c.ReadHead();
                c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345");
              }},
        Fault{"reset_in_the_body",
              [](Connection& c) {
                c.ReadHead();
                c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345");
                c.Reset();
              }},
        Fault{"chunks_without_an_end",
              [](Connection& c) {
                c.ReadHead();
                c.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n");
              }},
        Fault{"no_http",
              [](Connection& c) {
                c.ReadHead();
                c.Send("SSH-2.0-OpenSSH_9.2\r\n\r\n");
              }},
        Fault{"silence",
              [](Connection& c) {
                c.ReadHead();
                c.AwaitClose();
              }},
        Fault{"silence_in_the_body",
              [](Connection& c) {
                c.ReadHead();
                c.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345");
                c.AwaitClose();
              }}),
    [](const auto& chosen) { return std::string(chosen.param.name); });

TEST(ConnectionError, RefusedConnectionSendsNothing) {
  std::uint16_t port = 0;
  {
    const RawServer gone([](Connection&, int) {});
    port = gone.port();
  }
  const auto response = MakeTransport()->Send(Get("http://127.0.0.1:" + std::to_string(port)), {});
  ASSERT_FALSE(response);
  EXPECT_TRUE(http::IsRetryable(response.error(), http::Idempotency::kNonIdempotent));
}

TEST(ConnectionError, NamesAnUnknownHost) {
  const auto response = MakeTransport()->Send(Get("http://no-such-host.invalid/"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(response.error().message.find("no-such-host.invalid"), std::string::npos);
}

TEST(ConnectionError, RejectsInvalidUrls) {
  for (const char* url : {"ftp://h/x", "file:///etc/passwd", "nothing", "http://"}) {
    const auto response = MakeTransport()->Send(Get(url), {});
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument) << response.error().message;
  }
}

TEST(ConnectionError, AcceptsASlowServer) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n");
    for (int i = 0; i < 8; ++i) {
      std::this_thread::sleep_for(milliseconds(300));
      connection.Send("x");
    }
  });
  auto request = Get(server.Url());
  request.stall_timeout = milliseconds(1500);
  const auto response = MakeTransport()->Send(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "xxxxxxxx");
}

TEST(ConnectionError, DetectsAnUnreachableServer) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.StopReceiving();
    connection.AwaitClose();
  });
  curl::Options options;
  options.peer_timeout = std::chrono::seconds(1);
  for (auto request :
       {Get(server.Url()), Put(server.Url(), std::make_shared<PatternBody>(256U << 20))}) {
    request.stall_timeout = milliseconds(0);
    const auto response = MakeTransport(options)->Send(request, {});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable) << response.error().message;
  }
}

TEST(ConnectionError, DetectsAnUnreadBody) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    std::this_thread::sleep_for(std::chrono::seconds(4));
  });
  auto request = Put(server.Url(), std::make_shared<PatternBody>(256U << 20));
  request.stall_timeout = milliseconds(1000);
  const auto response = MakeTransport()->Send(request, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_NE(response.error().message.find("no data for 1 s"), std::string::npos)
      << response.error().message;
}

}  // namespace
}  // namespace kinetic::test
