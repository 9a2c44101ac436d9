#include "http/proxy.h"

#include "base/strings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kinetic::http {
namespace {

/// Returns the 4 or 16 bytes of an address, or nothing.
std::vector<std::uint8_t> AddressBytes(std::string text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::array<std::uint8_t, 16> bytes{};
  std::size_t size = 0;
  if (::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) size = 4;
  if (size == 0 && ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) size = bytes.size();
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

bool IsInNetwork(const std::vector<std::uint8_t>& address, std::string_view network) {
  const std::size_t slash = network.find('/');
  const auto base = AddressBytes(std::string(network.substr(0, slash)));
  const auto bits = ParseInt(network.substr(slash + 1));
  if (base.empty() || base.size() != address.size() || !bits || *bits < 0) return false;
  if (static_cast<std::size_t>(*bits) > 8 * base.size()) return false;
  for (std::size_t bit = 0; bit < static_cast<std::size_t>(*bits); ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80U >> (bit % 8));
    if (((base[bit / 8] ^ address[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

/// Returns where ":port" begins in an entry, or npos. A bare IPv6 address has no port.
std::size_t PortOf(std::string_view entry) {
  const std::size_t colon = entry.rfind(':');
  const bool is_bare =
      colon != std::string_view::npos && !entry.starts_with('[') && entry.find(':') != colon;
  const bool in_brackets = colon != std::string_view::npos && entry.find(']', colon) != entry.npos;
  return is_bare || in_brackets ? std::string_view::npos : colon;
}

bool Matches(std::string_view entry, const std::string& host, std::string_view port) {
  if (entry == "*") return true;
  const auto address = AddressBytes(host);
  if (entry.find('/') != std::string_view::npos) return IsInNetwork(address, entry);
  if (const std::size_t colon = PortOf(entry); colon != std::string_view::npos) {
    if (entry.substr(colon + 1) != port) return false;
    entry = entry.substr(0, colon);
  }
  if (const auto same = AddressBytes(std::string(entry)); !same.empty()) return same == address;
  const bool is_below = entry.starts_with("*.");
  entry.remove_prefix(is_below ? 2 : entry.starts_with('.') ? 1 : 0);
  if (entry.ends_with('.')) entry.remove_suffix(1);
  if (entry.empty() || !host.ends_with(entry)) return false;
  if (host.size() == entry.size()) return !is_below;
  return host[host.size() - entry.size() - 1] == '.';
}

}  // namespace

std::string ProxyOfScheme(std::string_view proxies, const UrlParts& url) {
  if (proxies.find('=') >= proxies.find("://")) return std::string(proxies);
  const std::string name = url.scheme + "=";
  for (const std::string_view proxy : Split(proxies, ' ')) {
    if (proxy.starts_with(name)) return std::string(proxy.substr(name.size()));
  }
  return {};
}

bool BypassesProxy(std::string_view no_proxy, const UrlParts& url) {
  std::string host = url.host;
  if (host.ends_with('.')) host.pop_back();
  if (IsLoopback(host) && no_proxy != kNoLoopbackException) return true;
  const std::string_view default_port = url.scheme == "https" ? "443" : "80";
  const std::string_view port = url.port.empty() ? default_port : std::string_view(url.port);
  std::string list = ToLower(no_proxy);
  std::ranges::replace_if(list, [](char c) { return c == ' ' || c == '\t'; }, ',');
  return std::ranges::any_of(Split(list, ','), [&](std::string_view entry) {
    return !entry.empty() && Matches(entry, host, port);
  });
}

}  // namespace kinetic::http
