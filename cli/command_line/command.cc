#include "command_line/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kinetic::cli {
namespace {

Status StoreNumber(const std::string& name, const std::string& text,
                   std::optional<std::uint64_t>& target) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {} is too large", name, text));
  if (error != std::errc() || end != text.data() + text.size())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: expected a whole number, 0 or more, found '{}'", name, text));
  target = number;
  return {};
}

}  // namespace

Command& Command::Add(CommandText text) {
  text.group = group_;
  children_.push_back(std::make_unique<Command>(std::move(text)));
  children_.back()->parent_ = this;
  return *children_.back();
}

void Command::Flag(OptionText text, bool& target) {
  options_.push_back({.text = std::move(text),
                      .takes_value = false,
                      .apply = [&target](const auto& values) -> Status {
                        target = !values.empty();
                        return {};
                      }});
}

void Command::Count(OptionText text, int& target) {
  options_.push_back({.text = std::move(text),
                      .takes_value = false,
                      .repeated = true,
                      .apply = [&target](const auto& values) -> Status {
                        target = static_cast<int>(values.size());
                        return {};
                      }});
}

void Command::Text(OptionText text, std::optional<std::string>& target) {
  options_.push_back({.text = std::move(text), .apply = [&target](const auto& values) -> Status {
                        target = values.back();
                        return {};
                      }});
}

void Command::Texts(OptionText text, std::vector<std::string>& target) {
  options_.push_back(
      {.text = std::move(text), .repeated = true, .apply = [&target](const auto& values) -> Status {
         target = values;
         return {};
       }});
}

void Command::Number(OptionText text, std::optional<std::uint64_t>& target) {
  Option option{.text = std::move(text)};
  option.apply = [&target, name = LongName(option)](const auto& values) {
    return StoreNumber(name, values.back(), target);
  };
  options_.push_back(std::move(option));
}

void Command::Argument(OptionText text, std::string& target) {
  arguments_.push_back(
      {.text = std::move(text), .required = true, .apply = [&target](const auto& values) -> Status {
         target = values.back();
         return {};
       }});
}

void Command::Argument(OptionText text, std::optional<std::string>& target) {
  arguments_.push_back({.text = std::move(text), .apply = [&target](const auto& values) -> Status {
                          target = values.back();
                          return {};
                        }});
}

void Command::Arguments(OptionText text, std::vector<std::string>& target) {
  arguments_.push_back({.text = std::move(text),
                        .repeated = true,
                        .required = true,
                        .apply = [&target](const auto& values) -> Status {
                          target = values;
                          return {};
                        }});
}

void Command::OptionalArguments(OptionText text, std::vector<std::string>& target) {
  Arguments(std::move(text), target);
  arguments_.back().required = false;
}

std::string Command::Path() const {
  return parent_ == nullptr ? text_.name : parent_->Path() + " " + text_.name;
}

const Command* Command::Find(std::string_view name) const {
  const auto found = std::find_if(children_.begin(), children_.end(),
                                  [&](const auto& child) { return child->text().name == name; });
  return found == children_.end() ? nullptr : found->get();
}

std::string LongName(const Option& option) {
  const std::string& names = option.text.names;
  const std::size_t comma = names.rfind(',');
  return comma == std::string::npos ? names : names.substr(comma + 1);
}

namespace {

bool HasName(const Option& option, std::string_view word) {
  const std::string_view names = option.text.names;
  const std::size_t comma = names.find(',');
  if (comma == std::string_view::npos) return word == names;
  return word == names.substr(0, comma) || word == names.substr(comma + 1);
}

}  // namespace

const Option* FindOption(const Command& command, std::string_view word) {
  for (const Command* level = &command; level != nullptr; level = level->parent())
    for (const Option& option : level->options())
      if (HasName(option, word)) return &option;
  return nullptr;
}

}  // namespace kinetic::cli
