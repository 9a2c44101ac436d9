#include "base/never_destroyed.h"
#include "bundle/ignore/rules.h"

#include <array>
#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

constexpr std::array<std::string_view, 27> kLines = {
    ".hg/",        ".svn/",         ".bzr/",          ".jj/",         ".venv/",
    "venv/",       "node_modules/", "__pycache__/",   "*.pyc",        "*.pyo",
    ".tox/",       ".nox/",         ".eggs/",         "*.egg-info/",  ".mypy_cache/",
    ".pytype/",    ".ruff_cache/",  ".pytest_cache/", ".hypothesis/", ".ipynb_checkpoints/",
    ".direnv/",    ".idea/",        ".vscode/",       ".DS_Store",    "Thumbs.db",
    ".terraform/", "*.sw[op]",
};

}  // namespace

const IgnoreRules& DefaultExcludes() {
  static const IgnoreRules& rules = NeverDestroyed<IgnoreRules>(
      IgnoreRules::FromLines(std::vector<std::string>(kLines.begin(), kLines.end())));
  return rules;
}

}  // namespace kinetic::bundle
