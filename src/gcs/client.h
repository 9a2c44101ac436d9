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
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs {

/// The detail of an error of Client::Read with the generation of the content passed on before it.
inline constexpr std::string_view kGenerationDetail = "generation";

/// The JSON API of Cloud Storage for one bucket. Retries transient errors. Functions that return an
/// optional return nullopt if the object does not exist or a precondition fails.
///
/// @errors   of all functions: those of http::Transport::Stream and ErrorFromResponse.
/// @threads  safe to call concurrently.
class Client {
 public:
  /// `transport` and `clock` must outlive this object.
  Client(http::Transport& transport, Clock& clock, std::string bucket, ClientOptions options = {});

  const std::string& bucket() const { return bucket_; }

  /// Stores an object, in several requests if it is large. Verifies its checksum and resends
  /// damaged content. An insert whose response was lost is recognized by its mark.
  ///
  /// @errors  kDataLoss: the content was damaged repeatedly · kAborted: `body` became shorter.
  Result<std::optional<Object>> Insert(const std::string& name,
                                       const std::shared_ptr<http::Body>& body,
                                       const InsertOptions& options, std::stop_token stop) const;

  /// Passes content to `sink` in order and resumes after a lost connection with the same
  /// generation. A range beyond the end is empty. Whole objects up to 1 MiB are verified, and read
  /// again if damaged, before they are passed on.
  ///
  /// @errors  kDataLoss: checksum mismatch of a whole object · kAborted: the object was replaced or
  ///          removed while it was read.
  Result<std::optional<Object>> Read(const std::string& name, const ReadOptions& options,
                                     const http::Sink& sink, std::stop_token stop) const;

  Result<std::optional<Object>> Stat(const std::string& name, std::stop_token stop) const;
  /// @param generation  nullopt: the live one.
  Result<std::optional<Object>> Stat(const std::string& name,
                                     std::optional<std::int64_t> generation,
                                     std::stop_token stop) const;

  /// Calls `each` in order of name until it returns false. `prefixes` may be null.
  Status List(const ListOptions& options, const std::function<Result<bool>(const Object&)>& each,
              std::vector<std::string>* prefixes, std::stop_token stop) const;

  /// Changes metadata, or the custom time, which can only increase. Succeeds if an earlier attempt
  /// whose response was lost made the change.
  Result<std::optional<Object>> Patch(const std::string& name, const Value& changes,
                                      const Preconditions& preconditions,
                                      std::stop_token stop) const;

  enum class DeleteResult : std::uint8_t { kDeleted, kAbsent, kPreconditionFailed };
  Result<DeleteResult> Delete(const std::string& name, const Preconditions& preconditions,
                              std::stop_token stop) const;

  /// Deletes objects in batches. Deletes those that a batch response omits one by one.
  ///
  /// @returns  the results in order of `objects`.
  Result<std::vector<DeleteResult>> DeleteAll(const std::vector<DeleteRequest>& objects,
                                              std::stop_token stop) const;

  /// Concatenates up to 32 objects. Recognizes a lost response like Insert.
  ///
  /// @errors  kNotFound: a part does not exist.
  Result<std::optional<Object>> Compose(const std::vector<Object>& parts, const std::string& name,
                                        const InsertOptions& options, std::stop_token stop) const;

 private:
  /// @param path_prefix  "" or "/upload"
  http::Url ObjectsUrl(std::string_view path_prefix) const;
  http::Url ObjectUrl(const std::string& name) const;
  http::Url UploadUrl(std::string_view type, const std::string& name,
                      const InsertOptions& options) const;
  Result<std::optional<Object>> InsertSmall(const std::string& name,
                                            const std::shared_ptr<http::Body>& body,
                                            const InsertOptions& options,
                                            std::stop_token stop) const;
  Result<std::optional<Object>> InsertLarge(const std::string& name,
                                            const std::shared_ptr<http::Body>& body,
                                            const InsertOptions& options,
                                            std::stop_token stop) const;
  /// Opens the saved session of an upload; null if sessions are not saved.
  std::unique_ptr<UploadSession> OpenSession(const std::string& url, const InsertOptions& options,
                                             std::uint64_t size_bytes) const;
  /// Returns `object` if its checksum is `sent`; else removes it and returns kDataLoss.
  Result<std::optional<Object>> VerifyInserted(Object object,
                                               const std::shared_ptr<http::Body>& body,
                                               std::optional<Crc32c> sent,
                                               std::stop_token stop) const;
  http::Url DeleteUrl(std::string_view endpoint, const DeleteRequest& object) const;
  Status DeleteBatch(const std::vector<DeleteRequest>& objects, std::size_t first,
                     std::vector<std::optional<DeleteResult>>& results, std::stop_token stop) const;
  /// Returns the object if it has the mark, which means that an earlier response was lost.
  Result<std::optional<Object>> StatIfMarked(const std::string& name, const std::string& mark,
                                             std::stop_token stop) const;

  Sender sender_;
  std::string bucket_;
  ClientOptions options_;
};

}  // namespace kinetic::gcs
