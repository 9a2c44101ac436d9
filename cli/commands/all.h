#pragma once

namespace kinetic::cli {

class Command;

/// Adds every command to the root, in the order in which help lists them.
void RegisterAll(Command& root);

}  // namespace kinetic::cli
