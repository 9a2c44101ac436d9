#include "kinetic/function.h"

#include "base/strings.h"
#include "native/job_process.h"
#include "native/protocol.h"
#include "native/registry.h"

#include <cstdlib>

namespace kinetic::inline v0 {
namespace {

constexpr int kCallArguments = 5;
constexpr int kUsageError = 2;

constinit bool is_enabled = false;

}  // namespace

bool native::IsEnabled() { return is_enabled; }

void InitFunctions(int argc, char** argv) {
  is_enabled = true;
  native::CloseRegistry();
  if (argc < 2 || argv[1] != native::kCallFlag) return;
  const auto control = argc == kCallArguments ? ParseInt(argv[2]) : std::nullopt;
  if (!control) std::exit(kUsageError);
  std::exit(native::CallFunction({static_cast<int>(*control), argv[3], argv[4]}));
}

}  // namespace kinetic::inline v0
