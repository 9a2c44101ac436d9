#include "output/json_output.h"
#include "output/text.h"

namespace kinetic::cli {
namespace {

constexpr std::size_t kIndent = 2;

class Writer {
 public:
  explicit Writer(std::size_t columns) : columns_(columns) {}

  /// Writes a value that starts at `column` on a line with indentation `indent`.
  void Write(const Value& value, std::size_t column, std::size_t indent) {
    const std::string line = value.ToJson();
    const Value::Map* map = value.AsMap();
    const Value::List* list = value.AsList();
    const bool fits = column + DisplayWidth(line) < columns_;
    if (!fits && map != nullptr && !map->empty())
      WriteMap(*map, indent);
    else if (!fits && list != nullptr && !list->empty())
      WriteList(*list, indent);
    else
      text_ += line;
  }

  std::string Take() { return std::move(text_); }

 private:
  void NewLine(std::size_t indent) { text_ += "\n" + std::string(indent, ' '); }

  void WriteMap(const Value::Map& map, std::size_t indent) {
    text_ += '{';
    for (std::size_t i = 0; i < map.size(); ++i) {
      NewLine(indent + kIndent);
      const std::string key = Value(map[i].first).ToJson() + ": ";
      text_ += key;
      Write(map[i].second, indent + kIndent + DisplayWidth(key), indent + kIndent);
      if (i + 1 < map.size()) text_ += ',';
    }
    NewLine(indent);
    text_ += '}';
  }

  void WriteList(const Value::List& list, std::size_t indent) {
    text_ += '[';
    std::size_t column = columns_;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string item = list[i].ToJson();
      const std::size_t width = DisplayWidth(item) + 2;
      if (column + width >= columns_) {
        NewLine(indent + kIndent);
        column = indent + kIndent;
      } else {
        text_ += ' ';
      }
      Write(list[i], column, indent + kIndent);
      // An item that spans several lines gets its own line.
      column = column + width >= columns_ ? columns_ : column + width;
      if (i + 1 < list.size()) text_ += ',';
    }
    NewLine(indent);
    text_ += ']';
  }

  const std::size_t columns_;
  std::string text_;
};

}  // namespace

std::string JsonText(const Value& value, std::size_t columns) {
  Writer writer(columns);
  writer.Write(value, 0, 0);
  return writer.Take();
}

}  // namespace kinetic::cli
