#include "runner/status_board.h"

#include "base/try.h"

#include <utility>

namespace kinetic::runner {

StatusBoard::StatusBoard(FileSystem& fs, Clock& clock, Path file, std::string id)
    : fs_(fs), clock_(clock), file_(std::move(file)) {
  status_.id = std::move(id);
}

Status StatusBoard::Show(JobState state, Phase phase, std::string_view reason) {
  status_.state = state;
  status_.phase = phase;
  status_.reason = reason;
  Path draft = file_;
  draft += ".new";
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs_.Open(draft, OpenMode::kTruncate, 0600));
  KINETIC_RETURN_IF_ERROR(fs_.Write(fd.get(), record::ToJson(status_)));
  fd.Reset();
  return fs_.Rename(draft, file_);
}

void StatusBoard::Note(std::string_view moment, std::string_view detail) {
  status_.timeline.push_back({std::string(moment), clock_.Now(), std::string(detail)});
}

std::optional<WallTime> StatusBoard::When(std::string_view moment) const {
  for (const auto& known : status_.timeline) {
    if (known.name == moment) return known.time;
  }
  return std::nullopt;
}

}  // namespace kinetic::runner
