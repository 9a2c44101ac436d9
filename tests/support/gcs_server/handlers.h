#pragma once

#include "support/gcs_server/call.h"

#include <string>

namespace kinetic::gcs_server {

// One function per method of the API, defined in the source of its family.

Reply GetObject(Call& call, const std::string& bucket, const std::string& name);
Reply PatchObject(Call& call, const std::string& bucket, const std::string& name);
Reply UpdateObject(Call& call, const std::string& bucket, const std::string& name);
Reply DeleteObject(Call& call, const std::string& bucket, const std::string& name);

Reply Download(Call& call, const std::string& bucket, const std::string& name);
Reply ListObjects(Call& call, const std::string& bucket);
Reply Compose(Call& call, const std::string& bucket, const std::string& name);

/// Source and target of a copy.
struct CopyNames {
  std::string from_bucket;
  std::string from;
  std::string to_bucket;
  std::string to;
};
Reply Rewrite(Call& call, const CopyNames& names);
Reply Copy(Call& call, const CopyNames& names);

/// POST /upload/…: dispatches on uploadType.
Reply Upload(Call& call, const std::string& bucket);
Reply StartSession(Call& call, const std::string& bucket);
Reply ContinueSession(Call& call, const std::string& bucket);
Reply CancelSession(Call& call);

Reply CreateBucket(Call& call);
Reply ListBuckets(Call& call);
Reply GetBucket(Call& call, const std::string& bucket);
Reply PatchBucket(Call& call, const std::string& bucket, bool replace);
Reply DeleteBucket(Call& call, const std::string& bucket);
Reply GetStorageLayout(Call& call, const std::string& bucket);
Reply GetPolicy(Call& call, const std::string& bucket);
Reply SetPolicy(Call& call, const std::string& bucket);
Reply TestPermissions(Call& call, const std::string& bucket);

Reply Batch(Call& call);

/// Authenticates a request and calls its function.
Reply Handle(ServerState& state, const Request& request, BodySource& body);

}  // namespace kinetic::gcs_server
