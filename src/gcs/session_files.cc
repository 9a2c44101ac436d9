#include "gcs/session_files.h"

#include "kinetic/value.h"

#include "base/try.h"

#include <chrono>

namespace kinetic::gcs {
namespace {

constexpr std::uint64_t kFileBytes = 16U << 10;
constexpr std::chrono::hours kSessionLife{24 * 7};

std::string Member(const Value& file, std::string_view name) {
  const Value* member = file.Find(name);
  return member != nullptr && member->AsString() != nullptr ? *member->AsString() : "";
}

}  // namespace

Result<std::optional<KeptSession>> SessionFiles::Load(const std::string& key) {
  const auto text = ReadFile(*fs_, folder_ / key, kFileBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::optional<KeptSession>();
  if (!text) return Failure(text.error());
  const auto file = Value::FromJson(*text);
  if (!file) return std::optional<KeptSession>();
  KeptSession session{Member(*file, "session"), Member(*file, "mark")};
  if (session.address.empty() || session.mark.empty()) return std::optional<KeptSession>();
  return std::optional<KeptSession>(std::move(session));
}

Status SessionFiles::Save(const std::string& key, const KeptSession& session) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(*fs_, folder_, 0700));
  KINETIC_RETURN_IF_ERROR(RemoveOlder(*fs_, folder_, clock_->Now() - kSessionLife));
  Value file{Value::Map{}};
  file.Set("session", session.address);
  file.Set("mark", session.mark);
  return WriteFileAtomically(*fs_, folder_ / key, file.ToJson(), 0600);
}

Status SessionFiles::Forget(const std::string& key) {
  auto removed = fs_->Unlink(folder_ / key);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return {};
}

}  // namespace kinetic::gcs
