#include "auth/authorized_transport.h"

#include "kinetic/try.h"

namespace kinetic::auth {

Result<http::Response> AuthorizedTransport::Stream(const http::Request& request,
                                                   const http::Sink& sink, std::stop_token stop) {
  http::Request authorized = request;
  if (!quota_project_.empty()) authorized.headers.Set("x-goog-user-project", quota_project_);
  KINETIC_ASSIGN_OR_RETURN(const AccessToken first, tokens_->Get(stop));
  authorized.headers.Set("Authorization", "Bearer " + first.value);
  auto response = inner_->Stream(authorized, sink, stop);
  if (!response || response->status != 401) return response;
  tokens_->Invalidate(first.value);
  KINETIC_ASSIGN_OR_RETURN(const AccessToken second, tokens_->Get(stop));
  authorized.headers.Set("Authorization", "Bearer " + second.value);
  return inner_->Stream(authorized, sink, stop);
}

}  // namespace kinetic::auth
