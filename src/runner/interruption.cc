#include "runner/interruption.h"

#include "base/try.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

/// The date may jump: a deadline by date is looked at this often at least.
constexpr milliseconds kLook{5000};

}  // namespace

std::optional<WallTime> PendingUntil(const record::Record& record) {
  if (!record.spec.timeouts.pending) return std::nullopt;
  return record.created + *record.spec.timeouts.pending;
}

Result<std::unique_ptr<Interruption>> Interruption::Begin(const local::Runtime& runtime,
                                                          Clock& clock,
                                                          std::optional<WallTime> pending_until) {
  std::unique_ptr<Interruption> made(
      new Interruption(runtime.CancelRequest(), clock, pending_until));
  KINETIC_RETURN_IF_ERROR(made->Open());
  Interruption* self = made.get();
  made->thread_ = std::jthread([self](const std::stop_token& stop) { self->Attend(stop); });
  return made;
}

Interruption::Interruption(Path cancel_file, Clock& clock, std::optional<WallTime> pending_until)
    : cancel_file_(std::move(cancel_file)),
      clock_(clock),
      pending_until_(pending_until.value_or(WallTime())),
      begun_(!pending_until) {}

Interruption::~Interruption() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

Status Interruption::Open() {
  const Path folder = cancel_file_.parent_path();
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  wake_.Reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  signals_.Reset(::signalfd(-1, &terminate, SFD_CLOEXEC | SFD_NONBLOCK));
  inotify_.Reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!wake_ || !signals_ || !inotify_ ||
      ::inotify_add_watch(inotify_.get(), folder.c_str(), IN_CREATE | IN_MOVED_TO) < 0) {
    return Failure(ErrnoError(errno, "watching", folder));
  }
  return {};
}

void Interruption::Begun() {
  begun_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void Interruption::BeginBy(WallTime pending_until) {
  pending_until_ = pending_until;
  begun_ = false;
  ::eventfd_write(wake_.get(), 1);
}

void Interruption::Stop(Cause cause) {
  Cause none = Cause::kNone;
  if (cause_.compare_exchange_strong(none, cause)) source_.request_stop();
}

/// Whether there is a cause now.
bool Interruption::Look() {
  signalfd_siginfo signal;
  if (::read(signals_.get(), &signal, sizeof signal) > 0) Stop(Cause::kTerminated);
  std::error_code ignored;
  if (std::filesystem::exists(cancel_file_, ignored)) Stop(Cause::kCancelled);
  if (!begun_ && clock_.Now() >= pending_until_.load()) Stop(Cause::kTooLate);
  return cause_ != Cause::kNone;
}

void Interruption::Attend(const std::stop_token& stop) {
  while (!stop.stop_requested() && !Look()) {
    milliseconds wait{-1};
    if (!begun_) {
      const auto left =
          std::chrono::duration_cast<milliseconds>(pending_until_.load() - clock_.Now());
      wait = std::clamp(left + milliseconds(1), milliseconds(0), kLook);
    }
    std::array<pollfd, 3> polled{
        {{inotify_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    std::array<char, 4096> dropped;
    while (::read(inotify_.get(), dropped.data(), dropped.size()) > 0) {
    }
    eventfd_t count = 0;
    ::eventfd_read(wake_.get(), &count);
  }
}

}  // namespace kinetic::runner
