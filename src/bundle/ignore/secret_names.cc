#include "base/strings.h"
#include "bundle/ignore/rules.h"

#include <array>
#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

constexpr std::array kNames = {
    SecretName{".env", "environment variables"},
    SecretName{".env.*", "environment variables"},
    SecretName{"*.env", "environment variables"},
    SecretName{".envrc", "environment variables"},
    SecretName{"*.pem", "a private key"},
    SecretName{"*.key", "a private key"},
    SecretName{"*.ppk", "a private key"},
    SecretName{"id_rsa*", "a private key"},
    SecretName{"id_dsa*", "a private key"},
    SecretName{"id_ecdsa*", "a private key"},
    SecretName{"id_ed25519*", "a private key"},
    SecretName{"*.p12", "a private key"},
    SecretName{"*.pfx", "a private key"},
    SecretName{"*.jks", "private keys"},
    SecretName{"*.keystore", "private keys"},
    SecretName{"*.kdbx", "passwords"},
    SecretName{".netrc", "passwords"},
    SecretName{"_netrc", "passwords"},
    SecretName{".htpasswd", "passwords"},
    SecretName{".pgpass", "passwords"},
    SecretName{".git-credentials", "passwords"},
    SecretName{".npmrc", "a registry's token"},
    SecretName{".yarnrc.yml", "a registry's token"},
    SecretName{".pypirc", "a registry's token"},
    SecretName{"**/.docker/config.json", "a registry's token"},
    SecretName{"**/.aws/credentials", "a cloud credential"},
    SecretName{"**/.config/gcloud/**", "a cloud credential"},
    SecretName{"credentials.json", "a cloud credential"},
    SecretName{"application_default_credentials.json", "a cloud credential"},
    SecretName{"client_secret*.json", "a cloud credential"},
    SecretName{"service-account*.json", "a cloud credential"},
    SecretName{"service_account*.json", "a cloud credential"},
    SecretName{"kaggle.json", "an API token"},
    SecretName{"kubeconfig", "a cluster's credential"},
    SecretName{"*.kubeconfig", "a cluster's credential"},
    SecretName{"**/.kube/config", "a cluster's credential"},
    SecretName{"secrets.y*ml", "secrets"},
    SecretName{"secrets.json", "secrets"},
    SecretName{"secrets.toml", "secrets"},
};

/// What is named like a secret and is none.
constexpr std::array<std::string_view, 8> kHarmless = {
    "*.pub",     ".env.example", ".env.sample", ".env.template",
    ".env.dist", ".env.schema",  "example.env", "sample.env",
};

class Table {
 public:
  Table() {
    std::vector<std::string> lines;
    for (const SecretName& name : kNames) {
      lines.assign(1, std::string(name.pattern));
      each_.push_back(IgnoreRules::FromLines(lines));
    }
    lines.clear();
    for (const SecretName& name : kNames) lines.emplace_back(name.pattern);
    for (const std::string_view name : kHarmless) lines.push_back("!" + std::string(name));
    all_ = IgnoreRules::FromLines(lines);
  }

  std::optional<std::string_view> Find(const std::string& path) const {
    if (all_.Decide(path, false) != Verdict::kExclude) return std::nullopt;
    for (std::size_t i = 0; i < each_.size(); ++i) {
      if (each_[i].Decide(path, false) == Verdict::kExclude) return kNames[i].meaning;
    }
    return std::nullopt;
  }

 private:
  IgnoreRules all_;  ///< answers for the many files that are no secret, at the price of one lookup
  std::vector<IgnoreRules> each_;
};

}  // namespace

std::span<const SecretName> SecretNames() { return kNames; }

std::optional<std::string_view> SecretMeaning(std::string_view path) {
  static const Table kTable;
  return kTable.Find(ToLower(path));
}

}  // namespace kinetic::bundle
