#pragma once

#include "kinetic/error.h"

#include "settings_names.h"

namespace kinetic::cli {

/// Adds to an error of the file system how to set another folder, if the file is in a folder of the
/// settings: the state, the cache, or the store.
Error WithFolderAdvice(Error error, const Settings& settings);

}  // namespace kinetic::cli
