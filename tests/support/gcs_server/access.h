#pragma once

#include "support/gcs_server/request.h"

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs_server {

/// An account of the server.
struct Account {
  std::string token;  ///< bearer token of its requests
  std::string email;
  std::set<std::string> forbidden;  ///< missing permissions: "storage.objects.create"
};

/// The sender of a request.
class Grant {
 public:
  /// Has all permissions; used if no accounts are configured.
  Grant() = default;
  explicit Grant(Account account) : account_(std::move(account)) {}

  bool Has(std::string_view permission) const;
  /// @errors  403, naming account, permission and resource.
  Outcome<void> Require(std::string_view permission, const std::string& resource) const;

 private:
  std::optional<Account> account_;
};

/// The accounts of a server. Without accounts, requests need no token.
///
/// @threads  safe to call concurrently.
class Access {
 public:
  void SetAccounts(std::vector<Account> accounts);

  /// @errors  401 without a bearer token or with an unknown one.
  Outcome<Grant> Identify(const Request& request) const;

 private:
  mutable std::mutex mutex_;
  std::vector<Account> accounts_;
};

}  // namespace kinetic::gcs_server
