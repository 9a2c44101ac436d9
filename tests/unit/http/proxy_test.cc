#include "http/proxy.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::http {
namespace {

struct Row {
  const char* url;
  const char* no_proxy;
  bool direct;
};

/// Go's own table (golang.org/x/net/http/httpproxy), and where curl differs, as noted.
constexpr Row kRows[] = {
    // This machine.
    {"http://localhost/", "", true},
    {"https://localhost:6443/", "", true},
    {"http://127.0.0.1:1/", "", true},
    {"http://127.0.0.2/", "", true},
    {"http://[::1]/", "", true},
    {"http://127.example/", "", false},
    {"http://localhost.example/", "", false},
    // Everything, or nothing.
    {"http://example.com/", "", false},
    {"http://example.com/", "*", true},
    {"http://example.com/", "other.com , *", true},
    {"http://example.com/", ",", false},
    // Domains.
    {"http://example.com/", "example.com", true},
    {"http://EXAMPLE.com/", "eXample.COM", true},
    {"http://www.example.com/", "example.com", true},
    {"http://myexample.com/", "example.com", false},
    {"http://example.com.evil/", "example.com", false},
    {"http://example.com./", "example.com", true},
    {"http://example.com/", "example.com.", true},
    {"http://www.example.com/", ".example.com", true},
    {"http://example.com/", ".example.com", true},  // Go: false
    {"http://www.example.com/", "*.example.com", true},
    {"http://example.com/", "*.example.com", false},
    {"http://a.b.example.com/", "x, .example.com", true},
    {"http://www.example.com/", "x www.example.com", true},  // Go splits only at commas
    // Ports.
    {"http://example.com:80/", "example.com:80", true},
    {"http://example.com/", "example.com:80", true},
    {"https://example.com/", "example.com:443", true},
    {"https://example.com/", "example.com:80", false},
    {"http://www.example.com:8080/", "example.com:8080", true},
    {"http://example.com:8080/", "example.com", true},
    // Addresses and networks.
    {"http://10.1.2.3/", "10.0.0.0/8", true},
    {"http://11.1.2.3/", "10.0.0.0/8", false},
    {"https://192.168.1.77:6443/", "192.168.1.64/26", true},
    {"https://192.168.1.33/", "192.168.1.64/26", false},
    {"http://10.1.2.3/", "0.0.0.0/0", true},
    {"http://10.1.2.3/", "10.0.0.0/33", false},
    {"http://10.1.2.3/", "10.0.0.0/x", false},
    {"http://example.com/", "0.0.0.0/0", false},
    {"http://10.1.2.3/", "10.1.2.3", true},
    {"http://10.1.2.3:81/", "10.1.2.3:80", false},
    {"http://110.1.2.3/", "10.1.2.3", false},
    {"http://[2001:db8::1]/", "2001:db8::/32", true},
    {"http://[2001:db8::1]/", "2001:db9::/32", false},
    {"http://[2001:db8::1]/", "2001:DB8:0::1", true},
    {"http://[2001:db8::1]:81/", "[2001:db8::1]:81", true},
    {"http://[2001:db8::1]:82/", "[2001:db8::1]:81", false},
};

TEST(BypassesProxy, AgreesWithGo) {
  for (const Row& row : kRows) {
    EXPECT_EQ(BypassesProxy(row.no_proxy, *ParseUrl(row.url)), row.direct)
        << row.url << " with no_proxy=" << row.no_proxy;
  }
}

TEST(BypassesProxy, NotForThisMachineIfTheProxyIsAKubeconfigs) {
  EXPECT_FALSE(BypassesProxy(kNoLoopbackException, *ParseUrl("https://127.0.0.1:6443/")));
}

TEST(ProxyOfScheme, IsThatOfTheUrl) {
  const auto https = *ParseUrl("https://h/");
  const auto http = *ParseUrl("HTTP://h/");
  const char* one = "http://ana:p=w@p:1";
  EXPECT_EQ(ProxyOfScheme(one, https), one);
  EXPECT_EQ(ProxyOfScheme(one, http), one);
  EXPECT_EQ(ProxyOfScheme("p:1", http), "p:1");
  EXPECT_EQ(ProxyOfScheme("", http), "");
  const char* two = "https=http://secure:1 http=socks5h://a:p=w@plain:1";
  EXPECT_EQ(ProxyOfScheme(two, https), "http://secure:1");
  EXPECT_EQ(ProxyOfScheme(two, http), "socks5h://a:p=w@plain:1");
  EXPECT_EQ(ProxyOfScheme("https=http://secure:1 http=", http), "");
  EXPECT_EQ(ProxyOfScheme("https= http=p:1", https), "");
}

}  // namespace
}  // namespace kinetic::http
