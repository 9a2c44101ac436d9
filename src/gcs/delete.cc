#include "base/concurrency/parallel.h"
#include "base/try.h"
#include "gcs/client.h"
#include "gcs/protocol.h"

#include <algorithm>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kThreads = 8;

/// What an answer to a deletion means; nothing when it is none of the three.
std::optional<Client::Deletion> DeletionIn(const http::Response& response) {
  if (response.status / 100 == 2) return Client::Deletion::kDeleted;
  if (response.status == 404 && !BucketIsMissing(response)) return Client::Deletion::kAbsent;
  if (response.status == 412) return Client::Deletion::kChanged;
  return std::nullopt;
}

}  // namespace

http::Url Client::DeletionAddress(std::string_view endpoint, const Doomed& object) const {
  http::Url url(endpoint);
  url.Raw("/storage/v1/b").Part(bucket_).Raw("/o").Part(object.name);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  AddConditions(url, object.conditions);
  return url;
}

Result<Client::Deletion> Client::Delete(const std::string& name, const Conditions& conditions,
                                        std::stop_token stop) const {
  http::Request request;
  request.method = "DELETE";
  request.url = DeletionAddress(options_.endpoint, {name, conditions}).Text();
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, IdempotencyOf(conditions), std::move(stop)));
  if (const auto deletion = DeletionIn(response)) return *deletion;
  return Failure(ErrorOf(request, response));
}

Status Client::DeleteBatch(const std::vector<Doomed>& objects, std::size_t first,
                           std::vector<std::optional<Deletion>>& outcomes,
                           std::stop_token stop) const {
  const std::size_t count = std::min(kBatchCalls, objects.size() - first);
  std::vector<http::Request> calls(count);
  auto idempotency = http::Idempotency::kIdempotent;
  for (std::size_t i = 0; i < count; ++i) {
    calls[i].method = "DELETE";
    calls[i].url = DeletionAddress("", objects[first + i]).Text();
    if (IdempotencyOf(objects[first + i].conditions) == http::Idempotency::kNonIdempotent) {
      idempotency = http::Idempotency::kNonIdempotent;
    }
  }
  const http::Request request = BatchRequest(options_.endpoint + "/batch/storage/v1", calls);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, idempotency, std::move(stop)));
  if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
  const auto answers = BatchAnswers(response, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (answers[i]) outcomes[first + i] = DeletionIn(*answers[i]);
  }
  return {};
}

Result<std::vector<Client::Deletion>> Client::DeleteAll(const std::vector<Doomed>& objects,
                                                        std::stop_token stop) const {
  std::vector<std::optional<Deletion>> outcomes(objects.size());
  const std::size_t batches = (objects.size() + kBatchCalls - 1) / kBatchCalls;
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(kThreads, batches, stop, [&](std::size_t batch, std::stop_token batch_stop) {
        return DeleteBatch(objects, batch * kBatchCalls, outcomes, std::move(batch_stop));
      }));
  // An answer that says nothing of the object: the rate, a failure within. Alone it is tried again.
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      kThreads, objects.size(), stop, [&](std::size_t i, std::stop_token single_stop) -> Status {
        if (outcomes[i]) return {};
        KINETIC_ASSIGN_OR_RETURN(
            outcomes[i], Delete(objects[i].name, objects[i].conditions, std::move(single_stop)));
        return {};
      }));
  std::vector<Deletion> deletions;
  deletions.reserve(outcomes.size());
  for (const auto& outcome : outcomes) deletions.push_back(*outcome);
  return deletions;
}

}  // namespace kinetic::gcs
