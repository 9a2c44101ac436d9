#pragma once

#include "kinetic/result.h"

#include <curl/curl.h>

namespace kinetic::curl {

/// The functions of libcurl. They are loaded with the first engine, so a program that contacts no
/// server starts without libcurl and its dependencies.
struct Library {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_pause) easy_pause;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_setopt) multi_setopt;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_wakeup) multi_wakeup;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_cleanup) multi_cleanup;
};

/// Loads and starts libcurl, once.
///
/// @errors  kFailedPrecondition: it is not installed, or cannot be loaded.
Status LoadLibrary();

/// Returns the functions. Call LoadLibrary first.
const Library& Api();

}  // namespace kinetic::curl
