#include "kinetic/try.h"

#include "env/dependencies/index_settings.h"

#include <utility>

namespace kinetic::env {

Value ToStringList(const std::vector<std::string>& texts) {
  Value::List list;
  for (const auto& text : texts) list.emplace_back(text);
  return list;
}

std::vector<std::string> ReadStringList(json::ObjectReader& reader, std::string_view key) {
  std::vector<std::string> texts;
  for (const Value& item : reader.List(key)) {
    if (item.AsString() != nullptr) {
      texts.push_back(*item.AsString());
    } else {
      reader.Reject(key, "expected strings");
    }
  }
  return texts;
}

Value ToValue(const IndexSettings& index) {
  return Value::Map{{"url", index.url},
                    {"extra_urls", ToStringList(index.extra_urls)},
                    {"find_links", ToStringList(index.find_links)},
                    {"trusted_hosts", ToStringList(index.trusted_hosts)},
                    {"only_binary", ToStringList(index.only_binary)},
                    {"no_index", index.no_index}};
}

Result<IndexSettings> IndexSettingsFromValue(const Value& value, std::string where) {
  json::ObjectReader reader(value, std::move(where));
  IndexSettings index;
  index.url = reader.OptionalString("url").value_or("");
  index.extra_urls = ReadStringList(reader, "extra_urls");
  index.find_links = ReadStringList(reader, "find_links");
  index.trusted_hosts = ReadStringList(reader, "trusted_hosts");
  index.only_binary = ReadStringList(reader, "only_binary");
  index.no_index = reader.OptionalBool("no_index").value_or(false);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return index;
}

}  // namespace kinetic::env
