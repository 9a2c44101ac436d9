#include "output/json_output.h"
#include "output/terminal_output.h"
#include "output/text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::cli {
namespace {

/// Returns text of ordinary characters, attacks on a terminal and random bytes.
rc::Gen<std::string> HostileText() {
  const auto piece = rc::gen::oneOf(
      rc::gen::container<std::string>(rc::gen::arbitrary<char>()),
      rc::gen::element<std::string>(
          "word ", "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://evil\x1b\\", "\x1b[31mred",
          "\x1b[0m", "\x1b[", "\x1b", "\x1bP1$r\x1b\\",
          "\x9b"
          "31m",
          "\x90q\x9c",
          "\xc2\x9b"
          "2J",
          "\xc2\x85", "\r", "\n", "\r\n", "\t", "\b\b", "\x7f", "\a", std::string("\0", 1),
          "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xf0\x80\x82\x9b",
          "\xc0\x9b", "\xe2\x80", "\xff", "é", "日本語", "🚀", "\x1b[1;31merror:\x1b[0m x\n"));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& each : pieces) text += each;
                        return text;
                      });
}

/// Returns whether a text has a character that can control a terminal, other than those in `kept`.
/// Does not share code with safe_text.cc.
bool HasUnsafe(const std::string& text, std::string_view kept) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned byte = at(i);
    if (byte < 0x80) {
      if ((byte < 0x20 || byte == 0x7F) && kept.find(text[i]) == std::string_view::npos)
        return true;
      continue;
    }
    const std::size_t more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
    if (byte < 0xC2 || byte > 0xF4) return true;  // no lead byte
    for (std::size_t k = 1; k <= more; ++k)
      if (at(i + k) < 0x80 || at(i + k) > 0xBF) return true;
    if (byte == 0xC2 && at(i + 1) < 0xA0) return true;  // C1
    if (byte == 0xE0 && at(i + 1) < 0xA0) return true;  // not the shortest form
    if (byte == 0xF0 && at(i + 1) < 0x90) return true;
    if (byte == 0xE2 && at(i + 1) == 0x80 && at(i + 2) >= 0xA8 && at(i + 2) <= 0xAE) return true;
    if (byte == 0xE2 && at(i + 1) == 0x81 && at(i + 2) >= 0xA6 && at(i + 2) <= 0xA9) return true;
    i += more;
  }
  return false;
}

/// Removes the sequences with which the output itself draws: colors, and "up N rows and clear".
std::string WithoutDrawing(const std::string& text, bool colors) {
  std::string rest;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    if (text.compare(i, 2, "\x1b[") == 0) {
      end = text.find_first_not_of("0123456789;:", i + 2);
      const bool color = colors && end != std::string::npos && text[end] == 'm';
      const bool up = end != std::string::npos && text[end] == 'A' &&
                      text.compare(end, 4, "A\x1b[J") == 0 && !rest.empty() && rest.back() == '\r';
      if (up) rest.pop_back();
      end = color ? end + 1 : up ? end + 4 : i;
    }
    if (end == i) rest += text[end++];
    i = end;
  }
  return rest;
}

/// Calls `write` with an output on a pseudo-terminal, and returns what arrives there.
std::string OnTerminal(const std::function<std::unique_ptr<Output>(Console)>& make,
                       const std::function<void(Output&)>& write) {
  int outer = -1;
  int inner = -1;
  winsize size{.ws_row = 24, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
  termios mode{};
  ::cfmakeraw(&mode);
  EXPECT_EQ(::openpty(&outer, &inner, nullptr, &mode, &size), 0);
  std::string seen;
  std::thread reader([&] {
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(outer, buffer.data(), buffer.size())) > 0;)
      seen.append(buffer.data(), static_cast<std::size_t>(got));
  });
  {
    const auto output = make(Console(inner, inner));
    write(*output);
    (void)output->Flush();
  }
  ::close(inner);
  reader.join();
  ::close(outer);
  return seen;
}

std::unique_ptr<Output> Terminal(Console console) {
  return std::make_unique<TerminalOutput>(std::move(console), OutputOptions{});
}

void WriteEverything(const std::string& text, Output& output) {
  output.Line(text);
  output.Line(StyledLine(text, Role::kGood).Add(text));
  output.ExactLine(text);
  output.Show({.headings = {text, "B"}, .rows = {{text, Cell(text, Role::kBad)}}});
  output.Note(text);
  output.Warn(text);
  output.ShowError({ErrorCode::kNotFound, text, text, {{"detail", text}}}, 2);
  output.Explain(text);
  output.JobOutput(Stream::kSystem, text, false);
  const auto progress = output.StartProgress();
  progress->OnPhaseBegin(Phase::kBuild, text);
  progress->OnOutput(Phase::kBuild, text);
  progress->OnWarning(text);
  progress->Follow(text, {});
  progress->OnPhaseEnd(Phase::kBuild, text);
}

TEST(TerminalText, NoOutputControlsATerminal) {
  EXPECT_TRUE(rc::check("no output controls a terminal", [] {
    const std::string text = *HostileText();
    const std::string seen =
        OnTerminal(Terminal, [&](Output& output) { WriteEverything(text, output); });
    RC_ASSERT(!HasUnsafe(WithoutDrawing(seen, false), "\n\t"));
  }));
}

TEST(TerminalText, NoLineOfAPipeIsForged) {
  EXPECT_TRUE(rc::check("a text is one line on a pipe", [] {
    const std::string text = *HostileText();
    std::array<int, 2> ends{};
    RC_ASSERT(::pipe2(ends.data(), O_CLOEXEC) == 0);
    std::string seen;
    std::thread reader([&] {
      std::array<char, 4096> buffer{};
      for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        seen.append(buffer.data(), static_cast<std::size_t>(got));
    });
    {
      PlainOutput output(Console(ends[1], ends[1]), {});
      output.Line(text);
      output.Show({.headings = {text}, .rows = {{text}}});
      output.JobOutput(Stream::kSystem, text, false);
      const auto progress = output.StartProgress();
      progress->OnPhaseBegin(Phase::kBuild, "x" + text);
      progress->OnPhaseEnd(Phase::kBuild, "x" + text);
    }
    ::close(ends[1]);
    reader.join();
    ::close(ends[0]);
    RC_ASSERT(!HasUnsafe(seen, "\n"));
    RC_ASSERT(std::count(seen.begin(), seen.end(), '\n') == 6);
  }));
}

TEST(TerminalText, AJobsLogOnlyColorsATerminal) {
  EXPECT_TRUE(rc::check("a log only colors a terminal", [] {
    // Short pieces: what matters is where a sequence is cut.
    const auto pieces =
        *rc::gen::container<std::vector<std::string>>(rc::gen::scale(0.2, HostileText()));
    std::string whole;
    const std::string seen = OnTerminal(Terminal, [&](Output& output) {
      for (const std::string& piece : pieces) {
        output.JobOutput(Stream::kStdout, piece, false);
        whole += piece;
      }
    });
    const std::string shown = WithoutDrawing(seen, true);
    RC_ASSERT(!HasUnsafe(shown, "\n\t\r"));
    // However the log is cut into pieces, it looks the same.
    JobTextFilter filter;
    std::string at_once = filter.Filter(whole);
    at_once += filter.Finish();
    RC_ASSERT(shown == WithoutDrawing(at_once, true));
    // Colors are off at the end of every line.
    for (std::size_t end = seen.find('\n'); end != std::string::npos;
         end = seen.find('\n', end + 1)) {
      const std::size_t color = seen.rfind("\x1b[", end);
      if (color == std::string::npos) continue;
      const std::string_view last =
          std::string_view(seen).substr(color + 2, seen.find('m', color) - color - 2);
      RC_ASSERT(last.find_first_of("123456789") == std::string_view::npos);
    }
  }));
}

TEST(TerminalText, ARawLogIsUnchanged) {
  EXPECT_TRUE(rc::check("a raw log is unchanged", [] {
    const std::string text = *HostileText();
    const std::string seen = OnTerminal(
        Terminal, [&](Output& output) { output.JobOutput(Stream::kStdout, text, true); });
    RC_ASSERT(seen == text);
  }));
}

TEST(TerminalText, JsonOnATerminalKeepsItsMeaning) {
  EXPECT_TRUE(rc::check("JSON on a terminal keeps its meaning", [] {
    const std::string text = *HostileText();
    const auto parsed = Value::FromJson(Value(text).ToJson());
    const Value value(Value::Map{{"text", parsed ? *parsed : Value("")}});
    const auto json = [](Console console) {
      return std::make_unique<JsonOutput>(std::move(console));
    };
    for (const auto& make : {std::function<std::unique_ptr<Output>(Console)>(Terminal),
                             std::function<std::unique_ptr<Output>(Console)>(json)}) {
      const std::string seen = OnTerminal(make, [&](Output& output) { output.Document(value); });
      RC_ASSERT(!HasUnsafe(seen, "\n"));
      const auto read = Value::FromJson(seen);
      RC_ASSERT(read.has_value());
      RC_ASSERT(*read == value);
    }
  }));
}

TEST(TerminalText, EscapesAreReadOnce) {
  EXPECT_TRUE(rc::check("escaped text is safe", [] {
    const std::string text = *HostileText();
    RC_ASSERT(SafeLine(SafeLine(text)) == SafeLine(text));
    RC_ASSERT(!HasUnsafe(SafeLine(text), ""));
    RC_ASSERT(!HasUnsafe(SafeLines(text), "\n\t"));
  }));
}

}  // namespace
}  // namespace kinetic::cli
