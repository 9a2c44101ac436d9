#include "diagnostics.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

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

class Diagnostics : public LogSink {
 public:
  explicit Diagnostics(spdlog::logger logger) : logger_(std::move(logger)) {}

  void Write(LogLevel level, std::string_view component, std::string_view message) override {
    logger_.log(LevelOf(level), "{}: {}", component, message);
  }

 private:
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<LogSink> MakeDiagnostics(const std::string& level, bool color) {
  if (level == "off") return nullptr;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      color ? spdlog::color_mode::always : spdlog::color_mode::never);
  spdlog::logger logger("kinetic", std::move(sink));
  logger.set_pattern("%H:%M:%S.%e %^%l%$ %v");
  logger.set_level(spdlog::level::from_str(level));
  return std::make_unique<Diagnostics>(std::move(logger));
}

}  // namespace kinetic::cli
