#include "support/gcs_server/request.h"

#include "base/strings.h"
#include "http/url.h"
#include "support/gcs_server/errors.h"

#include <algorithm>

namespace kinetic::gcs_server {
namespace {

std::string DecodeQuery(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return http::PercentDecode(spaced);
}

/// Returns path and query of a target, which may be an absolute URL (RFC 9112, 3.2.2).
std::string_view WithoutOrigin(std::string_view target) {
  if (!target.starts_with("http://") && !target.starts_with("https://")) return target;
  const std::size_t slash = target.find('/', target.find("://") + 3);
  return slash == std::string_view::npos ? "/" : target.substr(slash);
}

void ParseTarget(Request& request) {
  const std::string_view target = WithoutOrigin(request.target);
  const std::size_t mark = target.find('?');
  std::string_view path = target.substr(0, mark);
  if (path.starts_with('/')) path.remove_prefix(1);
  for (const std::string_view segment : Split(path, '/')) {
    request.segments.push_back(http::PercentDecode(segment));
  }
  if (mark == std::string_view::npos) return;
  for (const std::string_view pair : Split(target.substr(mark + 1), '&')) {
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    request.query.emplace_back(DecodeQuery(pair.substr(0, equals)), DecodeQuery(value));
  }
}

bool ParseField(std::string_view line, http::Headers& headers) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  headers.Add(std::string(line.substr(0, colon)), std::string(Trim(line.substr(colon + 1))));
  return true;
}

}  // namespace

std::optional<std::string> Request::Query(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string Request::Header(std::string_view name) const {
  return std::string(headers.Get(name).value_or(""));
}

Outcome<std::optional<std::int64_t>> Request::Number(std::string_view name) const {
  const auto text = Query(name);
  if (!text) return std::nullopt;
  const auto number = ParseInt(*text);
  if (!number) return Refuse(InvalidArgument(name, *text));
  return number;
}

std::string Request::Origin() const { return "http://" + Header("Host"); }

std::optional<Request> ParseRequest(std::string_view head) {
  Request request;
  bool first = true;
  for (std::string_view line : Split(head, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::exchange(first, false)) {
      const auto words = Split(line, ' ');
      if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) return std::nullopt;
      request.method = std::string(words[0]);
      request.target = std::string(words[1]);
    } else if (!line.empty() && !ParseField(line, request.headers)) {
      return std::nullopt;
    }
  }
  ParseTarget(request);
  return request;
}

}  // namespace kinetic::gcs_server
