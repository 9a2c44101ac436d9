#include "kinetic/try.h"

#include "env/install/installer.h"
#include "env/install/package.h"
#include "env/python/interpreter.h"

#include <string>
#include <utility>

namespace kinetic::env {

std::optional<Interpreter> FindModuleCompiler(std::string_view python, const ToolOptions& tools,
                                              std::stop_token stop) {
  auto found = FindPython(python, tools, std::move(stop));
  if (!found) return std::nullopt;
  return *std::move(found);
}

Status CompileModules(const Interpreter& python, const InstallLocation& location,
                      const ToolOptions& tools, InstallerLog& log, std::stop_token stop) {
  auto environment = ToolEnvironment(tools);
  // The order of constant sets in bytecode depends on the hash seed.
  environment["PYTHONHASHSEED"] = "0";
  KINETIC_RETURN_IF_ERROR(
      RunLogged({python.path.native(), "-s", "-S", "-c", std::string(kCompileModules),
                 location.folder.native(), location.prefix},
                std::move(environment), "/", log, std::move(stop)));
  return {};
}

}  // namespace kinetic::env
