#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "env/image_naming.h"
#include "env/index_settings.h"
#include "env/lock.h"

#include <string>
#include <string_view>

namespace kinetic::env {

/// What an engine reads first, in the context of an environment's image.
inline constexpr std::string_view kContextDockerfile = "Dockerfile";
/// The file of requirements that a Dockerfile of ours installs, in its context.
inline constexpr std::string_view kContextRequirements = "requirements.txt";
/// The id of the secret with the URLs that hold credentials.
inline constexpr std::string_view kUrlsSecret = "kinetic_urls";

struct DockerfileOptions {
  PrivateUrls private_urls;  ///< Manifest::private_urls
  ImageNaming naming;
  std::string base_digest;  ///< "sha256:…", to build upon that very image; empty: upon its name
  std::string user;         ///< whom programs of the base run as; empty: root, or not known
};

/// What a container engine makes the image of an environment from.
struct Dockerfile {
  std::string text;
  std::string requirements;  ///< kContextRequirements: every package, with its hashes
  /// The content of the secret kUrlsSecret: `NAME='URL'` lines, for a shell. Empty: there is none.
  std::string secret;
};

/// Writes down how the image of a lock is made by others than kinetic: a virtual environment of the
/// base's Python at the prefix, and in it the packages, from wheels with the lock's hashes, by the
/// base's pip (22.3 or later), or by the one that its `ensurepip` brings. Neither is in the
/// environment then. Labels and variables are those that kinetic gives its own images, so that what
/// is pushed under ImageTag is taken for one.
///
/// URLs that hold credentials are variables in the requirements; the values come from the secret,
/// which is mounted where they are needed, and stays in no layer. The same arguments give the same
/// text.
///
/// @errors  kInvalidArgument: the base is no name of an image.
/// @source  https://docs.docker.com/reference/dockerfile/ ;
///          https://pip.pypa.io/en/stable/reference/requirements-file-format/
Result<Dockerfile> MakeDockerfile(const Lock& lock, const DockerfileOptions& options);

/// Writes what an engine reads: kContextDockerfile and kContextRequirements, in a folder that is
/// made when it is absent. The secret is not part of it. Files of an earlier Dockerfile are
/// replaced.
///
/// @errors  kAlreadyExists: a file of that name is there which is not kinetic's.
Status WriteContext(FileSystem& fs, const Dockerfile& dockerfile, const Path& folder);

}  // namespace kinetic::env
