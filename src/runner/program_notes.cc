#include "runner/program_notes.h"

#include "base/units.h"

#include <fmt/format.h>

namespace kinetic::runner {

std::vector<std::string> ProgramNotes(const ProgramEnd& end, const LaunchLimits& limits) {
  std::vector<std::string> notes;
  if (end.lingered == Lingered::kGrace) {
    notes.push_back(fmt::format("ended by kinetic: still running {} after the function returned",
                                FormatDuration(limits.grace)));
  } else if (end.lingered == Lingered::kRunLimit) {
    notes.push_back(fmt::format(
        "ended by kinetic: the function had returned, but the program still ran when timeouts.run, "
        "{}, was over",
        FormatDuration(*limits.run)));
  }
  if (end.left_behind > 0 && !end.stopped && !end.out_of_time) {
    notes.push_back(fmt::format("ended by kinetic: {} {} that the program left behind",
                                end.left_behind, end.left_behind == 1 ? "process" : "processes"));
  }
  return notes;
}

}  // namespace kinetic::runner
