#include "job/lifecycle/completions.h"

#include "kinetic/try.h"

#include "base/concurrency/thread_failure.h"
#include "base/time/clock.h"
#include "http/retry.h"
#include "job/call_until.h"
#include "job/context.h"
#include "job/lifecycle/logs.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{2};
constexpr milliseconds kLongestPause{100};
constexpr milliseconds kFirstRemotePause{100};
constexpr milliseconds kLongestRemotePause{1000};
/// The pause after a round, as a multiple of the time that its requests took.
constexpr int kPausePerRound = 10;
constexpr milliseconds kLongestPauseOfRound{10'000};
/// The first request of a wait may take this long after its deadline.
constexpr std::chrono::seconds kFirstLook{2};

Failure Closed() {
  return Fail(ErrorCode::kCancelled, "waiting for a job: the client was closed; the job continues");
}

Failure Stopped() {
  return Fail(ErrorCode::kCancelled, "waiting for a job: cancelled; the job continues");
}

/// Returns whether a cluster may respond later. Its jobs continue in the meantime.
bool IsOutage(const Error& error) {
  return http::IsRetryable(error, http::Idempotency::kIdempotent);
}

/// Whether this thread runs a callback.
thread_local bool is_in_callback = false;

}  // namespace

/// The state of the thread, which may live longer than the Completions.
class Completions::Server : public std::enable_shared_from_this<Server> {
 public:
  explicit Server(Context& context)
      : context_(context), is_remote_(context.target->Traits().is_remote) {}

  void Start() {
    thread_ = std::thread([self = shared_from_this()] { self->Serve(); });
    if (!is_remote_ || context_.cluster_error) return;
    try {
      watch_ = std::jthread([this](const std::stop_token& stop) { WatchEnds(stop); });
    } catch (const std::system_error&) {
      context_.Log(LogLevel::kInfo, "waiting for jobs: cannot start a thread to watch pods");
    }
  }

  void Add(Request request, Callback done) {
    auto wait = std::make_unique<Wait>(std::move(request), std::move(done));
    // Without the lock, because a requested stop wakes the thread at once.
    wait->on_stop.emplace(wait->options.stop, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->Interrupt();
    });
    {
      const std::lock_guard lock(mutex_);
      waited_.insert(wait->job.id);
      if (wait->options.deadline) LimitRound(std::min(round_limit_, *wait->options.deadline));
      added_.push_back(std::move(wait));
    }
    Wake();
  }

  void Close() {
    closed_.request_stop();
    Interrupt();
    timer_.request_stop();
    if (timer_.joinable()) timer_.join();
    // The context may be destroyed next.
    watch_.request_stop();
    if (watch_.joinable()) watch_.join();
    if (thread_.get_id() == std::this_thread::get_id()) return thread_.detach();
    thread_.join();
  }

 private:
  struct Wait {
    Wait(Request request, Callback callback)
        : job(std::move(request.job)),
          options(std::move(request.options)),
          log(std::move(request.log)),
          error(std::move(request.error)),
          done(std::move(callback)) {}

    bool IsStopped() const { return options.stop.stop_requested(); }

    JobSummary job;
    WaitOptions options;
    Log log;
    std::optional<Error> error;
    Callback done;
    SteadyTime next_loss_check = {};
    std::optional<std::stop_callback<std::function<void()>>> on_stop;
  };
  using Waits = std::vector<std::unique_ptr<Wait>>;

  void Wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

  /// Ends the requests of the current round, so that a stopped wait ends soon.
  void Interrupt() {
    std::stop_source round;
    {
      const std::lock_guard lock(mutex_);
      round = round_;
    }
    round.request_stop();
    Wake();
  }

  /// Ends the requests of the current round at a deadline. Needs the lock.
  void LimitRound(SteadyTime deadline) {
    const SteadyTime now = std::chrono::steady_clock::now();
    round_limit_ = std::max(deadline, now + kFirstLook);
    timer_changed_.notify_one();
    if (deadline == SteadyTime::max() || timer_.joinable()) return;
    try {
      timer_ = std::jthread([this](const std::stop_token& stop) { WatchDeadlines(stop); });
    } catch (const std::system_error&) {
      context_.Log(LogLevel::kInfo, "waiting for jobs: cannot start a thread for deadlines");
    }
  }

  /// The thread of the waits notices a deadline itself, unless it is in a request.
  void WatchDeadlines(const std::stop_token& stop) {
    constexpr std::chrono::hours kLongestWait{24};  // the end of time would overflow
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      const SteadyTime limit = round_limit_;
      const SteadyTime now = std::chrono::steady_clock::now();
      if (limit > now) {
        timer_changed_.wait_until(lock, stop, std::min(limit, now + kLongestWait),
                                  [&] { return round_limit_ < limit; });
        continue;
      }
      round_limit_ = SteadyTime::max();
      std::stop_source round = round_;
      lock.unlock();
      round.request_stop();
      lock.lock();
    }
  }

  bool IsClosed() const { return closed_.stop_requested(); }

  /// Receives the ends of jobs from the cluster, seconds before their Jobs show them.
  void WatchEnds(const std::stop_token& stop) {
    const auto ended = [this](std::string_view id) {
      const std::lock_guard lock(mutex_);
      if (!waited_.contains(id)) return;
      ended_.emplace(id);
      changed_.notify_one();
    };
    const Status watched = context_.target->WatchEnds(ended, stop);
    if (!watched && !stop.stop_requested())
      context_.Log(LogLevel::kInfo, "waiting for jobs: " + watched.error().message);
  }

  void Serve() {
    while (!IsClosed()) {
      Pause();
      if (!IsClosed()) Round();
    }
    // The context may be gone.
    for (const auto& wait : std::exchange(waits_, {})) Call(*wait, Closed());
    for (const auto& wait : TakeAdded()) Call(*wait, Closed());
  }

  void Call(Wait& wait, Result<Outcome> outcome) {
    wait.on_stop.reset();
    {
      const std::lock_guard lock(mutex_);
      waited_.erase(waited_.find(wait.job.id));
      // Otherwise the thread would not pause, because of an event without a wait.
      if (!waited_.contains(wait.job.id)) ended_.erase(wait.job.id);
    }
    is_in_callback = true;
    std::exchange(wait.done, nullptr)(std::move(outcome));
    is_in_callback = false;
  }

  Waits TakeAdded() {
    const std::lock_guard lock(mutex_);
    return std::exchange(added_, {});
  }

  /// Waits until the next round is due, a job is added, a wait ends early, or a job has ended.
  void Pause() {
    std::unique_lock lock(mutex_);
    const auto is_woken = [&] { return woken_ || !ended_.empty(); };
    if (waits_.empty()) {
      changed_.wait(lock, is_woken);
    } else {
      changed_.wait_until(lock, std::min(next_round_, NextDeadline()), is_woken);
    }
    is_round_due_ = woken_ || std::chrono::steady_clock::now() >= next_round_;
    woken_ = false;
    round_ = std::stop_source();
    if (!is_round_due_) return LimitRound(NextDeadline());
    pause_ = std::min(2 * pause_, is_remote_ ? kLongestRemotePause : kLongestPause);
    if (!added_.empty()) pause_ = is_remote_ ? kFirstRemotePause : kFirstPause;
    for (auto& wait : added_) waits_.push_back(std::move(wait));
    added_.clear();
    LimitRound(NextDeadline());
  }

  /// Delivers the outcomes of the jobs that have ended.
  void Round() {
    Deliver([](Wait& wait) -> std::optional<Result<Outcome>> {
      if (wait.error) return Failure(*wait.error);
      return wait.IsStopped() ? std::optional<Result<Outcome>>(Stopped()) : std::nullopt;
    });
    if (!IsClosed() && !waits_.empty()) DeliverEnded();
    if (!IsClosed() && !waits_.empty() && is_round_due_) {
      RoundOfAll();
      next_round_ = std::chrono::steady_clock::now() + pause_;
    }
    if (!IsClosed()) DeliverLate();
  }

  /// Returns the earliest deadline of a wait.
  SteadyTime NextDeadline() const {
    auto next = SteadyTime::max();
    for (const auto& wait : waits_) next = std::min(next, wait->options.deadline.value_or(next));
    return next;
  }

  /// Ends the waits whose deadline has passed, if their jobs have not ended.
  void DeliverLate() {
    const auto now = std::chrono::steady_clock::now();
    Deliver([&](Wait& wait) -> std::optional<Result<Outcome>> {
      if (wait.options.deadline.value_or(SteadyTime::max()) > now) return std::nullopt;
      return DeadlinePassed("waiting for job " + wait.job.id, wait.job.id);
    });
  }

  /// Delivers the outcomes of jobs that the watch has seen ending. If one is not stored yet, a later
  /// event of its pod follows.
  void DeliverEnded() {
    const auto ended = TakeEnded();
    if (ended.empty()) return;
    Deliver([&](Wait& wait) -> std::optional<Result<Outcome>> {
      if (!ended.contains(wait.job.id)) return std::nullopt;
      return Delivered(wait, CollectOutcome(context_, wait.job.id, {wait.options.content, wait.job},
                                            RoundToken()));
    });
    if (!IsClosed() && IsInterrupted()) KeepEnded(ended);
  }

  /// Looks for the end of all jobs.
  void RoundOfAll() {
    SteadyTime begin = context_.clock.Steady();
    const auto observations = Observe();
    SteadyTime::duration took = context_.clock.Steady() - begin;
    Deliver([&](Wait& wait) {
      begin = context_.clock.Steady();
      auto outcome = Poll(wait, observations);
      took += context_.clock.Steady() - begin;
      return outcome;
    });
    if (IsClosed() || IsInterrupted() || !observations) return;
    const auto pause = std::chrono::ceil<milliseconds>(kPausePerRound * took);
    pause_ = std::max(pause_, std::min(pause, kLongestPauseOfRound));
  }

  /// Calls the callbacks of the waits for which `poll` returns an outcome.
  template <typename PollWait>
  void Deliver(const PollWait& poll) {
    for (auto& wait : waits_) {
      auto outcome = poll(*wait);
      if (!outcome) continue;
      // The callback may own the last handle, and so the context.
      const auto ended = std::exchange(wait, nullptr);
      Call(*ended, *std::move(outcome));
      if (IsClosed()) break;
    }
    std::erase(waits_, nullptr);
  }

  /// Returns the jobs whose program has ended since the last round.
  std::set<std::string> TakeEnded() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, {});
  }

  /// Keeps ended jobs for the next round after an interruption of this one.
  void KeepEnded(const std::set<std::string>& ended) {
    const std::lock_guard lock(mutex_);
    ended_.insert(ended.begin(), ended.end());
  }

  std::stop_token RoundToken() {
    const std::lock_guard lock(mutex_);
    return round_.get_token();
  }

  bool IsInterrupted() { return RoundToken().stop_requested(); }

  /// Returns what the cluster knows about the jobs.
  Result<backend::Observations> Observe() {
    if (!is_remote_ || context_.cluster_error) return backend::Observations();
    auto observed = context_.target->ObserveAll(RoundToken());
    if (!observed && IsOutage(observed.error()))
      context_.Log(LogLevel::kWarning, "waiting for jobs: " + observed.error().message);
    return observed;
  }

  bool IsActive(const Wait& wait, const backend::Observations& observations) {
    if (!is_remote_) return IsActiveHere(context_, wait.job.id, RoundToken());
    const auto seen = observations.find(wait.job.id);
    return seen != observations.end() && seen->second.alive &&
           !IsTerminal(seen->second.status.state);
  }

  /// Returns nullopt while the job is active.
  std::optional<Result<Outcome>> Poll(Wait& wait,
                                      const Result<backend::Observations>& observations) {
    if (wait.IsStopped()) return Stopped();
    if (IsInterrupted() || (!observations && IsOutage(observations.error()))) return std::nullopt;
    if (!observations) return Failure(observations.error());
    if (IsActive(wait, *observations)) return ReadActiveLog(wait);
    const SteadyTime now = context_.clock.Steady();
    const bool checks_loss = now >= wait.next_loss_check;
    if (checks_loss) wait.next_loss_check = now + kLivenessCheck;
    auto delivered =
        Delivered(wait, PollOutcome(context_, wait.job.id, {wait.options.content, wait.job},
                                    checks_loss, RoundToken()));
    // Clusters list jobs, not their tasks, which may be running.
    return delivered ? std::move(delivered) : ReadActiveLog(wait);
  }

  /// Returns what the callback of a wait receives, or nullopt if the wait continues.
  std::optional<Result<Outcome>> Delivered(Wait& wait, Result<std::optional<Outcome>> found) {
    if (!found && IsInterrupted()) return std::nullopt;
    if (!found) return Failure(std::move(found).error());
    if (!*found) return std::nullopt;
    if (const Status read = ReadNewLog(wait, true); !read) {
      if (wait.error) return Failure(*wait.error);
      return IsInterrupted() ? std::optional<Result<Outcome>>() : Failure(read.error());
    }
    (*found)->job = wait.job.id;
    return **std::move(found);
  }

  /// Returns the error that ends the wait, if any.
  std::optional<Result<Outcome>> ReadActiveLog(Wait& wait) {
    const Status read = ReadNewLog(wait, false);
    if (wait.error) return Failure(*wait.error);
    // The log may be moving from the job's machine to the store.
    if (read || IsInterrupted() || IsOutage(read.error())) return std::nullopt;
    return Failure(read.error());
  }

  /// Passes new records to the reader of the log, if there is one.
  Status ReadNewLog(Wait& wait, bool has_ended) {
    if (!wait.log.reader) return {};
    const auto read = [&](const LogRecord& record) { return CallReader(wait, record); };
    if (!wait.log.tail)
      return ReadNewRecords(context_, wait.job.id, wait.log.from_sequence, read, RoundToken(),
                            has_ended);
    const auto read_tail = [&](const LogRecord& record) -> Status {
      wait.log.from_sequence = std::max(wait.log.from_sequence, record.sequence + 1);
      wait.log.tail.reset();
      return CallReader(wait, record);
    };
    const LogOptions options{.from_sequence = wait.log.from_sequence, .tail = wait.log.tail};
    return ReadLogs(context_, wait.job.id, options, read_tail, RoundToken(), has_ended);
  }

  /// An error of the reader ends the wait. It must not be mistaken for one of the store.
  static Status CallReader(Wait& wait, const LogRecord& record) {
    is_in_callback = true;
    Status read = wait.log.reader(record);
    is_in_callback = false;
    if (!read) wait.error = read.error();
    return read;
  }

  Context& context_;
  const bool is_remote_;
  std::stop_source closed_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  Waits added_;
  std::multiset<std::string, std::less<>> waited_;  ///< the jobs of all waits
  std::set<std::string> ended_;                     ///< those whose program has ended
  std::stop_source round_;  ///< stopped to end the requests of the current round
  SteadyTime round_limit_ = SteadyTime::max();  ///< when the timer ends the current round
  std::condition_variable_any timer_changed_;
  // Only used by the thread:
  Waits waits_;
  milliseconds pause_ = kFirstPause;
  std::chrono::steady_clock::time_point next_round_ = {};
  bool is_round_due_ = true;
  std::thread thread_;
  std::jthread watch_;
  std::jthread timer_;  ///< started by the first deadline
};

bool Completions::IsInCallback() { return is_in_callback; }

Completions::~Completions() {
  if (server_) server_->Close();
}

void Completions::Add(Context& context, Request request, Callback done) {
  const auto start = [&] {
    const auto server = std::make_shared<Server>(context);
    server->Start();
    server_ = server;
  };
  try {
    std::call_once(started_, start);
  } catch (const std::system_error& error) {
    return done(ThreadFailure("waiting for a job", error));
  }
  // A copy, because the callback may destroy the client.
  const std::shared_ptr<Server> server = server_;
  server->Add(std::move(request), std::move(done));
}

}  // namespace kinetic::job
