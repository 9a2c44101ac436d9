#include "provision/user.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/profile.h"
#include "provision/shutdown/objects.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace kinetic::provision {
namespace {

/// Namespaces have at most 63 characters, clusters 24.
constexpr std::size_t kLongestUserName = 38;

bool IsLetterOrDigit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool IsMailbox(std::string_view text) {
  return std::ranges::any_of(text, IsLetterOrDigit) && std::ranges::all_of(text, [](char c) {
           return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '+' || c == '-';
         });
}

bool IsHost(std::string_view text) {
  const auto labels = Split(text, '.');
  return labels.size() > 1 && std::ranges::all_of(labels, [](std::string_view label) {
           return !label.empty() &&
                  std::ranges::all_of(label, [](char c) { return IsLetterOrDigit(c) || c == '-'; });
         });
}

/// Returns the letters and digits of the part before '@', in lower case.
std::string NameOf(std::string_view email) {
  std::string name;
  for (const char c : email.substr(0, email.find('@'))) {
    if (IsLetterOrDigit(c)) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string NamespaceOf(std::string_view cluster, std::string_view user_name) {
  return std::string(cluster) + "-" + std::string(user_name);
}

}  // namespace

bool IsEmail(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && IsMailbox(text.substr(0, at)) &&
         IsHost(text.substr(at + 1));
}

Status CheckEmail(const std::string& email) {
  if (IsEmail(email)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "user '" + Printable(email) + "': expected an email address");
}

Status CheckUsers(std::string_view cluster, const std::vector<std::string>& emails) {
  std::map<std::string, std::string> known;
  for (const std::string& email : emails) {
    KINETIC_RETURN_IF_ERROR(CheckEmail(email));
    const std::string name = NameOf(email);
    if (name.size() > kLongestUserName)
      return Fail(ErrorCode::kInvalidArgument,
                  "user " + email + ": the part before '@' has more than 38 letters and digits");
    if (NamespaceOf(cluster, name) == kShutdownNamespace)
      return Fail(
          ErrorCode::kInvalidArgument,
          "user " + email + " would have the namespace that the automatic deletion uses",
          "use another email address; to remove an existing user: kinetic down --user EMAIL");
    const auto [other, added] = known.emplace(name, email);
    if (!added && other->second != email)
      return Fail(
          ErrorCode::kInvalidArgument,
          "users " + other->second + " and " + email + " would have the same namespace",
          "use another email address; to remove an existing user: kinetic down --user EMAIL");
  }
  return {};
}

std::string UserNamespace(const Scope& scope, std::string_view email) {
  return NamespaceOf(scope.name, NameOf(email));
}

std::string UserFolder(std::string_view email) {
  return std::string(kUsersFolder) + std::string(email) + "/";
}

std::string UserStore(const Scope& scope, std::string_view email) {
  return "gs://" + scope.Bucket() + "/" + std::string(kUsersFolder) + std::string(email);
}

std::string UserMember(std::string_view email) {
  const bool is_program = email.ends_with(".gserviceaccount.com");
  return (is_program ? "serviceAccount:" : "user:") + std::string(email);
}

Profile UserProfile(const Scope& scope, const std::string& email, const std::string& runner_image) {
  Profile profile = ProfileOf(scope, runner_image);
  profile.store = UserStore(scope, email);
  profile.kubernetes.name_space = UserNamespace(scope, email);
  profile.kubernetes.service_account = kUserServiceAccount;
  profile.kubernetes.environment_images.clear();
  return profile;
}

Result<std::vector<std::string>> FindUsers(const Scope& scope, const std::stop_token& stop) {
  const std::string path = "/storage/v1/b/" + http::PercentEncode(scope.Bucket()) +
                           "/managedFolders?prefix=" + http::PercentEncode(kUsersFolder);
  const auto folders = scope.api->List(std::string(google::kStorage), path, "items", stop);
  std::vector<std::string> emails;
  if (!folders) {
    const Error& error = folders.error();
    if (error.code != ErrorCode::kNotFound)
      KINETIC_RETURN_IF_ERROR(scope.api->CheckNothingExists(error, stop));
    return emails;
  }
  emails.reserve(folders->size());
  for (const Value& folder : *folders) {
    std::string name = json::TextAt(folder, "name");
    if (!name.starts_with(kUsersFolder)) continue;
    name.erase(0, kUsersFolder.size());
    if (name.ends_with('/')) name.pop_back();
    // Users can create folders below their own.
    if (IsEmail(name)) emails.push_back(std::move(name));
  }
  std::ranges::sort(emails);
  return emails;
}

}  // namespace kinetic::provision
