#pragma once

#include "kinetic/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Full URLs by their redacted form, for URLs with a user, password, query or `${NAME}`. Kept in
/// memory only; never part of a key, lock, log or message.
using PrivateUrls = std::map<std::string, std::string>;

/// Returns a URL, which may contain `${NAME}`, without user, password and query.
std::string RedactUrl(std::string_view url);

/// Reads URLs from files and the environment: expands `${NAME}`, adds full URLs to the private
/// ones, and returns redacted URLs.
///
/// @threads  one thread at a time.
class UrlReader {
 public:
  /// Both outlive the reader.
  UrlReader(const std::map<std::string, std::string>& environment, PrivateUrls& private_urls)
      : environment_(environment), private_urls_(private_urls) {}

  /// Reads the URL of an index or page: http or https.
  /// @errors  kInvalidArgument: another scheme, or `${NAME}` is not set. Messages contain only the
  ///          redacted URL.
  Result<std::string> Index(std::string_view raw);

  /// Reads the URL of an archive in a requirement. Version control URLs, which have no hash, and
  /// local files are errors, besides those of Index.
  Result<std::string> Archive(std::string_view raw);

 private:
  Result<std::string> Expand(std::string_view raw) const;
  Result<std::string> Redact(std::string_view raw);

  const std::map<std::string, std::string>& environment_;
  PrivateUrls& private_urls_;
};

/// Returns whether `text` begins with a URL scheme: "https://", "git+ssh://", "file:".
bool LooksLikeUrl(std::string_view text);

/// Removes the user and password of URLs from `text`, for messages that quote input.
std::string WithoutCredentials(std::string_view text);

/// Returns the users, passwords, queries and values of `${NAME}` in the URLs, longest first.
std::vector<std::string> SecretsIn(const PrivateUrls& private_urls);

}  // namespace kinetic::env
