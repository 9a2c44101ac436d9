#pragma once

#include "kinetic/profile.h"
#include "kinetic/result.h"

#include "provision/scope.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::provision {

/// The folder of the bucket with the folders of the users.
inline constexpr std::string_view kUsersFolder = "users/";

/// Returns whether text is an email address that can be part of an object's name.
bool IsEmail(std::string_view text);

/// Checks the email address of a user.
///
/// @errors  kInvalidArgument.
Status CheckEmail(const std::string& email);

/// Checks that all users are email addresses with different namespaces, which differ from those
/// that kinetic uses.
///
/// @param cluster  name.
/// @errors  kInvalidArgument.
Status CheckUsers(std::string_view cluster, const std::vector<std::string>& emails);

/// Returns the namespace of a user: "kinetic-anasmith" for ana.smith@example.com in the cluster
/// kinetic. The last part has no dash, so the name identifies cluster and user.
std::string UserNamespace(const Scope& scope, std::string_view email);

/// Returns the prefix of the names of a user's objects: "users/ana@example.com/".
std::string UserFolder(std::string_view email);

/// Returns the URL of a user's store.
std::string UserStore(const Scope& scope, std::string_view email);

/// Returns the IAM member of a user: "user:ana@example.com".
std::string UserMember(std::string_view email);

/// Returns the profile with which a user runs jobs. It has no repository for package images: a user
/// who can write images could replace those of others.
Profile UserProfile(const Scope& scope, const std::string& email, const std::string& runner_image);

/// Returns the email addresses of the cluster's users, in order. They are recorded as managed
/// folders of the bucket.
///
/// @errors  those of ApiClient.
Result<std::vector<std::string>> FindUsers(const Scope& scope, const std::stop_token& stop);

}  // namespace kinetic::provision
