#pragma once

#include "kube/kubeconfig/cluster_access.h"

namespace kinetic::kube {

/// The text of a certificate or key, from its file where it is in one; empty where none is given.
///
/// @param   what  for messages: "the CA of cluster prod".
/// @errors  those of FileSystem, with the place that names the file.
Result<std::string> TextOf(FileSystem& fs, const Pem& pem, const std::string& what);

/// Sets the authority of a cluster, when its certificates can be read.
///
/// @errors  kInvalidArgument: where it is named, and what is wrong with it.
Status TakeAuthority(FileSystem& fs, const Pem& pem, const std::string& what,
                     ClusterAccess& access);

/// Sets the client certificate and its key, when they belong together.
Status TakeClientCertificate(FileSystem& fs, const UserEntry& user, ClusterAccess& access);

}  // namespace kinetic::kube
