#include "store/object.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "store/damage.h"
#include "store/folder/internal_files.h"

#include <algorithm>

namespace kinetic::store {
namespace {

Failure BadName(std::string_view name, std::string_view problem) {
  return Fail(ErrorCode::kInvalidArgument, "invalid object name " + Printable(name.substr(0, 100)) +
                                               ": " + std::string(problem));
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool IsKeyCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

Error DamageError(const ObjectInfo& info) {
  if (IsDenied(info)) {
    return {ErrorCode::kDataLoss,
            Printable(info.name) + " cannot be read: " + info.damage,
            "its owner can make it readable",
            {}};
  }
  return {ErrorCode::kDataLoss,
          Printable(info.name) + " is damaged: " + info.damage,
          "check the store's disk, and that only kinetic writes to the store's folder",
          {}};
}

Status CheckName(std::string_view name) {
  if (name.empty()) return BadName(name, "empty");
  if (name.size() > kNameBytes) return BadName(name, "longer than 1024 bytes");
  if (!IsUtf8(name)) return BadName(name, "not UTF-8");
  if (std::any_of(name.begin(), name.end(), IsControl)) {
    return BadName(name, "contains a control character");
  }
  std::string_view rest = name;
  for (bool first = true; first || !rest.empty(); first = false) {
    const auto slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty()) return BadName(name, "has an empty part");
    if (part == "." || part == "..") return BadName(name, "has a part " + std::string(part));
    if (IsDiscarded(part)) return BadName(name, "has a reserved part " + std::string(part));
    if (first && (part == kTemporaryFolder || part == kLockFolder)) {
      return BadName(name, "begins with a reserved folder");
    }
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
  return BadName(name, "ends with /");
}

Status CheckMetadata(std::string_view name, const Metadata& metadata) {
  const auto bad = [&](std::string_view problem) {
    return Fail(ErrorCode::kInvalidArgument,
                "invalid metadata of " + Printable(name) + ": " + std::string(problem));
  };
  std::size_t size = 0;
  for (const auto& [key, value] : metadata) {
    if (key.empty() || !std::all_of(key.begin(), key.end(), IsKeyCharacter)) {
      return bad("the key " + Printable(key) + " may only contain a-z, 0-9, _ and -");
    }
    if (!IsUtf8(value)) return bad("the value of " + key + " is not UTF-8");
    size += key.size() + value.size();
  }
  if (size > kMetadataBytes) return bad("longer than 4096 bytes");
  return {};
}

}  // namespace kinetic::store
