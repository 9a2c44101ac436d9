#include "kinetic/job.h"

#include <fmt/format.h>

namespace kinetic::inline v0 {
namespace {

/// Python prints this many equal frames in a row and then counts the rest.
constexpr int kMaxEqualFrames = 3;

bool IsSameLine(const Frame& a, const Frame& b) {
  return a.file == b.file && a.line == b.line && a.function == b.function;
}

/// Returns whether a frame stands for frames that the runner left out. Its function is their number:
/// "796 frames omitted".
bool IsGap(const Frame& frame) { return frame.line == 0 && frame.file == "…"; }

std::string RepeatedLine(int count) {
  const int more = count - kMaxEqualFrames;
  return fmt::format("  [Previous line repeated {} more time{}]\n", more, more == 1 ? "" : "s");
}

std::string FormatTraceback(const std::vector<Frame>& traceback) {
  std::string text;
  const Frame* last = nullptr;
  int count = 0;
  for (const Frame& frame : traceback) {
    if (last == nullptr || !IsSameLine(*last, frame)) {
      if (count > kMaxEqualFrames) text += RepeatedLine(count);
      last = &frame;
      count = 0;
    }
    if (++count > kMaxEqualFrames) continue;
    if (IsGap(frame)) {
      text += fmt::format("  [{}]\n", frame.function);
      continue;
    }
    text += fmt::format("  File \"{}\"", frame.file);
    // C++ functions have no lines.
    if (frame.line > 0) text += fmt::format(", line {}", frame.line);
    // A syntax error is in no function.
    text += frame.function.empty() ? "\n" : ", in " + frame.function + "\n";
    if (!frame.code.empty()) text += fmt::format("    {}\n", frame.code);
  }
  if (count > kMaxEqualFrames) text += RepeatedLine(count);
  return text;
}

std::string_view ChainText(std::string_view relation) {
  if (relation == "context") {
    return "\nDuring handling of the above exception, another exception occurred:\n\n";
  }
  return "\nThe above exception was the direct cause of the following exception:\n\n";
}

}  // namespace

std::string RemoteException::Format() const {
  std::string text;
  if (cause) text.append(cause->Format()).append(ChainText(relation));
  if (!traceback.empty()) {
    text += "Traceback (most recent call last):\n";
    text += FormatTraceback(traceback);
  }
  text += type;
  if (!message.empty()) text.append(": ").append(message);
  return text += "\n";
}

}  // namespace kinetic::inline v0
