#include "support/source_folder.h"

namespace kinetic::test {

Path SourceFolder() { return KINETIC_SOURCE_FOLDER; }

}  // namespace kinetic::test
