#pragma once

namespace kinetic::cli {

class Command;

/// Adds all commands to the root, in the order in which help lists them.
void RegisterAll(Command& root);

}  // namespace kinetic::cli
