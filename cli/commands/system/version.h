#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct VersionOptions {};

void RegisterVersion(Command& parent);
/// Return "kinetic 1.2.3" as text, and as a document for --json.
std::string VersionLine();
Value VersionDocument();

Result<int> Run(const VersionOptions& options, Context& context);

}  // namespace kinetic::cli
