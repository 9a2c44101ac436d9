#include "output/plain_output.h"

#include "kinetic/report.h"

#include "output/text.h"

#include <fmt/format.h>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::chrono::milliseconds kTick(67);  // at most 15 redraws per second

}  // namespace

PlainOutput::PlainOutput(Console console, OutputOptions options)
    : options_(options), console_(std::move(console)), ticker_(kTick, [this] {
        const std::lock_guard lock(mutex_);
        const bool again = Tick();
        console_.Flush();
        return again;
      }) {}

PlainOutput::~PlainOutput() {
  ticker_.Stop();
  console_.Flush();
}

void PlainOutput::ToOut(std::string_view bytes) {
  if (bytes.empty()) return;
  BeforeWrite();
  console_.Out(bytes);
  out_written_ = true;
  out_at_line_start_ = bytes.ends_with('\n');
  AfterWrite();
  ticker_.Wake();
}

void PlainOutput::ToErr(std::string_view bytes) {
  if (bytes.empty()) return;
  BeforeWrite();
  console_.Err(bytes);
  err_at_line_start_ = bytes.ends_with('\n');
  AfterWrite();
  ticker_.Wake();
}

bool PlainOutput::AtLineStart() const {
  return err_at_line_start_ && (out_at_line_start_ || !console_.IsShared());
}

void PlainOutput::LinesToErr(std::string_view lines) {
  ToErr(std::string(AtLineStart() ? "" : "\n").append(lines));
  if (console_.IsShared()) out_at_line_start_ = true;
}

void PlainOutput::ResultToOut(std::string_view bytes) {
  if (!err_at_line_start_ && console_.IsShared()) ToErr("\n");
  ToOut(bytes);
}

void PlainOutput::Line(const StyledLine& line) {
  const std::lock_guard lock(mutex_);
  ResultToOut(line.Render(options_.out) + "\n");
}

void PlainOutput::ExactLine(std::string_view text) {
  const std::lock_guard lock(mutex_);
  ResultToOut((console_.OutIsTerminal() ? SafeLine(text) : std::string(text)) + "\n");
}

void PlainOutput::Show(const Table& table) {
  const std::lock_guard lock(mutex_);
  ResultToOut(FormatTable(table, options_.out, Columns()));
}

std::size_t PlainOutput::Columns() const { return console_.OutIsTerminal() ? console_.Width() : 0; }

std::optional<bool> PlainOutput::Confirm(std::string_view question, const std::stop_token& stop) {
  if (::isatty(STDIN_FILENO) != 1 || !console_.ErrIsTerminal()) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    LinesToErr(Fitted(SafeLine(question) + " [y/N]") + " ");
    console_.Flush();
    err_at_line_start_ = true;  // after the answer's newline
  }
  constexpr int kPollMs = 100;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (!stop.stop_requested() && ::poll(&input, 1, kPollMs) == 0) {
  }
  std::array<char, 256> answer{};
  const ssize_t size =
      stop.stop_requested() ? 0 : ::read(STDIN_FILENO, answer.data(), answer.size());
  const bool has_newline = size > 0 && answer.at(static_cast<std::size_t>(size) - 1) == '\n';
  if (!has_newline) {
    // Ctrl-C or Ctrl-D left the cursor behind the question.
    const std::lock_guard lock(mutex_);
    ToErr("\n");
  }
  std::string word = size > 0 ? std::string(answer.data(), static_cast<std::size_t>(size)) : "";
  while (!word.empty() && std::isspace(static_cast<unsigned char>(word.back())) != 0)
    word.pop_back();
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "y" || word == "yes";
}

void PlainOutput::Bytes(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  ResultToOut(bytes);
}

void PlainOutput::Json(std::string_view json) {
  const std::lock_guard lock(mutex_);
  ResultToOut((console_.OutIsTerminal() ? SafeJson(json) : std::string(json)) + "\n");
}

void PlainOutput::Document(const Value& value) { Json(value.ToJson(true)); }

void PlainOutput::JobOutput(Stream stream, std::string_view bytes, bool raw) {
  const std::lock_guard lock(mutex_);
  // On a terminal, a line of one stream would overwrite an unfinished line of the other, such as a
  // progress bar.
  const bool is_one_terminal = console_.IsShared() && console_.OutIsTerminal();
  if (is_one_terminal && stream == Stream::kStdout && !err_at_line_start_) ToErr("\n");
  if (is_one_terminal && stream == Stream::kStderr && !out_at_line_start_) ToOut("\n");
  if (stream == Stream::kStdout)
    return ToOut(raw || !console_.OutIsTerminal() ? std::string(bytes) : out_filter_.Filter(bytes));
  if (stream == Stream::kStderr)
    return ToErr(raw || !console_.ErrIsTerminal() ? std::string(bytes) : err_filter_.Filter(bytes));
  ToErr(options_.err.Paint(Role::kDim, fmt::format("kinetic: {}", OneLine(bytes))) + "\n");
}

std::string PlainOutput::Fitted(std::string_view lines) const {
  return WrappedMessage(lines, console_.ErrIsTerminal() ? console_.Width() : 0);
}

void PlainOutput::Note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (options_.notes) LinesToErr(Fitted(SafeLines(text)) + "\n");
}

void PlainOutput::Warn(std::string_view text) {
  const std::lock_guard lock(mutex_);
  LinesToErr(Fitted(options_.err.Paint(Role::kWarning, "warning:") + " " + SafeLines(text)) + "\n");
}

void PlainOutput::ShowError(const Error& error, int /*exit_code*/) {
  const std::lock_guard lock(mutex_);
  LinesToErr(Fitted(ReportText(error, options_.err.color)));
}

void PlainOutput::Explain(std::string_view text) {
  constexpr std::string_view kHint = "\nhint: ";
  const std::lock_guard lock(mutex_);
  // A traceback keeps its lines.
  const std::string lines = "\n" + SafeLines(text);
  const std::size_t hint = std::min(lines.rfind(kHint), lines.size());
  LinesToErr((lines.substr(0, hint) + Fitted(lines.substr(hint))).substr(1));
}

std::unique_ptr<Progress> PlainOutput::StartProgress() {
  if (!options_.progress) return std::make_unique<WarningsOnly>(*this);
  return std::make_unique<PlainProgress>(*this);
}

bool PlainOutput::IsStdoutClosed() {
  const std::lock_guard lock(mutex_);
  return !console_.OutStatus();
}

void PlainOutput::CloseStdout() {
  const std::lock_guard lock(mutex_);
  console_.CloseOut();
}

void PlainOutput::FinishJobOutput() {
  ToOut(out_filter_.Finish());
  ToErr(err_filter_.Finish());
}

Status PlainOutput::Flush() {
  const std::lock_guard lock(mutex_);
  FinishJobOutput();
  BeforeWrite();
  console_.Flush();
  return console_.OutStatus();
}

}  // namespace kinetic::cli
