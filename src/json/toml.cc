#include "json/parse.h"

#include <toml++/toml.h>

#include <sstream>

namespace kinetic::json {
namespace {

template <typename T>
std::string Text(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

Value Convert(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: {
      Value::Map map;
      for (const auto& [key, value] : *node.as_table()) {
        map.emplace_back(std::string(key.str()), Convert(value));
      }
      return Value(std::move(map));
    }
    case toml::node_type::array: {
      Value::List list;
      for (const auto& item : *node.as_array()) list.push_back(Convert(item));
      return Value(std::move(list));
    }
    case toml::node_type::string:
      return Value(node.as_string()->get());
    case toml::node_type::integer:
      return Value(std::int64_t{node.as_integer()->get()});
    case toml::node_type::floating_point:
      return Value(node.as_floating_point()->get());
    case toml::node_type::boolean:
      return Value(node.as_boolean()->get());
    case toml::node_type::date:
      return Value(Text(node.as_date()->get()));
    case toml::node_type::time:
      return Value(Text(node.as_time()->get()));
    case toml::node_type::date_time:
      return Value(Text(node.as_date_time()->get()));
    default:
      return {};
  }
}

}  // namespace

Result<Value> ParseToml(std::string_view text) {
  try {
    const toml::table table = toml::parse(text, std::string_view("toml"));
    return Convert(table);
  } catch (const toml::parse_error& error) {
    return Failure(Error{ErrorCode::kInvalidArgument,
                         std::string(error.description()),
                         {},
                         {{"line", std::to_string(error.source().begin.line)},
                          {"column", std::to_string(error.source().begin.column)}}});
  }
}

}  // namespace kinetic::json
