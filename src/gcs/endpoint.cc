#include "gcs/endpoint.h"

#include "base/strings.h"
#include "http/url.h"

namespace kinetic::gcs {
namespace {

void DropEnd(std::string& text, std::string_view end) {
  if (text.ends_with(end)) text.resize(text.size() - end.size());
}

}  // namespace

Result<std::string> EndpointFrom(std::string_view text) {
  std::string endpoint(Trim(text));
  if (endpoint.find("://") == std::string::npos) endpoint.insert(0, "http://");
  while (endpoint.ends_with('/')) endpoint.pop_back();
  DropEnd(endpoint, "/storage/v1");
  const auto parts = http::ParseUrl(endpoint);
  const bool fits = parts && (parts->scheme == "http" || parts->scheme == "https") &&
                    parts->query.empty() && parts->user_info.empty();
  if (fits) return endpoint;
  return Fail(ErrorCode::kInvalidArgument,
              "the storage endpoint " + Printable(text) + " is no address of a server",
              "write it like http://localhost:4443");
}

}  // namespace kinetic::gcs
