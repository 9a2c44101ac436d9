#pragma once

#include "kinetic/cluster_spec.h"
#include "kinetic/result.h"

#include "connect/connection.h"
#include "gcs/client.h"

#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::provision {

/// A connection to Cloud Storage with the options of its clients.
struct StorageClient {
  std::shared_ptr<connect::Connection> connection;
  gcs::ClientOptions options;

  /// @errors  those of connect::Connection::Open.
  static Result<StorageClient> Open(const ClusterAdminOptions& options, std::stop_token stop);
};

/// Deletes all objects whose names begin with `prefix`. Succeeds if the bucket does not exist.
Status RemoveObjects(const std::string& bucket, const std::string& prefix,
                     const ClusterAdminOptions& options, std::stop_token stop);

}  // namespace kinetic::provision
