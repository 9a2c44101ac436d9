#include "job/outputs.h"

#include "record/layout.h"

namespace kinetic::job {

std::string OutputsOf(const Context& context, std::string_view id) {
  return context.store->Location() + "/" + std::string(record::kOutputPrefix) + std::string(id);
}

}  // namespace kinetic::job
