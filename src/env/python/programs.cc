#include "env/python/interpreter.h"

namespace kinetic::env {

const std::string_view kCompileModules = R"(
import os, py_compile, sys
folder, prefix = sys.argv[1:]
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for parent, folders, files in os.walk(os.path.join(folder, "lib")):
    folders.sort()
    for name in sorted(files):
        path = os.path.join(parent, name)
        if not name.endswith(".py") or os.path.islink(path):
            continue
        try:
            py_compile.compile(path, dfile=prefix + path[len(folder):], doraise=True, optimize=0,
                               invalidation_mode=mode)
        except (py_compile.PyCompileError, ValueError, RecursionError, MemoryError):
            pass
)";

}  // namespace kinetic::env
