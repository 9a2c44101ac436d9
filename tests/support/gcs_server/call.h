#pragma once

#include "base/time/clock.h"
#include "support/gcs_server/access.h"
#include "support/gcs_server/body.h"
#include "support/gcs_server/content_writer.h"
#include "support/gcs_server/date_skew.h"
#include "support/gcs_server/preconditions.h"
#include "support/gcs_server/request.h"
#include "support/gcs_server/rewrite.h"
#include "support/gcs_server/storage.h"
#include "support/gcs_server/upload_session.h"

#include <chrono>
#include <filesystem>
#include <string>

namespace kinetic::gcs_server {

/// Behavior of a server.
struct Behavior {
  bool md5 = true;                  ///< computes MD5 unrequested, which halves the upload speed
  int page_limit = 1000;            ///< maximum number of objects per page of a listing
  bool empty_pages = false;         ///< every second page of a listing is empty, with a token
  Clock* clock = &SystemClock();    ///< source of dates and times
  std::uint64_t rewrite_bytes = 0;  ///< maximum bytes copied by one call of a rewrite; 0: all
  /// Minimum time between two changes of an object; others are rejected with 429.
  std::chrono::milliseconds change_interval{1'000};
};

/// State shared by all requests.
struct ServerState {
  ServerState(const std::filesystem::path& folder, Behavior its_behavior)
      : behavior(its_behavior),
        contents(folder),
        storage(*behavior.clock, behavior.change_interval) {}

  const Behavior behavior;
  ContentStorage contents;
  Storage storage;
  UploadSessions sessions;
  Rewrites rewrites;
  Access access;
  DateSkew dates;
};

/// A request in progress.
struct Call {
  const Request& request;
  BodySource& body;
  const Grant& grant;
  ServerState& state;
};

/// Returns a resource reduced to the `fields` of the request.
Reply ResourceReply(const Call& call, const nlohmann::json& resource);
Reply ObjectReply(const Call& call, const Object& object);

/// Parses the body as a JSON object. @errors 400
Outcome<nlohmann::json> ReadResource(Call& call);

/// Checks the preconditions of the request and, for a replacement, the permission to delete.
Storage::Check WriteCheck(const Call& call, Preconditions conditions);

}  // namespace kinetic::gcs_server
