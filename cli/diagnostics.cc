#include "diagnostics.h"

#include "output/base.h"
#include "output/text.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <mutex>
#include <utility>

namespace kinetic::cli {
namespace {

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return spdlog::level::trace;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
  }
  return spdlog::level::info;
}

/// Passes lines to the output, which manages the terminal display.
class OutputSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit OutputSink(Output& output) : output_(output) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    output_.Explain(std::string_view(line.data(), line.size()));
  }
  void flush_() override {}

 private:
  Output& output_;
};

class Diagnostics : public LogSink {
 public:
  explicit Diagnostics(spdlog::logger logger) : logger_(std::move(logger)) {}

  void Write(LogLevel level, std::string_view component, std::string_view message) override {
    logger_.log(LevelOf(level), "{}: {}", component, SafeLine(message));
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

void WaitNotes::OnWait(std::string_view what, std::chrono::milliseconds elapsed) {
  constexpr std::chrono::seconds kInterval{5};
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (noted_ && now - *noted_ < kInterval) return;
    noted_ = now;
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed);
  output_.Note(fmt::format("{}, {} s", OneLine(what), seconds.count()));
}

std::unique_ptr<LogSink> MakeDiagnostics(const std::string& level, Output& output) {
  if (level == "off") return nullptr;
  spdlog::logger logger("kinetic", std::make_shared<OutputSink>(output));
  logger.set_pattern("%H:%M:%S.%e %l %v");
  logger.set_level(spdlog::level::from_str(level));
  return std::make_unique<Diagnostics>(std::move(logger));
}

}  // namespace kinetic::cli
