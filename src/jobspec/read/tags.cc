#include "jobspec/tags.h"

#include "base/strings.h"
#include "jobspec/read/context.h"

#include <string>

namespace kinetic::jobspec {

void ReadTags(const json::YamlNode& root, ReadContext& context, JobSpec& spec) {
  const json::YamlNode* tags = Find(root, "tags");
  if (tags == nullptr) return;
  for (const auto& [name, value] : tags->members) {
    const auto text = TextOf(&value, true);
    if (text) spec.tags.insert_or_assign(name.text, *text);
  }
  if (TagsBytes(spec.tags) <= kMaxTagsBytes) return;
  context.diagnostics.Add(*tags, "tags: found " + std::to_string(TagsBytes(spec.tags)) +
                                     " bytes of names and values, expected at most " +
                                     std::to_string(kMaxTagsBytes));
}

}  // namespace kinetic::jobspec
