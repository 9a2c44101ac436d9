#include "base/strings.h"
#include "env/python/interpreter.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxCacheBytes = 1ULL << 20;

}  // namespace

PythonVersionCache::PythonVersionCache(const ToolOptions& tools)
    : fs_(*tools.fs), path_(tools.cache_dir / "pythons.json") {
  if (tools.cache_dir.empty()) return;
  const auto text = ReadFile(fs_, path_, kMaxCacheBytes);
  if (!text) return;
  if (auto read = Value::FromJson(*text)) value_ = *std::move(read);
}

std::string PythonVersionCache::Identity(const Path& path) const {
  std::error_code failed;
  const Path real = std::filesystem::canonical(path, failed);
  const auto status = fs_.Lstat(failed ? path : real);
  if (!status) return {};
  return real.native() + " " + std::to_string(status->device) + " " +
         std::to_string(status->inode) + " " + std::to_string(status->mtime_ns) + " " +
         std::to_string(status->size_bytes);
}

std::string PythonVersionCache::Find(const Path& path, const std::string& identity) const {
  const Value* const entry = value_.Find(path.native());
  if (entry == nullptr || identity.empty()) return {};
  const Value* const seen = entry->Find("identity");
  const Value* const version = entry->Find("version");
  if (seen == nullptr || !(*seen == Value(identity)) || version == nullptr ||
      version->AsString() == nullptr) {
    return {};
  }
  return *version->AsString();
}

void PythonVersionCache::Store(const Path& path, const std::string& identity,
                               const std::string& version) {
  if (path_.empty() || !path_.is_absolute() || !IsUtf8(path.native())) return;
  value_.Set(path.native(), Value::Map{{"identity", identity}, {"version", version}});
  (void)MakeDirectories(fs_, path_.parent_path());
  (void)WriteFileAtomically(fs_, path_, value_.ToJson(true));
}

}  // namespace kinetic::env
