#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/index_settings.h"

#include <algorithm>
#include <optional>
#include <set>

namespace kinetic::env {
namespace {

/// The components of a URL, which may contain `${NAME}`.
struct UrlParts {
  std::string_view scheme;    ///< with "://"
  std::string_view user;      ///< with ':' and password, without '@'
  std::string_view location;  ///< host, port and path
  std::string_view query;     ///< without '?'
  std::string_view fragment;  ///< with '#'
};

UrlParts SplitUrl(std::string_view url) {
  UrlParts parts;
  const auto hash = url.find('#');
  if (hash != std::string_view::npos) {
    parts.fragment = url.substr(hash);
    url = url.substr(0, hash);
  }
  const auto question = url.find('?');
  if (question != std::string_view::npos) {
    parts.query = url.substr(question + 1);
    url = url.substr(0, question);
  }
  const auto colon = url.find("://");
  if (colon != std::string_view::npos) {
    parts.scheme = url.substr(0, colon + 3);
    url.remove_prefix(colon + 3);
  }
  const auto at = url.substr(0, url.find('/')).rfind('@');
  if (at != std::string_view::npos) {
    parts.user = url.substr(0, at);
    url.remove_prefix(at + 1);
  }
  parts.location = url;
  return parts;
}

bool IsVariableCharacter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns the name in a `${NAME}` at the start of `text`.
std::optional<std::string_view> VariableAt(std::string_view text) {
  if (!text.starts_with("${")) return std::nullopt;
  const auto end = text.find('}');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(2, end - 2);
  if (name.empty() || !std::all_of(name.begin(), name.end(), IsVariableCharacter)) {
    return std::nullopt;
  }
  return name;
}

std::string LowerHost(std::string_view location) {
  // Hosts are case-insensitive; paths and variable names are not.
  const auto slash = std::min(location.find('/'), location.size());
  const std::string_view host = location.substr(0, slash);
  return (host.find('$') == std::string_view::npos ? ToLower(host) : std::string(host)) +
         std::string(location.substr(slash));
}

bool IsWeb(std::string_view url) {
  const std::string scheme = ToLower(SplitUrl(url).scheme);
  return scheme == "https://" || scheme == "http://";
}

/// Returns whether a variable contains the whole URL.
bool IsLoneVariable(std::string_view url) {
  const auto name = VariableAt(url);
  return name && name->size() + 3 == url.size();
}

void AddEnvironmentUrl(std::string_view value, UrlReader& reader, std::vector<std::string>& urls) {
  // uv's named form, "name=https://…"
  const auto equals = value.find('=');
  if (equals != std::string_view::npos && value.find("://") > equals) {
    value.remove_prefix(equals + 1);
  }
  if (auto redacted = reader.Index(value)) urls.push_back(*std::move(redacted));
}

}  // namespace

std::string RedactUrl(std::string_view url) {
  const UrlParts parts = SplitUrl(url);
  std::string redacted =
      ToLower(parts.scheme) + LowerHost(parts.location) + std::string(parts.fragment);
  while (parts.fragment.empty() && redacted.size() > 1 && redacted.back() == '/')
    redacted.pop_back();
  return redacted;
}

bool LooksLikeUrl(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon < 2) return false;
  const std::string_view scheme = text.substr(0, colon);
  return (text.substr(colon).starts_with("://") || ToLower(scheme) == "file") &&
         std::all_of(scheme.begin(), scheme.end(), [](char c) {
           return (IsVariableCharacter(c) && c != '_') || c == '+' || c == '.' || c == '-';
         });
}

Result<std::string> UrlReader::Expand(std::string_view raw) const {
  std::string full;
  while (!raw.empty()) {
    const auto name = VariableAt(raw);
    if (!name) {
      full += raw.front();
      raw.remove_prefix(1);
      continue;
    }
    const auto value = environment_.find(std::string(*name));
    if (value == environment_.end() || value->second.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the environment variable " + std::string(*name) + " is not set",
                  "set the variable in the environment of kinetic; the URL refers to it");
    }
    full += value->second;
    raw.remove_prefix(name->size() + 3);
  }
  return full;
}

Result<std::string> UrlReader::Redact(std::string_view raw) {
  KINETIC_ASSIGN_OR_RETURN(std::string full, Expand(raw));
  if (!IsWeb(full)) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + Printable(RedactUrl(raw)) + "' is not an http or https URL");
  }
  std::string redacted = RedactUrl(IsLoneVariable(raw) ? std::string_view(full) : raw);
  if (redacted != full && RedactUrl(full) + "/" != full) private_urls_[redacted] = std::move(full);
  return redacted;
}

Result<std::string> UrlReader::Index(std::string_view raw) { return Redact(Trim(raw)); }

Result<std::string> UrlReader::Archive(std::string_view raw) {
  raw = Trim(raw);
  const std::string scheme = ToLower(raw.substr(0, raw.find(':')));
  for (const std::string_view system : {"git", "hg", "svn", "bzr"}) {
    if (scheme == system || scheme.starts_with(std::string(system) + "+")) {
      return Fail(ErrorCode::kInvalidArgument,
                  "requirements from version control are not supported: they have no hash",
                  "use an archive of the commit, such as "
                  "name @ https://host/owner/name/archive/COMMIT.tar.gz");
    }
  }
  if (scheme == "file") {
    return Fail(ErrorCode::kInvalidArgument,
                "requirements from local files are not supported: the files do not exist where "
                "the environment is built",
                "include your own code in the bundle, and specify packages by version or URL");
  }
  return Redact(raw);
}

std::string WithoutCredentials(std::string_view text) {
  std::string clean;
  for (;;) {
    const auto start = text.find("://");
    if (start == std::string_view::npos) break;
    clean += text.substr(0, start + 3);
    text.remove_prefix(start + 3);
    const std::string_view host = text.substr(0, text.find_first_of("/ \t\n'\"?#"));
    const auto at = host.rfind('@');
    const auto colon = host.find(':');
    // The text may be truncated before the '@': what follows a ':' may be a password.
    const bool cut = colon != std::string_view::npos &&
                     host.find_first_not_of("0123456789", colon + 1) != std::string_view::npos;
    if (at != std::string_view::npos || cut) {
      clean += at != std::string_view::npos ? "***@" : "***";
      text.remove_prefix(at != std::string_view::npos ? at + 1 : host.size());
    }
  }
  return clean + std::string(text);
}

std::vector<std::string> SecretsIn(const PrivateUrls& private_urls) {
  std::set<std::string> found;
  for (const auto& [redacted, full] : private_urls) {
    const UrlParts parts = SplitUrl(full);
    found.emplace(parts.user);
    const auto colon = parts.user.find(':');
    if (colon != std::string_view::npos) found.emplace(parts.user.substr(colon + 1));
    found.emplace(parts.query);
    if (redacted.find("${") != std::string::npos) found.emplace(parts.location);
  }
  std::vector<std::string> secrets;
  for (const auto& secret : found) {
    if (secret.size() >= 4) secrets.push_back(secret);  // shorter ones would redact ordinary words
  }
  std::sort(secrets.begin(), secrets.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return secrets;
}

IndexSettings IndexSettingsFromEnvironment(const std::map<std::string, std::string>& environment,
                                           PrivateUrls& secrets) {
  UrlReader reader(environment, secrets);
  const auto read = [&](std::string_view name) {
    std::vector<std::string> urls;
    const auto found = environment.find(std::string(name));
    if (found == environment.end()) return urls;
    std::string spaced = found->second;
    std::replace_if(
        spaced.begin(), spaced.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    for (const auto piece : Split(spaced, ' ')) {
      if (!piece.empty()) AddEnvironmentUrl(piece, reader, urls);
    }
    return urls;
  };
  IndexSettings index;
  for (const std::string_view name : {"UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"}) {
    if (index.url.empty()) {
      if (auto urls = read(name); !urls.empty()) index.url = urls.front();
    }
  }
  for (const std::string_view name : {"UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"}) {
    for (auto& url : read(name)) {
      if (std::find(index.extra_urls.begin(), index.extra_urls.end(), url) ==
          index.extra_urls.end()) {
        index.extra_urls.push_back(std::move(url));
      }
    }
  }
  return index;
}

}  // namespace kinetic::env
