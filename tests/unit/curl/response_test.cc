#include "support/curl_transport.h"
#include "support/raw_server.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

namespace kinetic::test {
namespace {

using std::chrono::milliseconds;

TEST(Response, HasStatusHeadersAndBody) {
  std::string head;
  RawServer server([&](Connection& connection, int) {
    head = connection.ReadHead();
    connection.Send(AnswerText(200, "hello", "X-A: 1\r\nx-a: 2\r\n"));
  });
  const auto transport = MakeTransport();
  auto request = Get(server.Url() + "/p?q=1");
  request.headers = {{"X-Sent", "yes"}, {"X-Empty", ""}};
  const auto response = transport->Send(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->headers.Joined("X-A"), "1, 2");
  EXPECT_EQ(response->body, "hello");
  EXPECT_TRUE(head.starts_with("GET /p?q=1 HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("X-Sent: yes\r\n"), std::string::npos);
  EXPECT_NE(head.find("X-Empty:\r\n"), std::string::npos);
  EXPECT_TRUE(response->timing.new_connection);
  EXPECT_EQ(response->timing.received_bytes, 5U);
}

TEST(Response, ErrorStatusIsNotAnError) {
  for (const int status : {302, 308, 400, 404, 412, 500, 503}) {
    RawServer server([&](Connection& connection, int) {
      connection.ReadHead();
      connection.Send(AnswerText(status, "why", "Location: /elsewhere\r\n"));
    });
    std::string to_sink;
    const auto response = MakeTransport()->Stream(Get(server.Url()),
                                                  [&](std::string_view piece) -> Status {
                                                    to_sink += piece;
                                                    return {};
                                                  },
                                                  {});
    ASSERT_TRUE(response) << status;
    EXPECT_EQ(response->status, status);
    EXPECT_EQ(response->body, "why");
    EXPECT_EQ(to_sink, "");
  }
}

TEST(Response, TruncatesErrorBodies) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(500, std::string(1 << 20, 'x')));
  });
  const auto response = MakeTransport()->Send(Get(server.Url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body.size(), http::kErrorBodyBytes);
}

TEST(Response, SkipsInterimResponses) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 103 Early\r\nX-Early: 1\r\n\r\n" + AnswerText(200, "done"));
  });
  const auto response = MakeTransport()->Send(Get(server.Url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 200);
  EXPECT_FALSE(response->headers.Get("X-Early"));
}

TEST(Response, ReportsTheHeadBeforeTheBody) {
  std::promise<int> begun;
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n");
    EXPECT_EQ(begun.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
    connection.Send("x");
  });
  auto request = Get(server.Url());
  request.on_head = [&](const http::Response& head) { begun.set_value(head.status); };
  const auto response = MakeTransport()->Send(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "x");
}

TEST(Response, IsDecompressed) {
  constexpr std::string_view kPacked(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\xc8\x49\xcc\xcc\x53\x28\x18\x25\x89\x20\x01\x05"
      "\xb2\x1b\xfe\x2c\x01\x00\x00",
      30);
  std::string plain;
  for (int i = 0; i < 50; ++i) plain += "plain ";
  RawServer server([&](Connection& connection, int) {
    const bool wanted = connection.ReadHead().find("Accept-Encoding: gzip") != std::string::npos;
    connection.Send(wanted ? AnswerText(200, kPacked, "Content-Encoding: gzip\r\n")
                           : AnswerText(200, "as it is"));
  });
  EXPECT_EQ(MakeTransport()->Send(Get(server.Url()), {})->body, "as it is");
  curl::Options options;
  options.compressed = true;
  const auto response = MakeTransport(options)->Send(Get(server.Url()), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, plain);
}

TEST(Response, ReusesTheConnection) {
  RawServer server([&](Connection& connection, int) {
    while (!connection.ReadHead().empty()) connection.Send(AnswerText(200, "x"));
  });
  const auto transport = MakeTransport();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(transport->Send(Get(server.Url()), {}));
  EXPECT_EQ(server.connections(), 1);
}

TEST(Response, ServesConcurrentCallers) {
  RawServer server([&](Connection& connection, int) {
    while (!connection.ReadHead().empty())
      connection.Send(AnswerText(200, std::string(100'000, 'y')));
  });
  const auto transport = MakeTransport();
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          const auto response = transport->Send(Get(server.Url()), {});
          if (response && response->body == std::string(100'000, 'y')) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right.load(), 160);
}

TEST(Response, SlowSinkLimitsBuffering) {
  constexpr std::size_t kBytes = 64U << 20;
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBytes) + "\r\n\r\n");
    const std::string block(1U << 20, 'z');
    for (std::size_t sent = 0; sent < kBytes; sent += block.size()) connection.Send(block);
  });
  std::size_t received = 0;
  std::size_t largest = 0;
  auto request = Get(server.Url());
  request.stall_timeout = milliseconds(1000);
  bool slept = false;
  const auto response = MakeTransport()->Stream(request,
                                                [&](std::string_view piece) -> Status {
                                                  // Longer than the stall timeout.
                                                  if (!std::exchange(slept, true))
                                                    std::this_thread::sleep_for(milliseconds(2500));
                                                  received += piece.size();
                                                  largest = std::max(largest, piece.size());
                                                  return {};
                                                },
                                                {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(received, kBytes);
  EXPECT_LE(largest, 4U << 20);
}

TEST(Response, ReturnsTheErrorOfTheSink) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nbegin");
    connection.AwaitClose();
  });
  const auto response = MakeTransport()->Stream(
      Get(server.Url()),
      [](std::string_view) { return Status(Fail(ErrorCode::kResourceExhausted, "disk full")); },
      {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "disk full");
}

TEST(Response, ReportsAnOversizedHeader) {
  const std::string many = [] {
    std::string fields;
    for (int i = 0; i < 500; ++i)
      fields += "x-" + std::to_string(i) + ": " + std::string(1000, 'a') + "\r\n";
    return fields;
  }();
  for (const std::string& fields : {"x: " + std::string(150'000, 'a') + "\r\n", many}) {
    RawServer server([&](Connection& connection, int) {
      connection.ReadHead();
      connection.Send("HTTP/1.1 200 OK\r\n" + fields + "Content-Length: 0\r\n\r\n");
    });
    const auto response = MakeTransport()->Send(Get(server.Url()), {});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(response.error().message.find("the header of the response is too large"),
              std::string::npos)
        << response.error().message;
    EXPECT_NE(response.error().hint.find("proxy"), std::string::npos);
  }
}

TEST(Response, RejectsBodiesAboveTheLimit) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(200, std::string(5000, 'x')));
  });
  const auto response = MakeTransport()->Send(Get(server.Url()), {}, 1000);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kResourceExhausted);
}

TEST(Redirect, DropsCredentialsForAnotherHost) {
  std::string redirected;
  RawServer other([&](Connection& connection, int) {
    redirected = connection.ReadHead();
    connection.Send(AnswerText(200, "from there"));
  });
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(
        302, "", "Location: http://localhost:" + std::to_string(other.port()) + "/x\r\n"));
  });
  auto request = Get(server.Url());
  request.follow_redirects = true;
  request.headers = {{"Authorization", "Bearer secret"}, {"X-Kept", "1"}};
  const auto response = MakeTransport()->Send(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "from there");
  EXPECT_EQ(redirected.find("Bearer"), std::string::npos) << redirected;
  EXPECT_NE(redirected.find("X-Kept"), std::string::npos);
}

TEST(Stop, CancelsAWaitingRequest) {
  std::atomic<bool> received{false};
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    received = true;
    connection.AwaitClose();
  });
  std::stop_source source;
  const std::jthread stopper([&] {
    while (!received) std::this_thread::sleep_for(milliseconds(5));
    source.request_stop();
  });
  const auto response = MakeTransport()->Send(Get(server.Url()), source.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
}

TEST(Stop, BeforeTheStartSendsNothing) {
  std::stop_source source;
  source.request_stop();
  const auto response = MakeTransport()->Send(Get("http://127.0.0.1:1/"), source.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace kinetic::test
