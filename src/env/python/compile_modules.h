#pragma once

#include "env/install/log.h"
#include "env/install/package.h"
#include "env/python/interpreter.h"

#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::env {

/// The Python that writes compiled modules for another of its minor version, where this machine has
/// one. Nothing: modules are compiled where they are imported.
///
/// @param python  "3.12"
std::optional<Interpreter> FindCompiler(std::string_view python, const ToolOptions& tools,
                                        std::stop_token stop);

/// Compiles the modules of a package that lies in `place.folder`, into `__pycache__` beside them,
/// so that no pod has to do so at every import. They count as they are, whatever the times of their
/// sources (PEP 552, unchecked), and say of their sources where those will lie. One that is no
/// Python, as in the templates that some packages bring, is passed over; so are all where Python
/// fails, since an import does without.
///
/// @errors  kCancelled · those of starting a process.
/// @source  https://docs.python.org/3/library/py_compile.html
Status CompileModules(const Interpreter& python, const PackagePlace& place,
                      const ToolOptions& tools, InstallerLog& log, std::stop_token stop);

}  // namespace kinetic::env
