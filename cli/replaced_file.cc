#include "replaced_file.h"

#include "diagnostics.h"
#include "output/text.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace kinetic::cli {

ReplacedFile::ReplacedFile(const std::filesystem::path& path) : path_(path), written_(path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  using enum std::filesystem::file_type;
  if (type == regular || type == not_found) written_ += ".part";
  file_.open(written_, std::ios::binary | std::ios::trunc);
}

ReplacedFile::~ReplacedFile() {
  std::error_code ignored;
  if (written_ != path_) std::filesystem::remove(written_, ignored);
}

Status ReplacedFile::Write(std::string_view bytes) {
  if (!file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) return WriteError();
  return {};
}

Status ReplacedFile::Close() {
  file_.close();
  if (!file_) return WriteError();
  if (written_ != path_ && std::rename(written_.c_str(), path_.c_str()) != 0) return WriteError();
  return {};
}

Failure ReplacedFile::WriteError() const {
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("cannot write {}: {}", SafeLine(path_.string()), SystemCause(errno)));
}

}  // namespace kinetic::cli
