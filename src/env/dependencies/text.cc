#include "env/dependencies/text.h"

#include <filesystem>
#include <string_view>

namespace kinetic::env {

Result<std::string> DecodeText(std::string bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const bool is_little_endian = bytes.starts_with("\xFF\xFE");
  if (!is_little_endian && !bytes.starts_with("\xFE\xFF")) {
    return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : std::move(bytes);
  }
  std::u16string units;
  for (std::size_t at = 2; at + 1 < bytes.size(); at += 2) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    units += static_cast<char16_t>(is_little_endian ? second << 8 | first : first << 8 | second);
  }
  const auto invalid = [] {
    return Fail(ErrorCode::kInvalidArgument, "not valid UTF-16", "save it as UTF-8");
  };
  if (bytes.size() % 2 != 0) return invalid();
  try {
    return std::filesystem::path(units).native();  // converts to UTF-8
  } catch (const std::filesystem::filesystem_error&) {
    return invalid();
  }
}

}  // namespace kinetic::env
