#include "base/strings.h"
#include "kube/resource.h"

#include <fmt/format.h>

#include <cctype>

namespace kinetic::kube {
namespace {

constexpr std::string_view kServiceAccount = "system:serviceaccount:";

/// Converts text to a part of a resource name: letters, digits and single dashes.
std::string Slug(std::string_view text) {
  std::string slug;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::string Subject(const std::string& account) {
  if (account.empty()) return "--user=ACCOUNT";
  if (account.starts_with(kServiceAccount)) {
    return "--serviceaccount=" + ShellQuote(account.substr(kServiceAccount.size()));
  }
  return "--user=" + ShellQuote(account);
}

}  // namespace

std::string GrantCommand(const Permission& permission, const std::string& account) {
  std::string resource = permission.resource;
  if (!permission.group.empty()) resource += "." + permission.group;
  if (!permission.subresource.empty()) resource += "/" + permission.subresource;
  std::string who = account;
  if (who.starts_with(kServiceAccount)) who.erase(0, kServiceAccount.size());
  const std::string name =
      fmt::format("kinetic-{}-{}-{}", Slug(permission.verb), Slug(permission.resource),
                  who.empty() ? std::string("account") : Slug(who));
  const bool everywhere = permission.name_space.empty();
  const std::string kind = everywhere ? "clusterrole" : "role";
  const std::string where = everywhere ? "" : " --namespace=" + ShellQuote(permission.name_space);
  return fmt::format(
      "kubectl create {0} {1} --verb={2} --resource={3}{4} && "
      "kubectl create {0}binding {1} --{0}={1} {5}{4}",
      kind, name, permission.verb, resource, where, Subject(account));
}

}  // namespace kinetic::kube
