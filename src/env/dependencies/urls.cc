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

/// Returns the offset of the first URL or variable, or the end.
std::size_t UrlStart(std::string_view line) {
  const std::size_t variable = std::min(line.find("${"), line.size());
  std::size_t url = std::min(line.find("://"), line.size());
  if (variable <= url) return variable;
  const auto in_scheme = [](char c) {
    return IsVariableCharacter(c) || c == '+' || c == '.' || c == '-';
  };
  while (url > 0 && in_scheme(line[url - 1])) --url;
  return url;
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

bool IsPrivate(const std::string& redacted, const PrivateUrls& private_urls) {
  return private_urls.contains(redacted) ||
         private_urls.contains(redacted.substr(0, redacted.find('#')));
}

std::string FullUrl(const std::string& redacted, const PrivateUrls& private_urls) {
  if (const auto found = private_urls.find(redacted); found != private_urls.end()) {
    return found->second;
  }
  const auto hash = std::min(redacted.find('#'), redacted.size());
  if (const auto found = private_urls.find(redacted.substr(0, hash)); found != private_urls.end()) {
    return found->second + redacted.substr(hash);
  }
  std::string url = redacted;
  for (auto at = url.find("${"); at != std::string::npos; at = url.find("${")) {
    url.replace(at, 1, "%24");
  }
  return url;
}

std::string RedactedForm(std::string_view url, const PrivateUrls& private_urls) {
  const auto hash = std::min(url.find('#'), url.size());
  const std::string location = RedactUrl(url.substr(0, hash));
  for (const auto& [redacted, full] : private_urls) {
    if (location == RedactUrl(full.substr(0, full.find('#')))) {
      return redacted.substr(0, redacted.find('#')) + std::string(url.substr(hash));
    }
  }
  return RedactUrl(url);
}

Result<std::string> UrlReader::Value(std::string_view name, bool is_permitted) const {
  if (!is_permitted && std::ranges::find(variables_.secrets, name) == variables_.secrets.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the URL would send the environment variable " + std::string(name) +
                    ", which the job does not list in `secrets`",
                "add it to `secrets` in the job file; a variable that is not listed can only be "
                "the user or password of an index URL: https://${USER}:${PASSWORD}@host/simple");
  }
  const auto value = variables_.environment.find(std::string(name));
  if (value != variables_.environment.end() && !value->second.empty()) return value->second;
  return Fail(ErrorCode::kInvalidArgument,
              "the environment variable " + std::string(name) + " is not set",
              "set the variable in the environment of kinetic; the URL refers to it");
}

Result<std::string> UrlReader::Expand(std::string_view raw, bool is_index) const {
  const std::string_view user = is_index ? SplitUrl(raw).user : std::string_view();
  std::string full;
  while (!raw.empty()) {
    const auto name = VariableAt(raw);
    if (!name) {
      full += raw.front();
      raw.remove_prefix(1);
      continue;
    }
    const bool is_user = name->data() >= user.data() && name->data() < user.data() + user.size();
    KINETIC_ASSIGN_OR_RETURN(const std::string value, Value(*name, is_user));
    full += value;
    raw.remove_prefix(name->size() + 3);
  }
  return full;
}

Result<std::string> UrlReader::Redact(std::string_view raw, bool is_index) {
  KINETIC_ASSIGN_OR_RETURN(std::string full, Expand(raw, is_index));
  if (IsLoneVariable(raw) && !IsWeb(full)) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + Printable(raw) + "' does not contain an http or https URL");
  }
  std::string redacted = RedactUrl(IsLoneVariable(raw) ? std::string_view(full) : raw);
  const std::string key = redacted.substr(0, redacted.find('#'));
  full = full.substr(0, full.find('#'));
  if (key != full && key + "/" != full) private_urls_[key] = std::move(full);
  return redacted;
}

Result<std::string> UrlReader::Index(std::string_view raw) { return Redact(Trim(raw), true); }

Result<std::string> UrlReader::Line(std::string_view line, bool is_index) {
  std::string redacted;
  while (!line.empty()) {
    const std::size_t start = UrlStart(line);
    redacted += line.substr(0, start);
    line.remove_prefix(start);
    const std::string_view word = line.substr(0, line.find_first_of(" \t'\""));
    line.remove_prefix(word.size());
    if (word.find("://") != std::string_view::npos || IsLoneVariable(word)) {
      KINETIC_ASSIGN_OR_RETURN(const std::string url, Redact(word, is_index));
      redacted += url;
    } else {
      KINETIC_RETURN_IF_ERROR(Expand(word, false));
      redacted += word;
    }
  }
  return redacted;
}

bool HasPassword(std::string_view line) {
  for (auto at = line.find("://"); at != std::string_view::npos; at = line.find("://")) {
    line.remove_prefix(at + 3);
    const std::string_view host = line.substr(0, line.find_first_of("/ \t\r'\"?#"));
    const std::string_view user = host.substr(0, std::min(host.rfind('@'), host.size()));
    const auto colon = user.find(':');
    const bool has_login = user.size() < host.size() && colon != std::string_view::npos;
    if (has_login && colon + 1 < user.size() && user.find('$', colon) == std::string_view::npos) {
      return true;
    }
  }
  return false;
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
  UrlVariables variables{environment, {}};
  for (const auto& [name, value] : environment) variables.secrets.push_back(name);
  UrlReader reader(variables, secrets);
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
