#include "env/dependencies/index_json.h"

#include "base/try.h"

#include <utility>

namespace kinetic::env {

Value ToList(const std::vector<std::string>& texts) {
  Value::List list;
  for (const auto& text : texts) list.emplace_back(text);
  return list;
}

std::vector<std::string> TextsAt(json::ObjectReader& reader, std::string_view key) {
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
                    {"extra_urls", ToList(index.extra_urls)},
                    {"find_links", ToList(index.find_links)},
                    {"trusted_hosts", ToList(index.trusted_hosts)},
                    {"no_binary", ToList(index.no_binary)},
                    {"only_binary", ToList(index.only_binary)},
                    {"no_index", index.no_index},
                    {"prefer_binary", index.prefer_binary},
                    {"pre", index.pre}};
}

Result<IndexSettings> IndexFromValue(const Value& value, std::string where) {
  json::ObjectReader reader(value, std::move(where));
  IndexSettings index;
  index.url = reader.OptionalString("url").value_or("");
  index.extra_urls = TextsAt(reader, "extra_urls");
  index.find_links = TextsAt(reader, "find_links");
  index.trusted_hosts = TextsAt(reader, "trusted_hosts");
  index.no_binary = TextsAt(reader, "no_binary");
  index.only_binary = TextsAt(reader, "only_binary");
  index.no_index = reader.OptionalBool("no_index").value_or(false);
  index.prefer_binary = reader.OptionalBool("prefer_binary").value_or(false);
  index.pre = reader.OptionalBool("pre").value_or(false);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return index;
}

}  // namespace kinetic::env
