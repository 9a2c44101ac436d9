#include "output/console.h"

#include "diagnostics.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kinetic::cli {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

Status ClosedPipe() { return Fail(ErrorCode::kCancelled, "the reader of stdout closed the pipe"); }

Status WriteError() {
  if (errno == EPIPE) return ClosedPipe();
  return Fail(ErrorCode::kResourceExhausted,
              fmt::format("cannot write to stdout: {}", SystemCause(errno)));
}

bool AreSameFile(int one, int other) {
  struct stat a{};
  struct stat b{};
  return ::fstat(one, &a) == 0 && ::fstat(other, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

}  // namespace

Console::Console(int out, int err)
    : out_{out, ::isatty(out) == 1},
      err_{err, ::isatty(err) == 1},
      // A terminal can have several names.
      is_shared_((out_.is_terminal && err_.is_terminal) || AreSameFile(out, err)) {}

void Console::Append(Stream& stream, Stream& other, std::string_view bytes) {
  Drain(other);
  if (!stream.status) return;
  stream.buffer += bytes;
  if (stream.buffer.size() >= kBufferBytes) Drain(stream);
}

void Console::Drain(Stream& stream) {
  std::string_view rest = stream.buffer;
  while (!rest.empty()) {
    const ssize_t written = ::write(stream.fd, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waiting{stream.fd, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      stream.status = WriteError();
      break;
    }
  }
  stream.buffer.clear();
}

bool Console::OutIsPipe() const {
  struct stat info{};
  return ::fstat(out_.fd, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

void Console::CloseOut() {
  out_.buffer.clear();
  if (out_.status) out_.status = ClosedPipe();
}

void Console::Flush() {
  Drain(out_);
  Drain(err_);
}

namespace {

winsize TerminalSize(int err, int out) {
  winsize size{};
  if (::ioctl(err, TIOCGWINSZ, &size) != 0) (void)::ioctl(out, TIOCGWINSZ, &size);
  return size;
}

}  // namespace

std::size_t Console::Width() const { return TerminalSize(err_.fd, out_.fd).ws_col; }

std::size_t Console::Height() const { return TerminalSize(err_.fd, out_.fd).ws_row; }

}  // namespace kinetic::cli
