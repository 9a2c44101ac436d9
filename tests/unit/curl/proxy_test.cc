#include "support/curl_transport.h"
#include "support/raw_server.h"

namespace kinetic::test {
namespace {

curl::Options Through(const RawServer& proxy) {
  curl::Options options;
  options.proxy = proxy.Url();
  return options;
}

TEST(Proxy, ReceivesTheRequest) {
  std::string head;
  RawServer proxy([&](Connection& connection, int) {
    head = connection.ReadHead();
    connection.Send(AnswerText(200, "by proxy"));
  });
  const auto response = MakeTransport(Through(proxy))->Send(Get("http://far.example/x"), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "by proxy");
  EXPECT_TRUE(head.starts_with("GET http://far.example/x HTTP/1.1")) << head;
}

TEST(Proxy, IsBypassedForNoProxyHosts) {
  RawServer proxy([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(502, "wrong way"));
  });
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(200, "direct"));
  });
  auto options = Through(proxy);
  options.no_proxy = "example.org,127.0.0.1";
  const auto response = MakeTransport(options)->Send(Get(server.Url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "direct");
}

TEST(Proxy, IsNotUsedForThisMachine) {
  RawServer proxy([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(502, "wrong way"));
  });
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(200, "direct"));
  });
  EXPECT_EQ(MakeTransport(Through(proxy))->Send(Get(server.Url()), {})->body, "direct");
}

/// The host that is dialled decides, not the name in the certificate.
TEST(Proxy, IsChosenByTheDialledHost) {
  RawServer proxy([&](Connection& connection, int) {
    EXPECT_TRUE(connection.ReadHead().starts_with("CONNECT kube.example:443 "));
    connection.Send(AnswerText(502, ""));
  });
  auto options = Through(proxy);
  options.tls_server_name = "inner.example";
  options.no_proxy = "inner.example";
  EXPECT_FALSE(MakeTransport(options)->Send(Get("https://kube.example/x"), {}));
  EXPECT_EQ(proxy.connections(), 1);
}

/// A redirect may lead to a host with another rule.
TEST(Proxy, IsChosenAgainForARedirect) {
  RawServer proxy([&](Connection& connection, int) {
    EXPECT_TRUE(connection.ReadHead().starts_with("GET http://blobs.example/x "));
    connection.Send(AnswerText(200, "by proxy"));
  });
  RawServer registry([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(307, "", "Location: http://blobs.example/x\r\n"));
  });
  http::Request request = Get(registry.Url());
  request.follow_redirects = true;
  const auto response = MakeTransport(Through(proxy))->Send(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "by proxy");
}

/// Returns the URL of a port that refuses connections.
std::string RefusedUrl() {
  const RawServer closed([](Connection&, int) {});
  return closed.Url();
}

TEST(Proxy, ThatRefusesConnectionsIsNamed) {
  const std::string proxy = RefusedUrl();
  curl::Options options;
  options.proxy = "https=http://ana:pw@" + proxy.substr(proxy.find("//") + 2);
  const auto response = MakeTransport(options)->Send(Get("https://far.example/x"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "GET https://far.example/x: Failed to connect to the proxy " +
                                          proxy.substr(proxy.find("//") + 2) +
                                          ": connection refused");
}

TEST(Proxy, IgnoresTheEnvironment) {
  RawServer proxy([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(502, "wrong way"));
  });
  RawServer server([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(200, "direct"));
  });
  ::setenv("http_proxy", proxy.Url().c_str(), 1);
  const auto response = MakeTransport()->Send(Get(server.Url()), {});
  ::unsetenv("http_proxy");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "direct");
}

TEST(Proxy, ReportsThatAuthenticationIsRequired) {
  RawServer proxy([&](Connection& connection, int) {
    connection.ReadHead();
    connection.Send(AnswerText(407, "", "Proxy-Authenticate: Basic realm=\"x\"\r\n"));
  });
  const auto response = MakeTransport(Through(proxy))->Send(Get("https://far.example/x"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnauthenticated) << response.error().message;
  EXPECT_NE(response.error().message.find("407"), std::string::npos);
  EXPECT_FALSE(response.error().hint.empty());
}

}  // namespace
}  // namespace kinetic::test
