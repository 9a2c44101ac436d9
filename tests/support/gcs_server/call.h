#pragma once

#include "base/time/clock.h"
#include "support/gcs_server/access.h"
#include "support/gcs_server/body.h"
#include "support/gcs_server/content_writer.h"
#include "support/gcs_server/preconditions.h"
#include "support/gcs_server/request.h"
#include "support/gcs_server/rewrite.h"
#include "support/gcs_server/storage.h"
#include "support/gcs_server/upload_session.h"

#include <filesystem>
#include <string>

namespace kinetic::gcs_server {

/// How a server behaves.
struct Behaviour {
  bool md5 = true;                  ///< sum MD5 though nobody asked; half the speed of an upload
  int page_limit = 1000;            ///< the most objects of one page of a listing
  bool empty_pages = false;         ///< every second page of a listing has no items, and a token
  Clock* clock = &SystemClock();    ///< what its dates and times are from
  std::uint64_t rewrite_bytes = 0;  ///< the most that one call of a rewrite copies; 0: all
};

/// All that requests share.
struct World {
  World(const std::filesystem::path& folder, Behaviour its_behaviour)
      : behaviour(its_behaviour), room(folder), storage(*behaviour.clock) {}

  const Behaviour behaviour;
  ContentRoom room;
  Storage storage;
  UploadSessions sessions;
  Rewrites rewrites;
  Access access;
};

/// One request under way.
struct Call {
  const Request& request;
  BodySource& body;
  const Grant& grant;
  World& world;
};

/// A resource as the request wants it: its `fields`.
Reply ResourceReply(const Call& call, const nlohmann::json& resource);
Reply ObjectReply(const Call& call, const Object& object);

/// The body as a JSON object. @errors 400
Outcome<nlohmann::json> ReadResource(Call& call);

/// Preconditions of the request and, where something would be replaced, the permission to delete.
Storage::Check WriteCheck(const Call& call, Preconditions conditions);

}  // namespace kinetic::gcs_server
