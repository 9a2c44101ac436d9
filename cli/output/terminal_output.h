#pragma once

#include "output/plain_output.h"
#include "output/progress_view.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

/// A terminal: progress is drawn below what is printed, at most 15 times a second, and leaves
/// nothing behind.
class TerminalOutput : public PlainOutput {
 public:
  TerminalOutput(Console console, OutputOptions options);
  ~TerminalOutput() override;

  std::unique_ptr<Progress> StartProgress() override;
  void Resized() override;

 protected:
  void BeforeWrite() override { Clear(); }
  bool Tick() override;

 private:
  class LiveProgress;

  /// Columns to draw in; the last one stays empty, or some terminals wrap.
  std::size_t Columns() const;
  void Clear();
  void Draw();

  std::optional<ProgressView> view_;
  std::vector<std::size_t> drawn_;  ///< columns of each line on the screen
};

}  // namespace kinetic::cli
