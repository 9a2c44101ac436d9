#pragma once

#include "kinetic/value.h"

#include "jobspec/read/context.h"

#include <cstdint>
#include <string>

namespace kinetic::jobspec {

/// Converts arguments to values and resolves references: maps with one `$` key (`$json`, `$jsonl`,
/// `$text`, `$env`, `$path`; see docs/reference/job-file.md).
class ArgumentReader {
 public:
  static constexpr std::uint64_t kMostBytes = 64U << 20;  ///< total of all files

  explicit ArgumentReader(ReadContext& context) : context_(context) {}

  /// `where` is the path in messages and positions: "args.data".
  Value Read(const json::YamlNode& node, const std::string& where);

 private:
  Value ReadList(const json::YamlNode& node, const std::string& where);
  Value ReadMap(const json::YamlNode& node, const std::string& where);
  Value ReadScalar(const json::YamlNode& node, const std::string& where);
  Value ReadReference(const std::string& kind, const json::YamlNode& name,
                      const std::string& where);
  Value ReadJson(const json::YamlNode& name, const std::string& where);
  Value ReadJsonLines(const json::YamlNode& name, const std::string& where);
  Value ReadVariable(const json::YamlNode& name, const std::string& where);
  std::optional<std::string> ReadText(const json::YamlNode& name, const std::string& where);
  Value Reject(const json::YamlNode& at, const std::string& where, const std::string& message);

  ReadContext& context_;
  std::uint64_t bytes_left_ = kMostBytes;
};

}  // namespace kinetic::jobspec
