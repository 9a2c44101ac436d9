#include "oci/registry/repository.h"

#include "base/strings.h"

#include <utility>

namespace kinetic::oci {

Repository::Repository(http::Transport& transport, Clock& clock, RegistryAddress registry,
                       std::string name, RepositoryOptions options)
    : transport_(&transport),
      clock_(&clock),
      registry_(std::move(registry)),
      name_(std::move(name)),
      options_(options) {}

http::Url Repository::BaseUrl() const {
  http::Url url(registry_.url);
  url.Part("v2");
  for (const std::string_view part : Split(name_, '/')) url.Part(part);
  return url;
}

http::Request Repository::MakeRequest(std::string method, std::string url) const {
  http::Request request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.stall_timeout = options_.stall_timeout;
  return request;
}

Result<http::Response> Repository::Send(const http::Request& request, const std::string& operation,
                                        std::stop_token stop) const {
  const http::RetryingClient client(*transport_, &ErrorFromResponse, options_.retry, *clock_);
  auto response = client.Send(request, http::Idempotency::kIdempotent, std::move(stop));
  if (!response) return Failure(std::move(response).error().Context(operation));
  return response;
}

Failure Repository::Rejected(const http::Request& request, const http::Response& response,
                             const std::string& operation) const {
  return Failure(ErrorFromResponse(request, response).Context(operation));
}

}  // namespace kinetic::oci
