#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace kinetic::jobspec {

/// The size of a job's tags as JSON. The index has the tags of a job in its metadata, which is
/// limited.
std::size_t TagsBytes(const std::map<std::string, std::string>& tags);

/// The maximum of TagsBytes.
inline constexpr std::size_t kMaxTagsBytes = 400;

}  // namespace kinetic::jobspec
