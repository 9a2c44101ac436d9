#include "output/phase_name.h"

namespace kinetic::cli {

std::string_view PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kPackage:
      return "code";
    case Phase::kStage:
      return "upload";
    case Phase::kPull:
      return "fetch";
    default:
      return Name(phase);
  }
}

}  // namespace kinetic::cli
