#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/time/clock.h"
#include "env/virtualenv/builder.h"

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxScriptBytes = 4ULL << 20;

bool MayHoldPaths(std::string_view text) {
  return text.substr(0, 4096).find('\0') == std::string_view::npos;
}

Status MoveFile(FileSystem& fs, const Path& path, const std::string& from, const std::string& to) {
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(path));
  if (status.type != FileType::kRegular || status.size_bytes > kMaxScriptBytes) return {};
  KINETIC_ASSIGN_OR_RETURN(std::string text, ReadFile(fs, path, kMaxScriptBytes));
  if (!MayHoldPaths(text)) return {};
  bool changed = false;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    changed = true;
  }
  return changed ? WriteFileAtomically(fs, path, text, status.mode) : Status();
}

}  // namespace

std::string MarkerJson(const Lock& lock, std::string_view python_version, WallTime built) {
  return Value(Value::Map{{"version", 1},
                          {"id", lock.EnvironmentId().Hex()},
                          {"python", std::string(python_version)},
                          {"platform", lock.platform},
                          {"packages", static_cast<std::int64_t>(lock.packages.size())},
                          {"built_at", FormatTime(built)}})
             .ToJson(true) +
         "\n";
}

Status RelocateScripts(FileSystem& fs, const Path& root, const std::string& from,
                       const std::string& to) {
  KINETIC_RETURN_IF_ERROR(MoveFile(fs, root / "pyvenv.cfg", from, to));
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(root / "bin"));
  for (const auto& entry : entries) {
    if (entry.type != FileType::kRegular) continue;
    KINETIC_RETURN_IF_ERROR(MoveFile(fs, root / "bin" / entry.name, from, to));
  }
  return {};
}

}  // namespace kinetic::env
