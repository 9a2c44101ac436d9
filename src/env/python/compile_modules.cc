#include "env/python/compile_modules.h"

#include "base/try.h"
#include "env/install/installer.h"
#include "env/python/programs.h"

#include <string>
#include <utility>

namespace kinetic::env {

std::optional<Interpreter> FindCompiler(std::string_view python, const ToolOptions& tools,
                                        std::stop_token stop) {
  auto found = FindPython(python, tools, std::move(stop));
  if (!found) return std::nullopt;
  return *std::move(found);
}

Status CompileModules(const Interpreter& python, const PackagePlace& place,
                      const ToolOptions& tools, InstallerLog& log, std::stop_token stop) {
  auto environment = InstallerEnvironment(tools, {}, {});
  // Sets of constants are written in the order of their hashes.
  environment["PYTHONHASHSEED"] = "0";
  KINETIC_RETURN_IF_ERROR(
      RunLogged({python.path.native(), "-s", "-S", "-c", std::string(kCompileModules),
                 place.folder.native(), place.prefix},
                std::move(environment), "/", log, std::move(stop)));
  return {};
}

}  // namespace kinetic::env
