#include "runner/log_capture.h"

#include "runner/diagnostics.h"

#include <fmt/format.h>

namespace kinetic::runner {

LogCapture::LogCapture(Spool& spool, Clock& clock, const std::vector<std::string>& secrets)
    : spool_(spool),
      clock_(clock),
      secrets_(secrets),
      out_(Stream::kStdout, secrets),
      err_(Stream::kStderr, secrets) {}

void LogCapture::Cut(Lane& lane, std::string_view bytes) {
  const WallTime now = clock_.Now();
  lane.cutter.Feed(bytes,
                   [&](std::string_view record) { spool_.Append(lane.stream, now, record); });
}

Status LogCapture::Take(Stream stream, std::string_view bytes) {
  Lane& lane = stream == Stream::kStderr ? err_ : out_;
  if (secrets_.empty()) {
    Cut(lane, bytes);
  } else {
    masked_.clear();
    lane.masker.Feed(bytes, masked_);
    Cut(lane, masked_);
  }
  return spool_.Commit();
}

Status LogCapture::Note(std::string_view text) {
  spool_.Append(Stream::kSystem, clock_.Now(), Masked(text, secrets_) + "\n");
  return spool_.Commit();
}

void LogCapture::CutRest(Lane& lane) {
  const WallTime now = clock_.Now();
  lane.cutter.Flush([&](std::string_view record) { spool_.Append(lane.stream, now, record); });
}

Status LogCapture::Pause() {
  CutRest(out_);
  CutRest(err_);
  return spool_.Commit();
}

void LogCapture::Seal() {
  const Status sealed = spool_.Seal();
  if (sealed) return;
  DiagnoseError("sealing the log", sealed);
  Diagnose(fmt::format("the last {} records of the log are lost", spool_.SealWhatIsWritten()));
}

Status LogCapture::Flush() {
  for (Lane* lane : {&out_, &err_}) {
    masked_.clear();
    lane->masker.Flush(masked_);
    Cut(*lane, masked_);
    CutRest(*lane);
  }
  return spool_.Commit();
}

}  // namespace kinetic::runner
