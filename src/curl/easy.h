#pragma once

#include "curl/library.h"
#include "curl/options.h"
#include "curl/transfer.h"
#include "http/transport.h"

#include <memory>

namespace kinetic::curl {

struct EasyCleanup {
  void operator()(CURL* easy) const { Api().easy_cleanup(easy); }
};
struct ListCleanup {
  void operator()(curl_slist* list) const { Api().slist_free_all(list); }
};

/// A libcurl handle and the lists that it refers to.
struct Easy {
  std::unique_ptr<curl_slist, ListCleanup> headers;     ///< outlives the handle
  std::unique_ptr<curl_slist, ListCleanup> connect_to;  ///< outlives the handle
  std::unique_ptr<CURL, EasyCleanup> handle;
};

/// Creates a configured handle whose data passes through `transfer`.
///
/// @errors  kInvalidArgument (the address, a certificate) · kResourceExhausted.
Result<Easy> MakeEasy(const http::Request& request, const Options& options, Transfer& transfer);

/// Collects the result of a completed request.
Ending EndingOf(CURL* easy, CURLcode code);

}  // namespace kinetic::curl
