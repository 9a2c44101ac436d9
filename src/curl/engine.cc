#include "curl/engine.h"

#include "kinetic/try.h"

#include "curl/library.h"
#include "curl/transport.h"

#include <utility>

namespace kinetic::curl {
namespace {

constexpr long kConnectionsPerHost = 32;
constexpr long kConnections = 64;
constexpr int kIdlePollMs = 60'000;
constexpr int kStallPollMs = 500;

/// Returns whether the connection is ready. Until then, only the connect timeout applies.
bool IsConnected(CURL* easy) {
  curl_off_t ready = 0;
  return Api().easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &ready) == CURLE_OK && ready > 0;
}

curl_off_t MovedBytes(CURL* easy) {
  curl_off_t sent = 0;
  curl_off_t received = 0;
  long header = 0;
  Api().easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  Api().easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
  Api().easy_getinfo(easy, CURLINFO_HEADER_SIZE, &header);
  return sent + received + header;
}

}  // namespace

Result<std::shared_ptr<Engine>> StartEngine() {
  KINETIC_RETURN_IF_ERROR(LoadLibrary());
  std::unique_ptr<CURLM, MultiCleanup> multi(Api().multi_init());
  if (multi == nullptr)
    return Fail(ErrorCode::kResourceExhausted, "cannot send a request: out of memory");
  Api().multi_setopt(multi.get(), CURLMOPT_MAX_HOST_CONNECTIONS, kConnectionsPerHost);
  Api().multi_setopt(multi.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, kConnections);
  Api().multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kConnections);
  return std::make_shared<Engine>(std::move(multi));
}

Engine::Engine(std::unique_ptr<CURLM, MultiCleanup> multi)
    : multi_(std::move(multi)), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Engine::~Engine() {
  thread_.request_stop();
  Api().multi_wakeup(multi_.get());
  thread_.join();
}

void Engine::Start(EasyHandle easy, std::shared_ptr<Transfer> transfer,
                   const http::Request& request) {
  const SteadyTime now = SystemClock().Steady();
  Running running{.easy = std::move(easy),
                  .transfer = transfer,
                  .stall_timeout = request.stall_timeout,
                  .on_silence = request.on_silence,
                  .moved_bytes = 0,
                  .moved_at = now,
                  .window_bytes = 0,
                  .window_begin = now,
                  .silent_since = now,
                  .told_at = now};
  Post({Command::kStart, std::move(transfer), std::move(running)});
}

void Engine::Resume(const std::shared_ptr<Transfer>& transfer) {
  Post({Command::kResume, transfer, {}});
}

void Engine::Cancel(const std::shared_ptr<Transfer>& transfer) {
  Post({Command::kCancel, transfer, {}});
}

void Engine::Post(Message message) {
  {
    const std::lock_guard lock(mutex_);
    inbox_.push_back(std::move(message));
  }
  Api().multi_wakeup(multi_.get());
}

void Engine::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::deque<Message> arrived;
    {
      const std::lock_guard lock(mutex_);
      arrived.swap(inbox_);
    }
    for (Message& message : arrived) Handle(std::move(message));
    int left = 0;
    Api().multi_perform(multi_.get(), &left);
    FinishDone();
    FinishStalled();
    Api().multi_poll(multi_.get(), nullptr, 0, running_.empty() ? kIdlePollMs : kStallPollMs,
                     nullptr);
  }
  while (!running_.empty()) Finish(running_.begin()->first, CURLE_ABORTED_BY_CALLBACK);
}

void Engine::Handle(Message message) {
  Transfer* transfer = message.transfer.get();
  if (message.command == Command::kStart) {
    CURL* easy = message.running.easy.handle.get();
    running_.emplace(transfer, std::move(message.running));
    if (Api().multi_add_handle(multi_.get(), easy) != CURLM_OK) {
      Finish(transfer, CURLE_OUT_OF_MEMORY);
    }
    return;
  }
  const auto found = running_.find(transfer);
  if (found == running_.end()) return;
  if (message.command == Command::kCancel) {
    Finish(transfer, CURLE_ABORTED_BY_CALLBACK);
    return;
  }
  Running& resumed = found->second;
  resumed.moved_at = resumed.silent_since = resumed.told_at = SystemClock().Steady();
  Api().easy_pause(found->second.easy.handle.get(), CURLPAUSE_CONT);
}

void Engine::FinishDone() {
  int left = 0;
  while (CURLMsg* message = Api().multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    Api().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    Finish(transfer, code);
  }
}

void Engine::FinishStalled() {
  const SteadyTime now = SystemClock().Steady();
  for (auto next = running_.begin(); next != running_.end();) {
    const auto here = next++;
    Running& running = here->second;
    CURL* easy = running.easy.handle.get();
    const curl_off_t moved = MovedBytes(easy);
    if (moved != running.moved_bytes || running.transfer->Paused()) {
      running.silent_since = running.told_at = moved_at_ = now;
    } else {
      ReportSilence(running, now);
    }
    // A transfer that is paused or queued is not stalled.
    const bool waits = running.transfer->Paused() || !IsConnected(easy);
    bool is_late = false;
    if (moved != running.moved_bytes || waits) {
      running.moved_bytes = moved;
      running.moved_at = now;
    } else {
      is_late =
          running.stall_timeout.count() > 0 && now - running.moved_at >= running.stall_timeout;
    }
    if (waits) {
      running.window_begin = now;
      running.window_bytes = moved;
    }
    if (is_late || IsTrickling(running, now, moved)) Finish(here->first, CURLE_OPERATION_TIMEDOUT);
  }
}

/// Returns whether too few bytes moved in a whole period. Begins the next one at its end.
bool Engine::IsTrickling(Running& running, SteadyTime now, curl_off_t moved) {
  const auto limit = TrickleTimeout(running.stall_timeout);
  const auto period = std::chrono::floor<std::chrono::milliseconds>(now - running.window_begin);
  if (limit.count() == 0 || period < limit) return false;
  const bool is_slow =
      1000 * (moved - running.window_bytes) < kLeastBytesPerSecond * period.count();
  running.window_begin = now;
  running.window_bytes = moved;
  return is_slow;
}

void Engine::ReportSilence(Running& running, SteadyTime now) const {
  if (!running.on_silence || now - running.told_at < http::kSilence) return;
  running.told_at = now;
  // A request that waits for a connection while others transfer data is queued.
  const bool is_queued =
      now - moved_at_ < http::kSilence && !IsConnected(running.easy.handle.get());
  if (is_queued) return;
  running.on_silence(
      std::chrono::duration_cast<std::chrono::milliseconds>(now - running.silent_since));
}

void Engine::Finish(Transfer* transfer, CURLcode code) {
  auto node = running_.extract(transfer);
  if (node.empty()) return;
  Running& running = node.mapped();
  CURL* easy = running.easy.handle.get();
  TransferResult result = ReadResult(easy, code);
  result.silent = std::chrono::duration_cast<std::chrono::milliseconds>(SystemClock().Steady() -
                                                                        running.moved_at);
  Api().multi_remove_handle(multi_.get(), easy);
  running.easy = {};  // no callback may run after Finish
  running.transfer->Finish(result);
}

}  // namespace kinetic::curl
