#pragma once

#include "base/clock.h"
#include "runner/line_cutter.h"
#include "runner/masker.h"
#include "runner/spool.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// Turns what a program writes to its two streams into log records without secrets.
///
/// @threads  one thread at a time.
class LogCapture {
 public:
  /// @param secrets  as MaskableSecrets gives them. All outlive the object.
  LogCapture(Spool& spool, Clock& clock, const std::vector<std::string>& secrets);

  /// Takes one read of a stream: one write to the spool.
  Status Take(Stream stream, std::string_view bytes);
  /// A line of kinetic's own, for those who read the log.
  Status Note(std::string_view text);
  /// Whether a line without an end waits.
  bool HasRest() const { return out_.cutter.HasRest() || err_.cutter.HasRest(); }
  /// Records the lines without an end as they are, for those who watch: the streams pause. What may
  /// begin a secret is still held back.
  Status Pause();
  /// Records all that is left: the streams have ended.
  Status Flush();
  /// Seals the log. What a full disk does not take of it is given up.
  void Seal();

 private:
  struct Lane {
    Lane(Stream which, const std::vector<std::string>& secrets) : stream(which), masker(secrets) {}
    Stream stream;
    Masker masker;
    LineCutter cutter;
  };

  void Cut(Lane& lane, std::string_view bytes);
  void CutRest(Lane& lane);

  Spool& spool_;
  Clock& clock_;
  const std::vector<std::string>& secrets_;
  Lane out_;
  Lane err_;
  std::string masked_;
};

}  // namespace kinetic::runner
