#pragma once

#include "kinetic/error.h"

#include "curl/transfer.h"
#include "http/transport.h"

namespace kinetic::curl {

/// Returns the error of a request without a response.
///
/// @param text  libcurl's own description; may be empty.
/// @source https://curl.se/libcurl/c/libcurl-errors.html
Error ErrorOf(const http::Request& request, const Ending& ending, std::string_view text);

}  // namespace kinetic::curl
