#include "jobspec/read/npy.h"

#include <cstdint>

namespace kinetic::jobspec {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;

std::uint32_t LittleEndian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    number = (number << 8U) | static_cast<unsigned char>(bytes[i - 1]);
  return number;
}

}  // namespace

std::string FindNpyProblem(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < kVersionEnd) return "is not an .npy file";
  const auto major = static_cast<unsigned char>(file[kMagic.size()]);
  if (major < 1 || major > 3) return "has format " + std::to_string(major) + ", expected 1 to 3";
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < kVersionEnd + length_bytes) return "is truncated";
  const std::uint32_t length = LittleEndian(file.substr(kVersionEnd, length_bytes));
  const std::string_view rest = file.substr(kVersionEnd + length_bytes);
  if (rest.size() < length) return "is truncated";
  const std::string_view header = rest.substr(0, length);
  for (const std::string_view key : {"'descr'", "'fortran_order'", "'shape'"})
    if (header.find(key) == std::string_view::npos)
      return "is damaged: its header has no " + std::string(key);
  if (header.find("'|O'") != std::string_view::npos) return "contains Python objects";
  return {};
}

}  // namespace kinetic::jobspec
