#pragma once

#include "kinetic/result.h"

#include "base/hash/crc32c.h"
#include "gcs/object.h"
#include "gcs/sender.h"
#include "gcs/upload/sessions.h"
#include "http/body.h"
#include "http/transport.h"
#include "http/url.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs {

/// The JSON API of Cloud Storage for one bucket. Requests that may pass are sent again; those that
/// are not idempotent by themselves carry a precondition, so that a reply lost does no harm.
///
/// @errors   of every call: those of http::Transport::Stream and of gcs::ErrorOf.
/// @threads  safe to call concurrently.
class Client {
 public:
  /// All but the bucket outlive it.
  Client(http::Transport& transport, Clock& clock, std::string bucket, ClientOptions options = {});

  const std::string& bucket() const { return bucket_; }

  /// Stores an object in one request, or in as many as its size asks for. Nothing: the precondition
  /// does not hold. An insert whose reply was lost is recognised by a mark of its own and counts as
  /// done. What was damaged on its way is sent again, and nothing of it stays.
  ///
  /// @errors  kDataLoss when it is damaged again and again · kAborted when it became shorter.
  Result<std::optional<Object>> Insert(const std::string& name,
                                       const std::shared_ptr<http::Body>& body,
                                       const InsertOptions& options, std::stop_token stop) const;

  /// Passes bytes to `sink` in order, going on after a cut where it stopped, always of one
  /// generation. Nothing: there is no such object. A range past the end is empty. A whole object of
  /// up to 1 MiB is checked before it is passed on, and read again when it was damaged on its way.
  ///
  /// @errors  kDataLoss when a whole object has another checksum than the server says · kAborted
  ///          when it was replaced or removed in the midst.
  Result<std::optional<Object>> Read(const std::string& name, const ReadOptions& options,
                                     const http::Sink& sink, std::stop_token stop) const;

  Result<std::optional<Object>> Stat(const std::string& name, std::stop_token stop) const;
  /// Of one generation, which is the live one if it is there.
  Result<std::optional<Object>> Stat(const std::string& name,
                                     std::optional<std::int64_t> generation,
                                     std::stop_token stop) const;

  /// Calls `each` in order of name; it returns false to end the listing. `prefixes` may be null.
  Status List(const ListOptions& options, const std::function<Result<bool>(const Object&)>& each,
              std::vector<std::string>* prefixes, std::stop_token stop) const;

  /// Sets the custom time, which can only go forward, and metadata. Nothing: there is no such
  /// object, or a condition does not hold. A change whose reply was lost counts as done when the
  /// object is as it would have left it.
  Result<std::optional<Object>> Patch(const std::string& name, const Value& changes,
                                      const Conditions& conditions, std::stop_token stop) const;

  enum class Deletion : std::uint8_t { kDeleted, kAbsent, kChanged };
  Result<Deletion> Delete(const std::string& name, const Conditions& conditions,
                          std::stop_token stop) const;

  /// Removes many, a hundred in a request; those whose answer says nothing, one by one.
  ///
  /// @returns  what became of each, in order.
  Result<std::vector<Deletion>> DeleteAll(const std::vector<Doomed>& objects,
                                          std::stop_token stop) const;

  /// Joins up to 32 objects into one; recognised like an insert. Nothing: the precondition does not
  /// hold. @errors kNotFound when one of them is absent.
  Result<std::optional<Object>> Compose(const std::vector<Object>& parts, const std::string& name,
                                        const InsertOptions& options, std::stop_token stop) const;

 private:
  /// @param area  "" or "/upload"
  http::Url Address(std::string_view area) const;
  http::Url ObjectAddress(const std::string& name) const;
  http::Url UploadAddress(std::string_view kind, const std::string& name,
                          const InsertOptions& options) const;
  Result<std::optional<Object>> InsertSmall(const std::string& name,
                                            const std::shared_ptr<http::Body>& body,
                                            const InsertOptions& options,
                                            std::stop_token stop) const;
  Result<std::optional<Object>> InsertLarge(const std::string& name,
                                            const std::shared_ptr<http::Body>& body,
                                            const InsertOptions& options,
                                            std::stop_token stop) const;
  /// Where the session of an upload is kept; null: it is not.
  std::unique_ptr<SessionPlace> PlaceOf(const std::string& address, const InsertOptions& options,
                                        std::uint64_t size_bytes) const;
  /// What was stored, if it is what was sent; damaged, it is removed. @errors kDataLoss
  Result<std::optional<Object>> Checked(Object object, const std::shared_ptr<http::Body>& body,
                                        std::optional<Crc32c> sent, std::stop_token stop) const;
  http::Url DeletionAddress(std::string_view endpoint, const Doomed& object) const;
  Status DeleteBatch(const std::vector<Doomed>& objects, std::size_t first,
                     std::vector<std::optional<Deletion>>& outcomes, std::stop_token stop) const;
  /// What is there, if it carries the mark: the answer to an earlier attempt was lost.
  Result<std::optional<Object>> IfMarked(const std::string& name, const std::string& mark,
                                         std::stop_token stop) const;

  Sender sender_;
  std::string bucket_;
  ClientOptions options_;
};

}  // namespace kinetic::gcs
