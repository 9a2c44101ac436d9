#pragma once

#include "kinetic/value.h"

#include "output/base.h"
#include "output/console.h"
#include "output/text.h"

#include <cstddef>
#include <mutex>
#include <string>

namespace kinetic::cli {

/// Output for `--json`. Only documents go to stdout. Job output and notes go to stderr.
class JsonOutput : public Output {
 public:
  explicit JsonOutput(Console console) : console_(std::move(console)) {}
  ~JsonOutput() override { console_.Flush(); }

  bool IsJson() const override { return true; }
  void Line(const StyledLine&) override {}
  void ExactLine(std::string_view) override {}
  void Show(const Table&) override {}
  void Bytes(std::string_view) override {}
  void Json(std::string_view) override {}
  void Document(const Value& value) override;
  void JobOutput(Stream stream, std::string_view bytes, bool raw) override;
  void Note(std::string_view) override {}
  void Warn(std::string_view text) override;
  void ShowError(const Error& error, int exit_code) override;
  void Explain(std::string_view text) override;
  std::unique_ptr<Progress> StartProgress() override;
  Status Flush() override;
  bool IsStdoutClosed() override;
  void CloseStdout() override;

 private:
  std::mutex mutex_;
  Console console_;
  JobTextFilter filter_;  ///< for a terminal
};

/// Returns JSON formatted for reading, without a trailing newline. What fits into `columns` is on
/// one line. Items of a long list are next to each other.
std::string JsonText(const Value& value, std::size_t columns);

}  // namespace kinetic::cli
