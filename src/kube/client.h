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

/// The Kubernetes API of one cluster, as plain REST. Objects are kinetic::Value, unknown fields and
/// all, but for `metadata.managedFields`, which is emptied. Requests that may pass are sent again,
/// at the pace the server asks for.
///
/// @errors   of every call: those of http::Transport::Stream and of kube::ErrorOf · kDataLoss (an
///           answer that is none) · kCancelled.
/// @threads  safe to call concurrently.
class Client {
 public:
  /// Transport and clock outlive it.
  Client(http::Transport& transport, Clock& clock, ClientOptions options);

  struct Created {
    Value object;          ///< as the server has it
    bool existed = false;  ///< something of that name was there
  };

  /// Names are given by the caller, so that a creation whose reply was lost is found again: what is
  /// there is returned, and the caller compares it with what was wanted.
  ///
  /// @errors  kInvalidArgument when the object is too large, before anything is sent.
  Result<Created> Create(const Resource& resource, std::string_view name_space, const Value& object,
                         const CreateOptions& options, std::stop_token stop) const;

  /// Nothing: it is not there.
  Result<std::optional<Value>> Get(const Resource& resource, std::string_view name_space,
                                   std::string_view name, std::stop_token stop) const;

  /// In pages; each object once, also when the listing has to begin anew.
  ///
  /// @param name_space  empty: all. @returns the resourceVersion of the list.
  Result<std::string> List(const Resource& resource, std::string_view name_space,
                           const Query& query, const std::function<Status(const Value& item)>& each,
                           std::stop_token stop) const;

  /// Nothing: it is not there. @errors kAborted when somebody else changed it at the same time.
  Result<std::optional<Value>> Patch(const Resource& resource, std::string_view name_space,
                                     std::string_view name, PatchKind kind, const Value& patch,
                                     std::stop_token stop) const;

  /// False: it was not there, or not with that uid and version.
  Result<bool> Delete(const Resource& resource, std::string_view name_space, std::string_view name,
                      const DeleteOptions& options, std::stop_token stop) const;

  /// Lists and then watches, for ever. No change is lost and none is told twice, whatever happens
  /// to connections and API servers; of several changes that were made while nothing was heard only
  /// the last is told, and what went meanwhile comes as kDeleted. Of each object its name, uid and
  /// resourceVersion are held, and no more.
  ///
  /// @errors  kCancelled by `stop` · that of `each` · what does not pass: 401, 403, a kind that is
  ///          not served.
  Status Watch(const Resource& resource, std::string_view name_space, const Query& query,
               const EventSink& each, const WatchOptions& options, std::stop_token stop) const;

  /// One stream of one container's log, bytes as the server sends them and as soon as they come. It
  /// is not begun again. Where a container's log file is lost, a kubelet says so in the stream.
  ///
  /// @errors  of what did not begin; how a stream that began ended is in LogEnd.
  Result<LogEnd> ReadLog(std::string_view name_space, std::string_view pod, const LogQuery& query,
                         const http::Sink& sink, std::stop_token stop) const;

  Result<Version> ServerVersion(std::stop_token stop) const;

  Result<Access> MayI(const AccessQuestion& question, std::stop_token stop) const;

  /// The account's name: "ana@example.com", "system:serviceaccount:ml:trainer".
  ///
  /// @errors  kUnimplemented by a server before 1.28.
  Result<std::string> WhoAmI(std::stop_token stop) const;

 private:
  /// The answer to an object that asks a question and is not kept.
  Result<Value> Review(const Resource& resource, const Value& question, std::stop_token stop) const;

  Sender sender_;
  ClientOptions options_;
};

}  // namespace kinetic::kube
