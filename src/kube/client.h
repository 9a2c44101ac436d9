#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "http/transport.h"
#include "kube/error.h"
#include "kube/options.h"
#include "kube/resource.h"
#include "kube/sender.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::kube {

/// A REST client for the Kubernetes API of one cluster. Objects are kinetic::Value with all fields
/// except `metadata.managedFields`, which is emptied. Transient errors are retried.
///
/// @errors   of every call: those of http::Transport::Stream and of kube::ToError · kDataLoss (an
///           invalid response) · kCancelled.
/// @threads  safe to call concurrently.
class Client {
 public:
  /// @param transport, clock  must outlive it.
  Client(http::Transport& transport, Clock& clock, ClientOptions options);

  struct CreateResult {
    Value object;          ///< as stored by the server
    bool existed = false;  ///< an object of that name existed
  };

  /// Creates an object, or returns the existing one of that name. The caller chooses the name and
  /// compares an existing object, which may come from an earlier attempt whose response was lost.
  /// The server rejects unknown fields.
  ///
  /// @errors  kInvalidArgument: the object is too large.
  Result<CreateResult> Create(const Resource& resource, std::string_view name_space,
                              const Value& object, std::stop_token stop) const;

  /// Returns an object, or nullopt if it does not exist.
  Result<std::optional<Value>> Get(const Resource& resource, std::string_view name_space,
                                   std::string_view name, std::stop_token stop) const;

  /// Calls `each` once for every object, page by page, and returns the list's resourceVersion.
  ///
  /// @param name_space  empty: all.
  Result<std::string> List(const Resource& resource, std::string_view name_space,
                           const ListOptions& query,
                           const std::function<Status(const Value& item)>& each,
                           std::stop_token stop) const;

  /// Changes an object by a merge patch (RFC 7386) and returns it, or nullopt if it does not exist.
  ///
  /// @errors  kAborted: changed concurrently.
  Result<std::optional<Value>> Patch(const Resource& resource, std::string_view name_space,
                                     std::string_view name, const Value& patch,
                                     std::stop_token stop) const;

  /// Deletes an object, and in the background the objects that it owns. Returns false if it does
  /// not exist or does not meet the preconditions.
  Result<bool> Delete(const Resource& resource, std::string_view name_space, std::string_view name,
                      const DeleteOptions& options, std::stop_token stop) const;

  /// Lists and then watches objects until an error. Reconnects by itself, reports each version at
  /// most once, and reports deletions that happened while disconnected. Intermediate versions may
  /// be skipped. Keeps only the name, uid and resourceVersion of each object in memory.
  ///
  /// @errors  kCancelled by `stop` · that of `each` · permanent errors: 401, 403, a kind that the
  ///          server does not serve.
  Status Watch(const Resource& resource, std::string_view name_space, const ListOptions& query,
               const EventSink& each, const WatchOptions& options, std::stop_token stop) const;

  /// Streams the log of one container, without retries. If the log file is lost, the kubelet writes
  /// an error message into the stream.
  ///
  /// @errors  those before the stream began. Later ones are in LogEnd.
  Result<LogEnd> ReadLog(std::string_view name_space, std::string_view pod, const LogQuery& query,
                         const http::Sink& sink, std::stop_token stop) const;

  Result<Version> GetServerVersion(std::stop_token stop) const;

  Result<PermissionReview> CheckPermission(const Permission& question, std::stop_token stop) const;

  /// Returns the account's name: "ana@example.com", "system:serviceaccount:ml:trainer".
  ///
  /// @errors  kUnimplemented: the server is older than 1.28.
  Result<std::string> GetUserName(std::stop_token stop) const;

 private:
  /// Posts a review object, which the server answers but does not store.
  Result<Value> PostReview(const Resource& resource, const Value& question,
                           std::stop_token stop) const;

  RequestSender sender_;
  ClientOptions options_;
};

}  // namespace kinetic::kube
