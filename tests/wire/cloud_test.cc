#include "kinetic/value.h"

#include "connect/cloud_options.h"
#include "connect/lazy_connection.h"
#include "support/certificates.h"
#include "support/curl_transport.h"
#include "support/raw_server.h"
#include "support/temp_tree.h"
#include "support/tls_server.h"
#include "support/token_server.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace kinetic::test {
namespace {

class Lines final : public LogSink {
 public:
  void Write(LogLevel, std::string_view, std::string_view message) override {
    const std::lock_guard lock(mutex_);
    text_ += std::string(message) + "\n";
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

class Traces final : public RequestSink {
 public:
  void Write(const RequestTrace& trace) override {
    const std::lock_guard lock(mutex_);
    traces_.push_back(trace);
  }
  std::vector<RequestTrace> traces() const {
    const std::lock_guard lock(mutex_);
    return traces_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<RequestTrace> traces_;
};

/// A storage service that records the heads of its requests and accepts tokens for which `Takes`
/// holds.
class Service {
 public:
  std::string Url() const { return server_.Url(); }
  std::vector<std::string> heads() const {
    const std::lock_guard lock(mutex_);
    return heads_;
  }
  void Take(std::string token) {
    const std::lock_guard lock(mutex_);
    taken_ = std::move(token);
  }

 private:
  int StatusOf(const std::string& head) {
    const std::lock_guard lock(mutex_);
    heads_.push_back(head);
    return head.find(taken_) != std::string::npos ? 200 : 401;
  }

  mutable std::mutex mutex_;
  std::vector<std::string> heads_;
  std::string taken_;
  RawServer server_{[this](Connection& connection, int) {
    std::string head;
    while (!(head = connection.ReadHead()).empty()) {
      connection.Send(AnswerText(StatusOf(head), "x"));
    }
  }};
};

class CloudConnection : public testing::Test {
 protected:
  CloudOptions WithUser() {
    CloudOptions options;
    options.credential_file = tree_.Write("user.json", tokens_.UserJson());
    options.allow_loopback = true;
    options.storage_endpoint = service_.Url();
    return options;
  }
  Result<std::shared_ptr<connect::Connection>> Open(const CloudOptions& options) {
    return connect::Connection::Open(options, deps_, {});
  }
  int StatusThrough(const CloudOptions& options, const std::string& url) {
    const auto connection = Open(options);
    if (!connection) return -1;
    const auto response = (*connection)->Send(Get(url), {});
    return response ? response->status : 0;
  }

  Lines log_;
  connect::Dependencies deps_{.fs = PosixFileSystem(), .clock = SystemClock(), .log = &log_};
  TokenServer tokens_;
  Service service_;
  TempTree tree_;
};

TEST_F(CloudConnection, SendsCredentialAndUserProject) {
  service_.Take("Bearer token-1");
  EXPECT_EQ(StatusThrough(WithUser(), service_.Url()), 200);
  const auto heads = service_.heads();
  ASSERT_EQ(heads.size(), 1U);
  EXPECT_NE(heads[0].find("x-goog-user-project: billed\r\n"), std::string::npos);
  auto options = WithUser();
  options.quota_project = "other";
  service_.Take("Bearer token-");
  EXPECT_EQ(StatusThrough(options, service_.Url()), 200);
  EXPECT_NE(service_.heads().back().find("x-goog-user-project: other\r\n"), std::string::npos);
}

TEST_F(CloudConnection, RenewsRejectedToken) {
  service_.Take("Bearer token-2");
  EXPECT_EQ(StatusThrough(WithUser(), service_.Url()), 200);
  EXPECT_EQ(service_.heads().size(), 2U);
}

TEST_F(CloudConnection, SendsNoTokenToAnotherHost) {
  Service other;
  const auto connection = Open(WithUser());
  ASSERT_TRUE(connection) << connection.error().message;
  const auto response = (*connection)->Send(Get(other.Url()), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kPermissionDenied) << response.error().message;
  EXPECT_TRUE(other.heads().empty());
}

TEST_F(CloudConnection, UsesNewLogin) {
  const auto connection = Open(WithUser());
  ASSERT_TRUE(connection) << connection.error().message;
  service_.Take("Bearer token-1");
  EXPECT_EQ((*connection)->Send(Get(service_.Url()), {})->status, 200);
  tokens_.Revoke();
  service_.Take("fresh");
  const auto refused = (*connection)->Send(Get(service_.Url()), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnauthenticated);
  tree_.Write("user.json", tokens_.ServiceAccountJson());
  service_.Take("Bearer ey");
  EXPECT_EQ((*connection)->Send(Get(service_.Url()), {})->status, 200);
}

TEST_F(CloudConnection, SendsNoDefaultCredentialToEmulator) {
  CloudOptions options;
  options.well_known_file = tree_.Write("known.json", tokens_.UserJson());
  options.allow_loopback = true;
  options.quota_project = "p";
  options.storage_endpoint = service_.Url();
  EXPECT_EQ(StatusThrough(options, service_.Url()), 200);
  ASSERT_EQ(service_.heads().size(), 1U);
  EXPECT_EQ(service_.heads()[0].find("uthorization"), std::string::npos);
  EXPECT_EQ(service_.heads()[0].find("x-goog"), std::string::npos);
  EXPECT_EQ(tokens_.tokens(), 0);

  options.access_token = "named";
  EXPECT_EQ(StatusThrough(options, service_.Url()), 200);
  EXPECT_NE(service_.heads().back().find("Bearer named"), std::string::npos);

  options.access_token.clear();
  options.storage_endpoint = "https://storage.us-east1.rep.googleapis.com";
  EXPECT_TRUE(connect::AllowsFoundCredential(options));
  for (const char* stranger : {"https://googleapis.com.example", "http://storage.googleapis.com",
                               "https://storage.googleapis.example", "nonsense"}) {
    options.storage_endpoint = stranger;
    EXPECT_FALSE(connect::AllowsFoundCredential(options)) << stranger;
  }
}

TEST_F(CloudConnection, UsesTheProxyOfTheScheme) {
  std::vector<std::string> lines;
  std::mutex mutex;
  RawServer proxy([&](Connection& connection, int) {
    std::string head;
    while (!(head = connection.ReadHead()).empty()) {
      const std::lock_guard lock(mutex);
      lines.push_back(head.substr(0, head.find("\r\n")));
      const std::size_t at = head.find("Content-Length: ");
      if (at != std::string::npos) connection.ReadBytes(std::stoul(head.substr(at + 16)));
      connection.Send(AnswerText(200, R"({"access_token":"by-proxy","expires_in":3600})"));
    }
  });
  auto options = WithUser();
  options.proxy = "https=http://closed.example http=" + proxy.Url();
  options.storage_endpoint = "http://far.example";
  EXPECT_EQ(StatusThrough(options, "http://far.example/o"), 200);
  EXPECT_EQ(lines, std::vector<std::string>{"GET http://far.example/o HTTP/1.1"});
  EXPECT_EQ(tokens_.tokens(), 1) << "this machine's token service needs no proxy";
}

TEST_F(CloudConnection, MetadataServerBypassesProxy) {
  RawServer proxy([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(502, "wrong way"));
  });
  CloudOptions options;
  options.metadata_url = tokens_.Url();
  options.proxy = proxy.Url();
  const auto connection = Open(options);
  ASSERT_TRUE(connection) << connection.error().message;
  EXPECT_EQ((*connection)->Token({})->value, "token-1");
  EXPECT_EQ(proxy.connections(), 0);
}

TEST_F(CloudConnection, LogsEveryRequestAndNoSecret) {
  service_.Take("Bearer token-1");
  Traces traces;
  auto options = WithUser();
  options.requests = &traces;
  EXPECT_EQ(StatusThrough(options, service_.Url() + "/o?upload_id=secret-id&prefix=a"), 200);
  const auto seen = traces.traces();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].method, "POST");
  EXPECT_EQ(seen[0].url, tokens_.Url() + "/token");
  EXPECT_GT(seen[0].sent_bytes, 0U);
  EXPECT_EQ(seen[1].url, service_.Url() + "/o?upload_id=[secret]&prefix=a");
  EXPECT_EQ(seen[1].status, 200);
  EXPECT_EQ(seen[1].received_bytes, 1U);
  EXPECT_TRUE(seen[1].new_connection);
  EXPECT_GE(seen[1].end, seen[1].first_byte);
  const std::string log = log_.text();
  EXPECT_NE(log.find("> Authorization: [secret]\n"), std::string::npos) << log;
  for (const char* secret : {"token-1", "secret-id", "1//refresh", "s/e+c&t="}) {
    EXPECT_EQ(log.find(secret), std::string::npos) << secret;
  }
}

TEST_F(CloudConnection, TrustsOnlyTheCaFile) {
  const Authority authority;
  const Authority stranger;
  const TlsServer server(authority.Issue({"127.0.0.1"}));
  CloudOptions options;
  options.access_token = "t";
  options.ca_file = tree_.Write("ca.pem", authority.Pem());
  options.storage_endpoint = server.Url();
  EXPECT_EQ(StatusThrough(options, server.Url()), 200);
  tree_.Write("ca.pem", stranger.Pem());
  EXPECT_EQ(StatusThrough(options, server.Url()), 0);
}

TEST_F(CloudConnection, ReportsInvalidCaFile) {
  CloudOptions options;
  options.access_token = "t";
  options.ca_file = tree_.path() / "absent.pem";
  EXPECT_NE(Open(options).error().message.find("absent.pem"), std::string::npos);
  options.ca_file = tree_.Write("key.pem", "-----BEGIN PRIVATE KEY-----\n");
  EXPECT_EQ(Open(options).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(CloudConnection, OtherUniverseNeedsEndpoint) {
  Value json = *Value::FromJson(tokens_.ServiceAccountJson());
  json.Set("universe_domain", "example.goog");
  CloudOptions options;
  options.credential_file = tree_.Write("key.json", json.ToJson());
  options.allow_loopback = true;
  const auto refused = Open(options);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("https://storage.example.goog"), std::string::npos);
  options.storage_endpoint = "https://storage.example.goog";
  EXPECT_TRUE(Open(options));
}

TEST_F(CloudConnection, IsOpenedOnceAndLazily) {
  CloudOptions options;
  options.credential_file = tree_.path() / "absent.json";
  connect::LazyConnection connector(options, deps_);
  EXPECT_FALSE(connector.Connect({}));
  tree_.Write("absent.json", tokens_.UserJson());
  const auto first = connector.Connect({});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(connector.Connect({})->get(), first->get());
}

}  // namespace
}  // namespace kinetic::test
