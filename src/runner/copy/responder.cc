#include "runner/copy/responder.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "record/object_names.h"
#include "runner/copy/progress_writer.h"
#include "runner/diagnostics.h"
#include "store/age.h"
#include "store/bucket/location.h"

#include <fmt/format.h>

#include <vector>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kBucketPoll{5};
constexpr std::chrono::seconds kFolderPoll{2};
/// After a request, another one often follows.
constexpr std::chrono::seconds kActivePoll{1};
constexpr std::chrono::seconds kActiveTime{30};
/// The client of an older request has given up, or was killed.
constexpr std::chrono::minutes kMaxRequestAge{1};
constexpr std::size_t kMaxCopies = 8;
/// An answer must not delay the end of a job for long.
constexpr std::chrono::seconds kAnswerTimeout{10};

Error EndedError() {
  return {ErrorCode::kFailedPrecondition,
          "the program ended during the copy",
          "run the same command again",
          {}};
}

Error RestartedError() {
  return {ErrorCode::kFailedPrecondition,
          "the job was restarted during the copy",
          "run the same command again",
          {}};
}

}  // namespace

CopyResponder::CopyResponder(const CopiedJob& job, Clock& clock)
    : job_(job),
      clock_(clock),
      key_(KeyOf(job.record)),
      waiter_(clock),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

CopyResponder::~CopyResponder() {
  thread_.request_stop();
  stop_copies_.request_stop();
}

void CopyResponder::CheckNow() {
  check_now_ = true;
  waiter_.Wake();
}

milliseconds CopyResponder::Interval() const {
  if (changed_ && clock_.Steady() - *changed_ < kActiveTime) return kActivePoll;
  return store::IsBucketLocation(job_.store.Location()) ? kBucketPoll : kFolderPoll;
}

void CopyResponder::Work(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { waiter_.Wake(); });
  SteadyTime next = clock_.Steady() + kFirstCopyPoll;
  while (!stop.stop_requested()) {
    const SteadyTime now = clock_.Steady();
    if (now < next && !check_now_.exchange(false)) {
      waiter_.Wait(std::chrono::ceil<milliseconds>(next - now));
      continue;
    }
    Poll(stop);
    next = clock_.Steady() + Interval();
  }
}

void CopyResponder::Poll(const std::stop_token& stop) {
  std::erase_if(copies_, [](const auto& copy) {
    return copy.second.wait_for(milliseconds(0)) == std::future_status::ready;
  });
  const auto marker = job_.store.Stat(record::CopyMarkerName(key_.id), stop);
  if (!marker || !*marker) return;
  const Marker found{(*marker)->generation, (*marker)->metageneration};
  if (found == answered_) return;
  const bool is_new = found != seen_;
  if (is_new) changed_ = clock_.Steady();
  seen_ = found;
  const Status started = StartNew(stop);
  if (started) answered_ = found;
  if (!started && is_new && !stop.stop_requested()) {
    LogFailure("responding to copy requests", started);
  }
}

Status CopyResponder::StartNew(const std::stop_token& stop) {
  const std::string folder = record::CopyRequestFolder(key_.id);
  std::vector<store::ObjectInfo> requests;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (!known_.contains(info.name.substr(folder.size()))) requests.push_back(info);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(job_.store.List(folder, "", take, stop));
  for (const auto& request : requests) {
    if (copies_.size() >= kMaxCopies) {
      return Fail(ErrorCode::kResourceExhausted, "too many copies at the same time");
    }
    const std::string id = request.name.substr(folder.size());
    KINETIC_RETURN_IF_ERROR(Start(request, id, stop));
    known_.insert(id);
  }
  return {};
}

/// Starts a copy on another thread. Ignores a request of another job, an old and a damaged one.
Status CopyResponder::Start(const store::ObjectInfo& object, const std::string& id,
                            const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, job_.store.ExactNow(stop));
  if (store::IsOlder(object.lease, now, kMaxRequestAge)) return {};
  // An earlier collector of this pod may have responded to it.
  KINETIC_ASSIGN_OR_RETURN(const auto answer,
                           job_.store.Stat(record::CopyAnswerName(key_.id, id), stop));
  if (answer) return {};
  const auto json = store::GetBytes(job_.store, object.name, stop, record::kMaxCopyDocumentBytes);
  if (!json && store::IsStoreUnavailable(json.error())) return Failure(json.error());
  if (!json || !*json) return {};
  auto request = record::CopyRequestFromJson(**json);
  Status valid = request ? record::CheckOwner(object.name, request->job, key_)
                         : Status(Failure(request.error()));
  LogFailure("reading a copy request", valid);
  if (!valid) return {};
  const auto answer_it = [this, id, request = *std::move(request)] { Answer(id, request); };
  copies_.emplace(id, std::async(std::launch::async, answer_it));
  return {};
}

void CopyResponder::Answer(const std::string& id, const record::CopyRequest& request) {
  auto answer = Serve(id, request);
  if (!answer) answer = record::CopyAnswer{.job = key_, .error = answer.error()};
  LogDiagnostic(fmt::format("copy {} {}: {}", request.is_upload ? "to" : "from",
                            Printable(request.path),
                            answer->error ? answer->error->message : FormatBytes(answer->bytes)));
  LogFailure("responding to a copy request", StoreAnswer(id, *answer));
}

Result<record::CopyAnswer> CopyResponder::Serve(const std::string& id,
                                                const record::CopyRequest& request) {
  const std::stop_token stop = stop_copies_.get_token();
  const CopyProgressWriter::Names names{key_, id};
  KINETIC_ASSIGN_OR_RETURN(const auto claim, CopyProgressWriter::Claim(job_.store, names, stop));
  if (!claim) return Failure(RestartedError());
  CopyCounter counter;
  const CopyProgressWriter progress(job_.store, clock_, names, *claim, counter);
  std::stop_source either;
  const auto forward = [&either] { either.request_stop(); };
  const std::stop_callback on_stop(stop, forward);
  const std::stop_callback on_abandoned(progress.abandoned(), forward);
  auto answer = ServeCopy(job_, id, request, counter, either.get_token());
  const bool has_ended = !answer && answer.error().code == ErrorCode::kCancelled;
  if (has_ended && !progress.abandoned().stop_requested()) return Failure(EndedError());
  return answer;
}

/// Stores the answer, or removes what was stored if the client has removed its request.
Status CopyResponder::StoreAnswer(const std::string& id, const record::CopyAnswer& answer) {
  const Deadline deadline(kAnswerTimeout, {});
  const std::stop_token stop = deadline.token();
  KINETIC_RETURN_IF_ERROR(store::PutBytes(job_.store, record::CopyAnswerName(key_.id, id),
                                          ToJson(answer), store::Precondition::Absent(), stop));
  KINETIC_ASSIGN_OR_RETURN(const auto request,
                           job_.store.Stat(record::CopyRequestName(key_.id, id), stop));
  if (request) return {};
  return store::RemoveAllBelow(job_.store, record::CopyFolder(key_.id, id), stop);
}

}  // namespace kinetic::runner
