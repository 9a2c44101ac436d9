#include "jobspec/command_line.h"

#include <gtest/gtest.h>

namespace kinetic::jobspec {
namespace {

using Words = std::vector<std::string>;

std::string InJob(std::string_view path) { return "/job/" + std::string(path); }

Value PathTo(const char* path) { return Value(Value::Map{{"$path", Value(path)}}); }

TEST(ArgumentWords, AppendsListItems) {
  const Arguments args{{Value("a b"), Value(3), Value(0.5), Value(true), PathTo("x.csv"),
                        Value(Value::Map{{"$float", Value("nan")}})},
                       {}};
  EXPECT_EQ(ArgumentWords(args, InJob), (Words{"a b", "3", "0.5", "true", "/job/x.csv", "nan"}));
}

TEST(ArgumentWords, ConvertsMapToOptions) {
  const Arguments args{{},
                       {{"epochs", Value(3)},
                        {"verbose", Value(true)},
                        {"quiet", Value(false)},
                        {"seed", Value()},
                        {"layer", Value(Value::List{Value(1), PathTo("w")})},
                        {"data", PathTo("d")}}};
  EXPECT_EQ(ArgumentWords(args, InJob), (Words{"--epochs", "3", "--verbose", "--layer", "1",
                                               "--layer", "/job/w", "--data", "/job/d"}));
}

TEST(CommandLine, AppendsWordsToArgv) {
  const Command command{"", {"python", "train.py"}};
  EXPECT_EQ(CommandLine(command, {{Value("a b")}, {}}, InJob),
            (Words{"python", "train.py", "a b"}));
}

TEST(CommandLine, QuotesWordsForShell) {
  const Command command{"python train.py | tee log", {}};
  EXPECT_EQ(CommandLine(command, {{}, {{"text", Value("it's $HOME")}}}, InJob),
            (Words{"/bin/sh", "-c", "python train.py | tee log --text 'it'\\''s $HOME'"}));
}

}  // namespace
}  // namespace kinetic::jobspec
