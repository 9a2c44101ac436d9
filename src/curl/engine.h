#pragma once

#include "base/time/clock.h"
#include "curl/easy.h"
#include "curl/transfer.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace kinetic::curl {

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
  void Start(Easy easy, std::shared_ptr<Transfer> transfer,
             std::chrono::milliseconds stall_timeout);
  /// Resumes a transfer that was paused for its caller.
  void Resume(const std::shared_ptr<Transfer>& transfer);
  /// Ends a transfer with CURLE_ABORTED_BY_CALLBACK.
  void Cancel(const std::shared_ptr<Transfer>& transfer);

 private:
  struct Running {
    Easy easy;
    std::shared_ptr<Transfer> transfer;
    std::chrono::milliseconds stall_timeout;
    curl_off_t moved_bytes = 0;  ///< at the last check
    SteadyTime moved_at;
  };
  enum class What : std::uint8_t { kStart, kResume, kCancel };
  struct Message {
    What what;
    std::shared_ptr<Transfer> transfer;
    Running running;  ///< of kStart
  };

  void Post(Message message);
  void Run(const std::stop_token& stop);
  void Handle(Message message);
  void FinishDone();
  void FinishStalled();
  void Finish(Transfer* transfer, CURLcode code);

  std::unique_ptr<CURLM, MultiCleanup> multi_;
  std::mutex mutex_;
  std::deque<Message> inbox_;
  std::map<Transfer*, Running> running_;  ///< used only by the engine's thread
  std::jthread thread_;
};

}  // namespace kinetic::curl
