#pragma once

#include "output/plain_output.h"
#include "output/progress_view.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

/// Terminal output. Progress is drawn below the printed text at most 15 times per second, and is
/// removed at the end.
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

  /// Returns the columns to draw in. The last column stays empty, because some terminals wrap
  /// there.
  std::size_t Columns() const;
  void Clear();
  void Draw();

  std::optional<ProgressView> view_;
  std::vector<std::size_t> drawn_;  ///< columns of each line on the screen
};

}  // namespace kinetic::cli
