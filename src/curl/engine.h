#pragma once

#include "base/time/clock.h"
#include "curl/library.h"
#include "curl/transfer.h"
#include "curl/transport.h"
#include "http/transport.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace kinetic::curl {

struct EasyCleanup {
  void operator()(CURL* easy) const { Api().easy_cleanup(easy); }
};
struct ListCleanup {
  void operator()(curl_slist* list) const { Api().slist_free_all(list); }
};

/// A libcurl handle and the lists that it refers to.
struct EasyHandle {
  std::unique_ptr<curl_slist, ListCleanup> headers;     ///< outlives the handle
  std::unique_ptr<curl_slist, ListCleanup> connect_to;  ///< outlives the handle
  std::unique_ptr<CURL, EasyCleanup> handle;
};

/// Creates a configured handle whose data passes through `transfer`.
///
/// @errors  kInvalidArgument: URL or certificate · kResourceExhausted.
Result<EasyHandle> MakeEasyHandle(const http::Request& request, const Options& options,
                                  Transfer& transfer);

/// Collects the result of a completed request.
TransferResult ReadResult(CURL* easy, CURLcode code);

struct MultiCleanup {
  void operator()(CURLM* multi) const { Api().multi_cleanup(multi); }
};

/// A thread that owns a multi handle and all connections.
///
/// @threads  Start, Resume and Cancel are safe to call concurrently, from any thread but its own.
class Engine {
 public:
  explicit Engine(std::unique_ptr<CURLM, MultiCleanup> multi);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// Starts `easy`. Transfer::Finish is always called in the end.
  void Start(EasyHandle easy, std::shared_ptr<Transfer> transfer, const http::Request& request);
  /// Resumes a transfer that was paused for its caller.
  void Resume(const std::shared_ptr<Transfer>& transfer);
  /// Ends a transfer with CURLE_ABORTED_BY_CALLBACK.
  void Cancel(const std::shared_ptr<Transfer>& transfer);

 private:
  struct Running {
    EasyHandle easy;
    std::shared_ptr<Transfer> transfer;
    std::chrono::milliseconds stall_timeout;
    std::function<void(std::chrono::milliseconds)> on_silence;  ///< may be empty
    curl_off_t moved_bytes = 0;                                 ///< at the last check
    SteadyTime moved_at;
    curl_off_t window_bytes = 0;  ///< moved when the current period of the least rate began
    SteadyTime window_begin;
    SteadyTime silent_since;
    SteadyTime told_at;  ///< the last call of on_silence
  };
  enum class Command : std::uint8_t { kStart, kResume, kCancel };
  struct Message {
    Command command;
    std::shared_ptr<Transfer> transfer;
    Running running;  ///< of kStart
  };

  void Post(Message message);
  void Run(const std::stop_token& stop);
  void Handle(Message message);
  void FinishDone();
  void FinishStalled();
  static bool IsTrickling(Running& running, SteadyTime now, curl_off_t moved);
  void ReportSilence(Running& running, SteadyTime now) const;
  void Finish(Transfer* transfer, CURLcode code);

  std::unique_ptr<CURLM, MultiCleanup> multi_;
  std::mutex mutex_;
  std::deque<Message> inbox_;
  std::map<Transfer*, Running> running_;  ///< used only by the engine's thread
  SteadyTime moved_at_;                   ///< when any transfer moved; likewise
  std::jthread thread_;
};

}  // namespace kinetic::curl
