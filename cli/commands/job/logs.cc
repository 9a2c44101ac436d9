#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct LogsOptions {
  std::string id;
  bool follow = false;
  bool timestamps = false;
  bool raw = false;
  std::optional<std::uint64_t> tail;
  std::optional<std::uint64_t> since_sequence;
  std::optional<std::string> stream;
};

/// Writes records as lines, or as JSON lines.
class LogPrinter {
 public:
  LogPrinter(const LogsOptions& options, Output& output) : options_(options), output_(output) {}

  Status Print(const LogRecord& record) {
    const std::string_view stream = Name(record.stream);
    // Messages of kinetic are not job output. In JSON, the record contains its stream.
    const bool wanted = options_.stream ? *options_.stream == stream
                                        : record.stream != Stream::kSystem || output_.IsJson();
    if (!wanted && record.stream == Stream::kSystem && !options_.stream)
      output_.JobOutput(Stream::kSystem, record.text, false);
    else if (wanted)
      Write(record);
    return output_.IsStdoutClosed() ? output_.Flush() : Status();
  }

 private:
  void Write(const LogRecord& record) {
    if (output_.IsJson()) return output_.Document(ToDocument(record));
    const auto print = [&](std::string_view text) {
      output_.JobOutput(Stream::kStdout, text, options_.raw);
    };
    if (options_.timestamps && at_line_start_) print(FormatTime(record.time) + " ");
    print(record.text);
    at_line_start_ = record.text.ends_with('\n') || record.text.ends_with('\r');
  }

  const LogsOptions& options_;
  Output& output_;
  bool at_line_start_ = true;
};

Result<int> Run(const LogsOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, client.Find(options.id, context.stop));
  LogPrinter printer(options, context.output);
  KINETIC_RETURN_IF_ERROR(job.Logs(
      {.follow = options.follow,
       .from_sequence = options.since_sequence.value_or(0),
       .tail = options.tail},
      [&](const LogRecord& record) { return printer.Print(record); }, context.stop));
  return kSuccess;
}

}  // namespace

void RegisterLogs(Command& parent) {
  Command& command = parent.Add(
      {.name = "logs",
       .summary = "Print a job's log",
       .description = "Print the output that a job wrote to stdout and stderr, in order. With "
                      "--json, each line is one\n"
                      "record with sequence, time, stream, attempt and text.",
       .usage = {"[OPTIONS] ID"},
       .examples = {"kinetic logs -f hello-3f", "kinetic logs hello-3f --tail 20 --timestamps",
                    "kinetic logs hello-3f --stream stderr"}});
  auto options = std::make_shared<LogsOptions>();
  command.Argument(
      {.names = "ID", .doc = "Job ID or unique prefix", .complete = CompletionKind::kJob},
      options->id);
  command.Flag({"-f,--follow", "", "Follow the log until it ends"}, options->follow);
  command.Number({"-n,--tail", "N", "Start with the last N records"}, options->tail);
  command.Number({"--since-sequence", "N", "Start with record N"}, options->since_sequence);
  command.Flag({"-t,--timestamps", "", "Prefix each line with its time"}, options->timestamps);
  command.Flag({"--raw", "", "Print control characters to a terminal unchanged"}, options->raw);
  command.Text({.names = "--stream",
                .placeholder = "STREAM",
                .doc = "Print only this stream; 'system' contains kinetic's own messages",
                .choices = {"stdout", "stderr", "system"}},
               options->stream);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
