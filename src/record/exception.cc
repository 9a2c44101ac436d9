#include "kinetic/job.h"

#include <fmt/format.h>

namespace kinetic {
namespace {

/// How many equal frames in a row Python prints before it counts the rest.
constexpr int kEqualFrames = 3;

bool SamePlace(const Frame& a, const Frame& b) {
  return a.file == b.file && a.line == b.line && a.function == b.function;
}

std::string Repeated(int count) {
  const int more = count - kEqualFrames;
  return fmt::format("  [Previous line repeated {} more time{}]\n", more, more == 1 ? "" : "s");
}

std::string FormatTraceback(const std::vector<Frame>& traceback) {
  std::string text;
  const Frame* last = nullptr;
  int count = 0;
  for (const Frame& frame : traceback) {
    if (last == nullptr || !SamePlace(*last, frame)) {
      if (count > kEqualFrames) text += Repeated(count);
      last = &frame;
      count = 0;
    }
    if (++count > kEqualFrames) continue;
    text += fmt::format("  File \"{}\", line {}", frame.file, frame.line);
    // The place of a syntax error is in no function.
    text += frame.function.empty() ? "\n" : ", in " + frame.function + "\n";
    if (!frame.code.empty()) text += fmt::format("    {}\n", frame.code);
  }
  if (count > kEqualFrames) text += Repeated(count);
  return text;
}

std::string_view LinkBetween(std::string_view relation) {
  if (relation == "context") {
    return "\nDuring handling of the above exception, another exception occurred:\n\n";
  }
  return "\nThe above exception was the direct cause of the following exception:\n\n";
}

}  // namespace

std::string RemoteException::Format() const {
  std::string text;
  if (cause) text.append(cause->Format()).append(LinkBetween(relation));
  if (!traceback.empty()) {
    text += "Traceback (most recent call last):\n";
    text += FormatTraceback(traceback);
  }
  text += type;
  if (!message.empty()) text.append(": ").append(message);
  return text += "\n";
}

}  // namespace kinetic
