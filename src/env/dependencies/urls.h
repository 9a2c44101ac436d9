#pragma once

#include "kinetic/result.h"

#include "env/dependencies/index_settings.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Reads URLs out of files and the environment: expands `${NAME}`, keeps the full form apart and
/// hands on the shown one.
///
/// @threads  one thread at a time.
class UrlReader {
 public:
  /// Both outlive the reader.
  UrlReader(const std::map<std::string, std::string>& environment, PrivateUrls& private_urls)
      : environment_(environment), private_urls_(private_urls) {}

  /// The shown form of an index or page: http and https only.
  /// @errors  kInvalidArgument: not such a URL, or a `${NAME}` that is not set. The message has the
  /// URL in its shown form only.
  Result<std::string> Index(std::string_view raw);

  /// The shown form of an archive that a requirement names; the same errors, with a reason for what
  /// is refused: version control, which has no hash, and files, which are on this machine only.
  Result<std::string> Archive(std::string_view raw);

 private:
  Result<std::string> Expand(std::string_view raw) const;
  Result<std::string> Keep(std::string_view raw);

  const std::map<std::string, std::string>& environment_;
  PrivateUrls& private_urls_;
};

/// Whether `text` begins with a URL scheme: "https://", "git+ssh://", "file:".
bool LooksLikeUrl(std::string_view text);

/// `text` without what looks like a user and password of a URL in it: for messages that quote
/// input.
std::string WithoutCredentials(std::string_view text);

/// The parts of full URLs and of the environment that must not be seen: users, passwords, queries,
/// values of `${NAME}`. Sorted, longest first.
std::vector<std::string> SecretsOf(const PrivateUrls& private_urls);

}  // namespace kinetic::env
