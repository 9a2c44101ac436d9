#include "support/gcs_server/access.h"

#include "base/strings.h"
#include "support/gcs_server/errors.h"

namespace kinetic::gcs_server {
namespace {

Reply Unauthenticated(const std::string& reason, const std::string& message) {
  Reply reply = ErrorReply(401, reason, message);
  reply.headers.Add("WWW-Authenticate", "Bearer realm=\"https://accounts.google.com/\"");
  return reply;
}

}  // namespace

bool Grant::Has(std::string_view permission) const {
  return !account_ || !account_->forbidden.contains(std::string(permission));
}

Outcome<void> Grant::Require(std::string_view permission, const std::string& resource) const {
  if (Has(permission)) return {};
  const std::string what = permission.starts_with("storage.buckets") ? "bucket" : "object";
  return Refuse(ErrorReply(403, "forbidden",
                           account_->email + " does not have " + std::string(permission) +
                               " access to the Google Cloud Storage " + what + ". Permission '" +
                               std::string(permission) + "' denied on resource '" + resource +
                               "' (or it may not exist)."));
}

void Access::SetAccounts(std::vector<Account> accounts) {
  const std::lock_guard lock(mutex_);
  accounts_ = std::move(accounts);
}

Outcome<Grant> Access::Identify(const Request& request) const {
  const std::lock_guard lock(mutex_);
  if (accounts_.empty()) return Grant();
  const std::string given = request.Header("Authorization");
  if (given.empty()) {
    return Refuse(Unauthenticated(
        "required", "Anonymous caller does not have access to the Google Cloud Storage resource."));
  }
  const std::size_t space = given.find(' ');
  const bool is_bearer = ToLower(given.substr(0, space)) == "bearer";
  for (const Account& account : accounts_) {
    if (is_bearer && Trim(given.substr(space)) == account.token) return Grant(account);
  }
  return Refuse(Unauthenticated("authError", "Invalid Credentials"));
}

}  // namespace kinetic::gcs_server
