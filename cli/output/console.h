#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace kinetic::cli {

/// The two streams of the process, buffered; what goes to one after the other comes out in that
/// order, also when both are the same terminal or file.
///
/// @threads  not safe; its owner locks.
class Console {
 public:
  Console(int out, int err);

  void Out(std::string_view bytes) { Append(out_, err_, bytes); }
  void Err(std::string_view bytes) { Append(err_, out_, bytes); }
  void Flush();
  bool HasUnflushed() const { return !out_.buffer.empty() || !err_.buffer.empty(); }

  bool OutIsTerminal() const { return out_.is_terminal; }
  bool ErrIsTerminal() const { return err_.is_terminal; }
  /// Columns of the terminal behind stderr (or stdout), as they are now; 0 when it is none.
  std::size_t Width() const;

  /// The first failure to write to stdout: kCancelled when its reader went away. What cannot be
  /// written to stderr is dropped.
  const Status& OutStatus() const { return out_.status; }

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
};

}  // namespace kinetic::cli
