#include "output/reader_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace kinetic::cli {

ReaderWatch::ReaderWatch(Output& output, const std::stop_token& outer)
    : output_(output),
      forward_(outer, [this] { source_.request_stop(); }),
      wake_(::eventfd(0, EFD_CLOEXEC)) {
  // Without a descriptor, a gone reader is noticed at the next output.
  if (wake_ >= 0) thread_ = std::thread([this] { Watch(); });
}

ReaderWatch::~ReaderWatch() {
  if (wake_ < 0) return;
  ::eventfd_write(wake_, 1);
  thread_.join();
  ::close(wake_);
}

void ReaderWatch::Watch() {
  // Errors are reported without being requested.
  std::array<pollfd, 2> polled{{{STDOUT_FILENO, 0, 0}, {wake_, POLLIN, 0}}};
  while (::poll(polled.data(), polled.size(), -1) < 0 && errno == EINTR) {
  }
  if ((polled.front().revents & (POLLERR | POLLHUP)) == 0) return;
  output_.CloseStdout();
  source_.request_stop();
}

}  // namespace kinetic::cli
