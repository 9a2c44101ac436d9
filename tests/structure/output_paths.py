#!/usr/bin/env python3
"""Fails if text can reach stdout or stderr of the command line without the escapes of cli/output/text.h.

    output_paths.py ROOT

- In cli and src/settings, only cli/output/console.cc writes to the standard streams.
- Only the output classes use the console.
- Only a few files, which write kinetic's own text or content that the user wants raw, write unescaped bytes.

The property test of the output (tests/property/terminal_text_test.cc) covers the output classes themselves.
"""

import pathlib
import re
import sys

WRITES = re.compile(r"\b(?:fwrite|fputs|fputc|putc|putchar|puts|perror|v?f?printf|v?dprintf|writev|sendfile|splice)\s*\("
                    r"|std::(?:cout|cerr|clog|print|println)\b|\bfmt::print(?:ln)?\b|::p?write\s*\(|\bSTD(?:OUT|ERR)_FILENO\b"
                    r"|/dev/(?:tty|stdout|stderr|fd)\b")
MAY_WRITE = {
    "cli/output/console.cc": "the console",
    "cli/output/reader_watch.cc": "waits for the end of its reader, and writes nothing",
    "src/settings/config_io.cc": "the configuration file",
    "src/settings/environment.cc": "checks for a terminal",
    "cli/program.cc": "opens the console",
    "cli/signals.cc": "what goes on running, while another thread may hold the output",
    "cli/main.cc": "opens closed streams",
}
CONSOLE = re.compile(r"\bconsole_?\.(?:Out|Err)\(|\bConsole\b")
MAY_USE_CONSOLE = {f"cli/output/{name}" for name in (
    "console.cc", "console.h", "plain_output.cc", "plain_output.h", "json_output.cc", "json_output.h",
    "terminal_output.cc", "terminal_output.h")} | {"cli/program.cc"}
BYTES = re.compile(r"\boutput_?(?:\.|->)Bytes\(")
MAY_WRITE_BYTES = {
    "cli/program.cc": "the help text and the version",
    "cli/commands/system/help.cc": "the help text",
    "cli/commands/system/completion.cc": "a script",
    "cli/commands/system/man.cc": "the manual page",
    "cli/commands/system/schema.cc": "the schema",
    "cli/commands/system/complete_words.cc": "words that it escapes",
    "cli/commands/value/result_output.cc": "--raw",
}

def without_comments_and_strings(text):
    """Blanks comments and raw strings, and keeps the lines."""
    text = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', lambda found: '""' + "\n" * found[0].count("\n"), text)
    return re.sub(r"//[^\n]*", "", text)


def problems(root):
    for path in sorted([*(root / "cli").rglob("*"), *(root / "src/settings").rglob("*")]):
        if path.suffix not in (".cc", ".h"):
            continue
        name = path.relative_to(root).as_posix()
        text = without_comments_and_strings(path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.split("\n"), 1):
            if WRITES.search(line) and name not in MAY_WRITE:
                yield f"{name}:{number}: writes to a stream past cli/output: {line.strip()}"
            if CONSOLE.search(line) and name not in MAY_USE_CONSOLE:
                yield f"{name}:{number}: uses the console past the output classes: {line.strip()}"
            if BYTES.search(line) and name not in MAY_WRITE_BYTES:
                yield f"{name}:{number}: writes unescaped bytes: {line.strip()}"


def main():
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
