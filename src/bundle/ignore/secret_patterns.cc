#include "base/never_destroyed.h"
#include "base/strings.h"
#include "bundle/ignore/rules.h"

#include <array>
#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

constexpr std::array kSecretPatterns = {
    SecretPattern{".env", "environment variables"},
    SecretPattern{".env.*", "environment variables"},
    SecretPattern{"*.env", "environment variables"},
    SecretPattern{".envrc", "environment variables"},
    SecretPattern{"*.pem", "a private key"},
    SecretPattern{"*.key", "a private key"},
    SecretPattern{"*.ppk", "a private key"},
    SecretPattern{"id_rsa*", "a private key"},
    SecretPattern{"id_dsa*", "a private key"},
    SecretPattern{"id_ecdsa*", "a private key"},
    SecretPattern{"id_ed25519*", "a private key"},
    SecretPattern{"*.p12", "a private key"},
    SecretPattern{"*.pfx", "a private key"},
    SecretPattern{"*.jks", "private keys"},
    SecretPattern{"*.keystore", "private keys"},
    SecretPattern{"*.kdbx", "passwords"},
    SecretPattern{".netrc", "passwords"},
    SecretPattern{"_netrc", "passwords"},
    SecretPattern{".htpasswd", "passwords"},
    SecretPattern{".pgpass", "passwords"},
    SecretPattern{".git-credentials", "passwords"},
    SecretPattern{".npmrc", "a registry's token"},
    SecretPattern{".yarnrc.yml", "a registry's token"},
    SecretPattern{".pypirc", "a registry's token"},
    SecretPattern{"**/.docker/config.json", "a registry's token"},
    SecretPattern{"**/.aws/credentials", "a cloud credential"},
    SecretPattern{"**/.config/gcloud/**", "a cloud credential"},
    SecretPattern{"credentials.json", "a cloud credential"},
    SecretPattern{"application_default_credentials.json", "a cloud credential"},
    SecretPattern{"client_secret*.json", "a cloud credential"},
    SecretPattern{"service-account*.json", "a cloud credential"},
    SecretPattern{"service_account*.json", "a cloud credential"},
    SecretPattern{"kaggle.json", "an API token"},
    SecretPattern{"kubeconfig", "a cluster's credential"},
    SecretPattern{"*.kubeconfig", "a cluster's credential"},
    SecretPattern{"**/.kube/config", "a cluster's credential"},
    SecretPattern{"secrets.y*ml", "secrets"},
    SecretPattern{"secrets.json", "secrets"},
    SecretPattern{"secrets.toml", "secrets"},
};

/// Exceptions: names of harmless files.
constexpr std::array<std::string_view, 8> kHarmlessPatterns = {
    "*.pub",     ".env.example", ".env.sample", ".env.template",
    ".env.dist", ".env.schema",  "example.env", "sample.env",
};

class SecretTable {
 public:
  SecretTable() {
    std::vector<std::string> lines;
    for (const SecretPattern& name : kSecretPatterns) {
      lines.assign(1, std::string(name.pattern));
      rules_.push_back(IgnoreRules::FromLines(lines));
    }
    lines.clear();
    for (const SecretPattern& name : kSecretPatterns) lines.emplace_back(name.pattern);
    for (const std::string_view name : kHarmlessPatterns) lines.push_back("!" + std::string(name));
    any_rule_ = IgnoreRules::FromLines(lines);
  }

  std::optional<std::string_view> Find(const std::string& path) const {
    if (any_rule_.Match(path, false) != RuleMatch::kExclude) return std::nullopt;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].Match(path, false) == RuleMatch::kExclude) return kSecretPatterns[i].content;
    }
    return std::nullopt;
  }

 private:
  IgnoreRules any_rule_;  ///< all patterns, to reject most files in one lookup
  std::vector<IgnoreRules> rules_;
};

}  // namespace

std::span<const SecretPattern> SecretPatterns() { return kSecretPatterns; }

std::optional<std::string_view> MatchSecretPattern(std::string_view path) {
  static const SecretTable& table = NeverDestroyed<SecretTable>();
  return table.Find(ToLower(path));
}

}  // namespace kinetic::bundle
