#pragma once

#include "support/gcs_server/request.h"

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs_server {

/// Somebody who may use the server.
struct Account {
  std::string token;  ///< what its requests bear
  std::string email;
  std::set<std::string> forbidden;  ///< permissions it lacks: "storage.objects.create"
};

/// Who sent a request.
class Grant {
 public:
  /// Everybody may do everything, where no accounts are configured.
  Grant() = default;
  explicit Grant(Account account) : account_(std::move(account)) {}

  bool Has(std::string_view permission) const;
  /// @errors  403, naming the account, the permission and the thing.
  Outcome<void> Require(std::string_view permission, const std::string& resource) const;

 private:
  std::optional<Account> account_;
};

/// The accounts of a server; with none of them, nobody is asked for a token.
///
/// @threads  safe to call concurrently.
class Access {
 public:
  void SetAccounts(std::vector<Account> accounts);

  /// @errors  401 without a bearer token or with one that is not known.
  Outcome<Grant> Identify(const Request& request) const;

 private:
  mutable std::mutex mutex_;
  std::vector<Account> accounts_;
};

}  // namespace kinetic::gcs_server
