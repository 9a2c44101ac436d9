#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

#include <memory>
#include <string>
#include <string_view>

namespace kinetic::cli {
namespace {

struct CompletionOptions {
  std::string shell;
};

// Each script passes the words up to the cursor to `kinetic __complete`. The output has one
// candidate per line, with a tab and its description. The line ":files" or ":folders" requests path
// completion.

constexpr std::string_view kBash = R"(_kinetic() {
  local line want=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) want=-f ;;
      :folders) want=-d ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $want ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done \
      < <(compgen "$want" -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _kinetic kinetic
)";

constexpr std::string_view kZsh = R"(#compdef kinetic
_kinetic() {
  local line want=
  local -a found
  for line in "${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) want=files ;;
      :folders) want=folders ;;
      *) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  (( $#found )) && _describe kinetic found
  [[ $want == files ]] && _files
  [[ $want == folders ]] && _files -/
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _kinetic "$@"; else compdef _kinetic kinetic; fi
)";

constexpr std::string_view kFish = R"(function __kinetic_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case '*'
        printf '%s\n' $line
    end
  end
end
complete -c kinetic -f -a '(__kinetic_complete)'
)";

Result<int> Run(const CompletionOptions& options, Context& context) {
  const std::string_view script =
      options.shell == "bash" ? kBash : (options.shell == "zsh" ? kZsh : kFish);
  context.output.Bytes(script);
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"shell", options.shell}, {"script", std::string(script)}});
  return kSuccess;
}

}  // namespace

void RegisterCompletion(Command& parent) {
  Command& command =
      parent.Add({.name = "completion",
                  .summary = "Print a shell completion script",
                  .description = "Print a script that completes commands, options, settings, "
                                 "profiles, and the IDs and names\n"
                                 "of jobs in bash, zsh, or fish.",
                  .usage = {"SHELL"},
                  .examples = {"source <(kinetic completion bash)",
                               "kinetic completion zsh > ~/.zfunc/_kinetic",
                               "kinetic completion fish > ~/.config/fish/completions/kinetic.fish"},
                  .needs_settings = false});
  auto options = std::make_shared<CompletionOptions>();
  command.Argument({.names = "SHELL", .doc = "Shell", .choices = {"bash", "zsh", "fish"}},
                   options->shell);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
