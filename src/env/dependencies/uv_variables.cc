#include "env/dependencies/uv_variables.h"

#include <array>

namespace kinetic::env {
namespace {

/// @source  https://docs.astral.sh/uv/reference/environment/
constexpr std::array<std::string_view, 21> kResolutionVariables{
    "UV_BUILD_CONSTRAINT", "UV_CONFIG_FILE",      "UV_CONSTRAINT",
    "UV_EXCLUDE",          "UV_EXCLUDE_NEWER",    "UV_FORK_STRATEGY",
    "UV_INDEX_STRATEGY",   "UV_NO_BINARY",        "UV_NO_BINARY_PACKAGE",
    "UV_NO_BUILD",         "UV_NO_BUILD_PACKAGE", "UV_NO_CONFIG",
    "UV_NO_INDEX",         "UV_NO_SOURCES",       "UV_NO_SOURCES_PACKAGE",
    "UV_OVERRIDE",         "UV_PRERELEASE",       "UV_REQUIRE_HASHES",
    "UV_RESOLUTION",       "UV_TORCH_BACKEND",    "UV_EXCLUDE_NEWER_PACKAGE"};

}  // namespace

std::span<const std::string_view> UvResolutionVariables() { return kResolutionVariables; }

std::string UnusedUvVariables(const std::map<std::string, std::string>& environment) {
  std::string names;
  for (const std::string_view name : kResolutionVariables) {
    const auto found = environment.find(std::string(name));
    if (found == environment.end() || found->second.empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

}  // namespace kinetic::env
