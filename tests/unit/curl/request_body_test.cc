#include "support/curl_transport.h"
#include "support/raw_server.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace kinetic::test {
namespace {

using std::chrono::milliseconds;

std::size_t LengthOf(const std::string& head) {
  const std::size_t at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
}

TEST(RequestBody, IsComplete) {
  for (const std::uint64_t size : {0ULL, 1ULL, 1ULL << 20, (1ULL << 20) + 1, 37'000'001ULL}) {
    std::atomic<std::uint64_t> right{0};
    RawServer server([&](Connection& connection, int) {
      const std::string head = connection.ReadHead();
      EXPECT_EQ(head.find("Expect:"), std::string::npos);
      std::uint64_t offset = 0;
      while (offset < LengthOf(head)) {
        const std::string bytes =
            connection.ReadBytes(std::min<std::size_t>(1U << 18, LengthOf(head) - offset));
        if (bytes.empty()) break;
        for (const char byte : bytes) right += byte == PatternBody::At(offset++) ? 1U : 0U;
      }
      connection.Send(AnswerText(200, "stored"));
    });
    const auto response =
        MakeTransport()->Send(Put(server.Url(), std::make_shared<PatternBody>(size)), {});
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(right.load(), size);
    EXPECT_EQ(response->timing.sent_bytes, size);
  }
}

/// Returns long and short reads in turn.
class UnevenBody final : public http::Body {
 public:
  explicit UnevenBody(std::uint64_t size) : body_(size) {}
  std::uint64_t size_bytes() const override { return body_.size_bytes(); }
  Status Rewind() override { return body_.Rewind(); }
  Result<std::size_t> Read(std::span<char> buffer) override {
    constexpr std::array<std::size_t, 4> kReads{3, 128U << 10, 1, 70'000};
    return body_.Read(buffer.first(std::min(buffer.size(), kReads[reads_++ % kReads.size()])));
  }

 private:
  PatternBody body_;
  std::size_t reads_ = 0;
};

TEST(RequestBody, IsCompleteWithShortReads) {
  constexpr std::size_t kBytes = 3'000'001;
  std::atomic<std::uint64_t> right{0};
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    const std::string bytes = connection.ReadBytes(kBytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      right += bytes[i] == PatternBody::At(i) ? 1U : 0U;
    connection.Send(AnswerText(200, "stored"));
  });
  const auto response =
      MakeTransport()->Send(Put(server.Url(), std::make_shared<UnevenBody>(kBytes)), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(right.load(), kBytes);
}

TEST(RequestBody, IsResentOnANewConnection) {
  constexpr std::size_t kBytes = 8U << 20;
  std::atomic<std::size_t> received{0};
  RawServer server([&](Connection& connection, int number) {
    connection.ReadHead();
    if (number == 0) {
      connection.Send(AnswerText(200, "first"));
      // Closes the connection when the next request has begun.
      connection.ReadHead();
      connection.ReadBytes(1000);
      connection.Reset();
      return;
    }
    received = connection.ReadBytes(kBytes).size();
    connection.Send(AnswerText(200, "second"));
  });
  const auto transport = MakeTransport();
  ASSERT_TRUE(transport->Send(Get(server.Url()), {}));
  const auto response =
      transport->Send(Put(server.Url(), std::make_shared<PatternBody>(kBytes)), {});
  // The request is resent or fails with a retryable error; the body is never partial.
  if (response) {
    EXPECT_EQ(response->body, "second");
    EXPECT_EQ(received.load(), kBytes);
  } else {
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable) << response.error().message;
  }
}

class ShortBody final : public http::Body {
 public:
  std::uint64_t size_bytes() const override { return 5'000'000; }
  Status Rewind() override { return {}; }
  Result<std::size_t> Read(std::span<char> buffer) override {
    if (given_ >= 2'000'000) return 0;
    std::fill(buffer.begin(), buffer.end(), 'x');
    given_ += buffer.size();
    return buffer.size();
  }

 private:
  std::size_t given_ = 0;
};

TEST(RequestBody, RejectsAShorterBody) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.AwaitClose();
  });
  const auto response = MakeTransport()->Send(Put(server.Url(), std::make_shared<ShortBody>()), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kAborted);
  EXPECT_NE(response.error().message.find("became shorter"), std::string::npos);
}

class FailingBody final : public http::Body {
 public:
  std::uint64_t size_bytes() const override { return 5'000'000; }
  Status Rewind() override { return {}; }
  Result<std::size_t> Read(std::span<char>) override {
    return Fail(ErrorCode::kDataLoss, "reading a.bin: input/output error");
  }
};

TEST(RequestBody, ReadErrorEndsTheRequest) {
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.AwaitClose();
  });
  const auto response =
      MakeTransport()->Send(Put(server.Url(), std::make_shared<FailingBody>()), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "reading a.bin: input/output error");
}

}  // namespace
}  // namespace kinetic::test
