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

/// The caller's variables that the URLs of a file can contain. A repository's files cannot read all
/// of the caller's environment: docs/reference/security.md.
struct UrlVariables {
  /// Only those in `secrets` can be anywhere. All can be in the user and password of an index URL.
  std::map<std::string, std::string> environment;
  std::vector<std::string> secrets;  ///< names in the job's `secrets`
};

/// Reads URLs from files and the environment: expands `${NAME}`, adds full URLs to the private
/// ones, and returns redacted URLs.
///
/// @threads  one thread at a time.
class UrlReader {
 public:
  /// Both outlive the reader.
  UrlReader(const UrlVariables& variables, PrivateUrls& private_urls)
      : variables_(variables), private_urls_(private_urls) {}

  /// Reads the URL of an index or page.
  /// @errors  kInvalidArgument: `${NAME}` is not set or not permitted. Messages contain only the
  ///          redacted URL.
  Result<std::string> Index(std::string_view raw);

  /// Reads all URLs in a line of a dependency file, and returns the line with redacted URLs.
  ///
  /// @param is_index  the line contains the URL of an index or page.
  /// @errors  those of Index.
  Result<std::string> Line(std::string_view line, bool is_index);

 private:
  Result<std::string> Value(std::string_view name, bool is_permitted) const;
  Result<std::string> Expand(std::string_view raw, bool is_index) const;
  Result<std::string> Redact(std::string_view raw, bool is_index);

  const UrlVariables& variables_;
  PrivateUrls& private_urls_;
};

/// Returns whether a redacted URL, regardless of its fragment, has a full form.
bool IsPrivate(const std::string& redacted, const PrivateUrls& private_urls);

/// Returns the full form of a redacted URL, for uv, with its fragment. Escapes what uv would expand
/// as a variable in a URL that is not private.
std::string FullUrl(const std::string& redacted, const PrivateUrls& private_urls);

/// Returns the redacted form of a URL that uv wrote, with its fragment.
std::string RedactedForm(std::string_view url, const PrivateUrls& private_urls);

/// Returns whether a line has a URL with a password that is not a variable.
bool HasPassword(std::string_view line);

/// Removes the user and password of URLs from `text`, for messages that quote input.
std::string WithoutCredentials(std::string_view text);

/// Returns the users, passwords, queries and values of `${NAME}` in the URLs, longest first.
std::vector<std::string> SecretsIn(const PrivateUrls& private_urls);

}  // namespace kinetic::env
