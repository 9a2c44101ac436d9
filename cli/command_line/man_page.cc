#include "command_line/man_page.h"

#include "command_line/help.h"

#include <fmt/format.h>

namespace kinetic::cli {
namespace {

/// Escapes text for roff: a backslash, a hyphen, and a line that begins like a request.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool line_start = out.empty() || out.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

void AppendOptions(const std::vector<Option>& options, std::string& out) {
  for (const Option& option : options)
    out +=
        fmt::format(".TP\n.B {}\n{}\n", Escaped(OptionNames(option)), Escaped(OptionDoc(option)));
}

void AppendExamples(const CommandText& text, std::string& out) {
  if (text.examples.empty()) return;
  out += ".PP\nExamples:\n.nf\n.RS\n";
  for (const std::string& example : text.examples) out += Escaped(example) + "\n";
  out += ".RE\n.fi\n";
}

void AppendUsage(const Command& command, std::string& out) {
  for (const std::string& usage : command.text().usage)
    out += fmt::format("{} {}\n.br\n", Escaped(command.Path()), Escaped(usage));
}

void AppendCommand(const Command& command, std::string& out) {
  if (command.text().hidden) return;
  out += fmt::format(".SS {}\n{}\n.PP\n", Escaped(command.Path()),
                     Escaped(command.text().description));
  AppendUsage(command, out);
  AppendOptions(command.arguments(), out);
  AppendOptions(command.options(), out);
  AppendExamples(command.text(), out);
  for (const auto& child : command.children()) AppendCommand(*child, out);
}

}  // namespace

std::string ManPage(const Command& root, std::string_view version) {
  std::string out = fmt::format(".TH KINETIC 1 \"\" \"kinetic {}\" \"User Commands\"\n", version);
  out += ".SH NAME\nkinetic \\- run code on an accelerator or on this machine\n.SH SYNOPSIS\n";
  AppendUsage(root, out);
  out += fmt::format(".SH DESCRIPTION\n{}\n", Escaped(root.text().description));
  AppendExamples(root.text(), out);
  out += ".SH GLOBAL OPTIONS\n";
  AppendOptions(root.options(), out);
  out += ".SH COMMANDS\n";
  for (const auto& child : root.children()) AppendCommand(*child, out);
  return out;
}

}  // namespace kinetic::cli
