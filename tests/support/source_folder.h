#pragma once

#include "base/files/file_system.h"

namespace kinetic::test {

/// The folder of this checkout, for tests that read its files.
Path SourceFolder();

}  // namespace kinetic::test
