#include "provision/problems.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

/// Appends a text unless it is already there.
void Append(std::string& all, const std::string& text, std::string_view separator) {
  if (all.find(text) == std::string::npos) all.append(all.empty() ? "" : separator).append(text);
}

}  // namespace

void Problems::Add(const Status& status) {
  if (!status) errors_.push_back(status.error());
}

Status Problems::Finish() const {
  if (errors_.empty()) return {};
  Error all = errors_.front();
  for (const Error& error : errors_) {
    Append(all.message, error.message, "\n");
    Append(all.hint, error.hint, "; ");
  }
  return Failure(std::move(all));
}

}  // namespace kinetic::provision
