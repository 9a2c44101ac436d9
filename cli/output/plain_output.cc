#include "output/plain_output.h"

#include "output/format.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::chrono::milliseconds kTick(67);  // at most 15 redraws per second

}  // namespace

std::string ErrorText(const Error& error, const Style& style) {
  std::string text = style.Paint(Role::kBad, "error:") + " " + error.message + "\n";
  if (!error.hint.empty()) text += style.Paint(Role::kHint, "hint:") + " " + error.hint + "\n";
  return text;
}

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
  return err_at_line_start_ && (out_at_line_start_ || !console_.OutIsTerminal());
}

void PlainOutput::LinesToErr(std::string_view lines) {
  ToErr(std::string(AtLineStart() ? "" : "\n").append(lines));
  if (console_.OutIsTerminal()) out_at_line_start_ = true;
}

void PlainOutput::ResultToOut(std::string_view bytes) {
  if (!err_at_line_start_ && console_.OutIsTerminal()) ToErr("\n");
  ToOut(bytes);
}

void PlainOutput::Line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  ResultToOut(std::string(text) + "\n");
}

void PlainOutput::Show(const Table& table) {
  const std::lock_guard lock(mutex_);
  ResultToOut(FormatTable(table, options_.out, console_.OutIsTerminal() ? console_.Width() : 0));
}

void PlainOutput::Bytes(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  ResultToOut(bytes);
}

void PlainOutput::Document(const Value& value) {
  const std::lock_guard lock(mutex_);
  ToOut(value.ToJson(true) + "\n");
}

void PlainOutput::JobOutput(Stream stream, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (stream == Stream::kStdout) return ToOut(bytes);
  if (stream == Stream::kStderr) return ToErr(bytes);
  ToErr(options_.err.Paint(Role::kDim, fmt::format("kinetic: {}", OneLine(bytes))) + "\n");
}

void PlainOutput::Note(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (options_.notes) LinesToErr(std::string(text) + "\n");
}

void PlainOutput::Warn(std::string_view text) {
  const std::lock_guard lock(mutex_);
  LinesToErr(options_.err.Paint(Role::kWarning, "warning:") + " " + std::string(text) + "\n");
}

void PlainOutput::ShowError(const Error& error, int /*exit_code*/) {
  const std::lock_guard lock(mutex_);
  LinesToErr(ErrorText(error, options_.err));
}

void PlainOutput::Explain(std::string_view text) {
  const std::lock_guard lock(mutex_);
  LinesToErr(text);
}

std::unique_ptr<Progress> PlainOutput::StartProgress() {
  if (!options_.progress) return std::make_unique<Progress>();
  return std::make_unique<PlainProgress>(*this);
}

bool PlainOutput::IsStdoutClosed() {
  const std::lock_guard lock(mutex_);
  return !console_.OutStatus();
}

Status PlainOutput::Flush() {
  const std::lock_guard lock(mutex_);
  BeforeWrite();
  console_.Flush();
  return console_.OutStatus();
}

}  // namespace kinetic::cli
