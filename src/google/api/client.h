#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"
#include "http/transport.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::google {

/// A request to a Google API as data, so that it can be shown before it is sent.
struct ApiRequest {
  std::string method = "GET";
  std::string service;  ///< "container.googleapis.com"
  std::string path;     ///< encoded, with the query: "/v1/projects/p/locations/l/clusters"
  Value body = {};      ///< null: none

  bool operator==(const ApiRequest&) const = default;
};

/// Receives one page of a list.
using PageSink = std::function<Status(const Value& page)>;

/// A client of the JSON APIs of Google Cloud. Every request is sent again after a transient error,
/// so it must be idempotent: names are chosen by the caller, and policies carry an etag.
///
/// @errors   of every call: those of http::Transport::Stream and of google::ToError.
/// @threads  safe to call concurrently.
class ApiClient {
 public:
  /// @param transport  adds the credential; like `clock`, must outlive the client.
  /// @param endpoint   emulator URL: requests go to ENDPOINT/SERVICE/PATH. Empty: Google's.
  ApiClient(http::Transport& transport, Clock& clock, std::string endpoint = {});

  /// Returns the response, an empty map if it has no body.
  Result<Value> Send(const ApiRequest& request, std::stop_token stop) const;

  /// Sets the project that the requests are about, for IsApiDisabled.
  ///
  /// @param number  empty: unknown.
  void SetProject(const std::string& id, const std::string& number);

  /// Returns whether a request failed because this very project has not enabled the API. Google also
  /// checks the project that requests count for, which says nothing about this one.
  bool IsApiDisabled(const Error& error) const;

  /// Returns nullopt if the resource does not exist.
  Result<std::optional<Value>> Find(const std::string& service, const std::string& path,
                                    std::stop_token stop) const;

  /// Succeeds if a failed read proves that there is nothing to read: this very project has not enabled
  /// the API, and Service Usage confirms it.
  ///
  /// @errors  the error of the read.
  Status CheckNothingExists(Error error, std::stop_token stop) const;

  /// Same as Find, also if CheckNothingExists succeeds.
  Result<std::optional<Value>> FindCreated(const std::string& service, const std::string& path,
                                           std::stop_token stop) const;

  /// Calls `take` with each page of a list, and returns its first error.
  ///
  /// @errors  kUnavailable: the list is incomplete, because a location did not respond.
  Status ForEachPage(const std::string& service, const std::string& path, const PageSink& take,
                     const std::stop_token& stop) const;

  /// Returns the items of all pages of a list.
  ///
  /// @param key  the member with the items: "serviceAccounts".
  Result<std::vector<Value>> List(const std::string& service, const std::string& path,
                                  const std::string& key, const std::stop_token& stop) const;

  std::string UrlOf(const ApiRequest& request) const;
  Clock& clock() const { return *clock_; }

 private:
  http::Transport* transport_;
  Clock* clock_;
  std::string endpoint_;
  std::string project_;         ///< ID
  std::string project_number_;  ///< empty: unknown
};

}  // namespace kinetic::google
