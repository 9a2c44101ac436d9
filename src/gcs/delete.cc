#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "gcs/client.h"
#include "gcs/protocol.h"

#include <algorithm>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kDeleteThreads = 8;

std::optional<Client::DeleteResult> DeleteResultFrom(const http::Response& response) {
  if (response.status / 100 == 2) return Client::DeleteResult::kDeleted;
  if (response.status == 404 && !IsBucketMissing(response)) return Client::DeleteResult::kAbsent;
  if (IsConditionNotMet(response)) return Client::DeleteResult::kPreconditionFailed;
  return std::nullopt;
}

}  // namespace

http::Url Client::DeleteUrl(std::string_view endpoint, const DeleteRequest& object) const {
  http::Url url(endpoint);
  url.Raw("/storage/v1/b").Part(bucket_).Raw("/o").Part(object.name);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  AddPreconditions(url, object.preconditions);
  return url;
}

Result<Client::DeleteResult> Client::Delete(const std::string& name,
                                            const Preconditions& preconditions,
                                            std::stop_token stop) const {
  http::Request request;
  request.method = "DELETE";
  request.url = DeleteUrl(options_.endpoint, {name, preconditions}).Text();
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, IdempotencyOf(preconditions), std::move(stop)));
  if (const auto deletion = DeleteResultFrom(response)) return *deletion;
  return Failure(ErrorFromResponse(request, response));
}

Status Client::DeleteBatch(const std::vector<DeleteRequest>& objects, std::size_t first,
                           std::vector<std::optional<DeleteResult>>& results,
                           std::stop_token stop) const {
  const std::size_t count = std::min(kMaxBatchCalls, objects.size() - first);
  std::vector<http::Request> calls(count);
  auto idempotency = http::Idempotency::kIdempotent;
  for (std::size_t i = 0; i < count; ++i) {
    calls[i].method = "DELETE";
    calls[i].url = DeleteUrl("", objects[first + i]).Text();
    if (IdempotencyOf(objects[first + i].preconditions) == http::Idempotency::kNonIdempotent) {
      idempotency = http::Idempotency::kNonIdempotent;
    }
  }
  const http::Request request = BatchRequest(options_.endpoint + "/batch/storage/v1", calls);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, idempotency, std::move(stop)));
  // Emulators, proxies and service perimeters may reject batches only; the caller deletes one by
  // one.
  if (response.status / 100 != 2) return {};
  const auto responses = ParseBatchResponse(response, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (responses[i]) results[first + i] = DeleteResultFrom(*responses[i]);
  }
  return {};
}

Result<std::vector<Client::DeleteResult>> Client::DeleteAll(
    const std::vector<DeleteRequest>& objects, std::stop_token stop) const {
  std::vector<std::optional<DeleteResult>> results(objects.size());
  const std::size_t batches = (objects.size() + kMaxBatchCalls - 1) / kMaxBatchCalls;
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      kDeleteThreads, batches, stop, [&](std::size_t batch, std::stop_token batch_stop) {
        return DeleteBatch(objects, batch * kMaxBatchCalls, results, std::move(batch_stop));
      }));
  // Retries calls without a final result one by one: rate limits and server errors.
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      kDeleteThreads, objects.size(), stop,
      [&](std::size_t i, std::stop_token single_stop) -> Status {
        if (results[i]) return {};
        KINETIC_ASSIGN_OR_RETURN(
            results[i], Delete(objects[i].name, objects[i].preconditions, std::move(single_stop)));
        return {};
      }));
  std::vector<DeleteResult> deletions;
  deletions.reserve(results.size());
  for (const auto& result : results) deletions.push_back(*result);
  return deletions;
}

}  // namespace kinetic::gcs
