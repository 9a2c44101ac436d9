#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace kinetic::cli {

/// The two output streams of the process, buffered. Output keeps its order across both streams,
/// even if both are the same terminal or file.
///
/// @threads  not thread-safe; the owner locks.
class Console {
 public:
  Console(int out, int err);

  void Out(std::string_view bytes) { Append(out_, err_, bytes); }
  void Err(std::string_view bytes) { Append(err_, out_, bytes); }
  void Flush();

  bool OutIsTerminal() const { return out_.is_terminal; }
  bool ErrIsTerminal() const { return err_.is_terminal; }
  /// Returns whether stdout is a pipe, whose reader may write to the terminal.
  bool OutIsPipe() const;
  /// Returns whether both streams are the same terminal, file or pipe.
  bool IsShared() const { return is_shared_; }
  /// Returns the current width in columns of the terminal on stderr (or stdout), or 0 if neither is
  /// a terminal.
  std::size_t Width() const;
  /// Same, for its rows.
  std::size_t Height() const;

  /// Returns the first failure to write to stdout: kCancelled if the reader closed the pipe. Failed
  /// writes to stderr are dropped.
  const Status& OutStatus() const { return out_.status; }
  /// Discards what is written to stdout from now on, because its reader has gone.
  void CloseOut();

 private:
  struct Stream {
    int fd;
    bool is_terminal;
    std::string buffer = {};
    Status status = {};
  };
  static void Append(Stream& stream, Stream& other, std::string_view bytes);
  static void Drain(Stream& stream);

  Stream out_;
  Stream err_;
  bool is_shared_;
};

}  // namespace kinetic::cli
