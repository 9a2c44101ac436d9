#include "base/strings.h"
#include "oci/registry/authorized_transport.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kinetic::oci {
namespace {

/// One scheme with its parameters, names in lower case.
struct Offer {
  std::string scheme;
  std::vector<std::pair<std::string, std::string>> parameters;

  std::string Get(std::string_view name) const {
    for (const auto& [key, value] : parameters) {
      if (key == name) return value;
    }
    return {};
  }
};

/// Parses `Bearer realm="…",scope="…", Basic realm="…"`. A word that no '=' follows begins a
/// scheme.
class ChallengeReader {
 public:
  explicit ChallengeReader(std::string_view text) : text_(text) {}

  std::vector<Offer> Offers() {
    std::vector<Offer> offers;
    while (SkipSeparators()) {
      std::string word = ToLower(Word());
      if (word.empty()) return offers;  // malformed
      if (!Take('=')) {
        offers.push_back({std::move(word), {}});
      } else if (!offers.empty()) {
        offers.back().parameters.emplace_back(std::move(word), ParameterValue());
      }
    }
    return offers;
  }

 private:
  bool SkipSeparators() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t,"), text_.size()));
    return !text_.empty();
  }

  std::string_view Word() {
    const std::string_view word = text_.substr(0, text_.find_first_of(" \t,=\""));
    text_.remove_prefix(word.size());
    return word;
  }

  bool Take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string ParameterValue() {
    if (!Take('"')) return std::string(Word());
    std::string value;
    while (!text_.empty() && !text_.starts_with('"')) {
      if (text_.starts_with('\\') && text_.size() > 1) text_.remove_prefix(1);
      value += text_.front();
      text_.remove_prefix(1);
    }
    Take('"');
    return value;
  }

  std::string_view text_;
};

}  // namespace

std::optional<Challenge> ParseChallenge(std::string_view field) {
  std::optional<Challenge> found;
  for (const Offer& offer : ChallengeReader(field).Offers()) {
    const bool bearer = offer.scheme == "bearer";
    if (!bearer && (offer.scheme != "basic" || found)) continue;
    found = Challenge{.scheme = bearer ? Challenge::Scheme::kBearer : Challenge::Scheme::kBasic,
                      .realm = offer.Get("realm"),
                      .service = offer.Get("service"),
                      .scope = offer.Get("scope"),
                      .error = offer.Get("error")};
    if (bearer) return found;
  }
  return found;
}

}  // namespace kinetic::oci
