#pragma once

#include "support/gcs_server/reply.h"

#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// An error in Google's format: {"error":{"code","message","errors":[{"domain","reason",…}]}}.
Reply ErrorReply(int status, std::string_view reason, const std::string& message);

Reply Invalid(const std::string& message);                             ///< 400
Reply InvalidArgument(std::string_view name, std::string_view value);  ///< 400, a query parameter
Reply NoSuchBucket();                                                  ///< 404
Reply NoSuchObject(std::string_view bucket, std::string_view object);  ///< 404
Reply NotFound(const std::string& message);                            ///< 404
Reply Conflict(const std::string& message);                            ///< 409
Reply ConditionNotMet(std::string_view which);                         ///< 412
Reply NotImplemented(std::string_view what);  ///< 501: not supported by this stand-in
Reply TooManyMutations(std::string_view bucket, std::string_view object);  ///< 429
Reply BackendError();                                                      ///< 503

/// The same error as plain text, for media downloads.
Reply AsPlainText(const Reply& error);

}  // namespace kinetic::gcs_server
