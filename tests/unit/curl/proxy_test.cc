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
