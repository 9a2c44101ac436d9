#include "runner/log/redactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Feeds `text` in pieces of `size` bytes.
std::string InPieces(std::string_view text, std::size_t size,
                     const std::vector<std::string>& secrets) {
  Redactor redactor(secrets);
  std::string out;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size()))) {
    redactor.Feed(text.substr(0, size), out);
  }
  redactor.Flush(out);
  return out;
}

TEST(Redactor, ReplacesSecretsAcrossPieces) {
  const std::vector<std::string> secrets{"hunter2", "hunt3r-hunter2", "token\nof two lines"};
  const std::string text =
      "a hunter2 b hunt3r-hunter2 c token\nof two lines d hunter hunt3r-hunter3 hunter2hunter2";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_EQ(InPieces(text, size, secrets), "a *** b *** c *** d hunter hunt3r-hunter3 ******")
        << size;
  }
}

TEST(Redactor, ReplacesOverlappingSecretsAsOne) {
  const std::vector<std::string> secrets{"abcdXY", "XYZW"};
  for (std::size_t size = 1; size <= 12; ++size) {
    EXPECT_EQ(InPieces("-abcdXYZW-", size, secrets), "-***-") << size;
    EXPECT_EQ(InPieces("-abcdXYq", size, secrets), "-***q") << size;
    EXPECT_EQ(InPieces("XYZabcdXY", size, secrets), "XYZ***") << size;
  }
}

TEST(Redactor, ReplacesRepetitiveSecretAsOne) {
  const std::vector<std::string> secrets{"aaaa"};
  for (std::size_t size = 1; size <= 12; ++size) {
    EXPECT_EQ(InPieces("baaaaaaaab", size, secrets), "b***b") << size;
  }
}

TEST(Redactor, HoldsBackOnlyPossibleSecrets) {
  const std::vector<std::string> secrets{"secret"};
  Redactor redactor(secrets);
  std::string out;
  redactor.Feed("no s-word, sec", out);
  EXPECT_EQ(out, "no s-word, ");
  redactor.Feed("ond\n", out);
  EXPECT_EQ(out, "no s-word, second\n");
}

TEST(Redactor, IgnoresWhiteSpaceAroundSecrets) {
  const auto secrets = RedactableSecrets({{"A", "hunter22\n"}});
  EXPECT_EQ(Redact("token=hunter22.", secrets), "token=***.");
  EXPECT_EQ(Redact("token=hunter22\n", secrets), "token=***");
}

TEST(Redactor, ReplacesEachLineOfASecret) {
  const auto secrets = RedactableSecrets({{"A", "first line\r\nsecond line\n}\n"}});
  EXPECT_EQ(Redact("1: first line\n2: second line\n}\n", secrets), "1: ***\n2: ***\n}\n");
}

TEST(Redactor, KeepsShortSecrets) {
  EXPECT_THAT(
      RedactableSecrets({{"A", "abc"}, {"B", ""}, {"C", "long enough"}, {"D", "long enough"}}),
      ElementsAre("long enough"));
  EXPECT_EQ(Redact("abc", {}), "abc");
}

/// A secret, and what Python prints for it with json.dumps(), with and without ensure_ascii, and repr().
const std::string kSecret = "p\"a\\ö😀\nxyz";
constexpr std::array kPythonForms{R"(p\"a\\ö😀\nxyz)", R"(p\"a\\\u00f6\ud83d\ude00\nxyz)",
                                  R"(p"a\\ö😀\nxyz)"};

TEST(Redactor, ReplacesLiteralsOfPythonAndJson) {
  const auto secrets = RedactableSecrets({{"A", kSecret}, {"B", "it's \"x\""}});
  for (const std::string form : kPythonForms)
    EXPECT_EQ(Redact("['" + form + "']", secrets), "['***']") << form;
  EXPECT_EQ(Redact(R"('it\'s "x"' "it's \"x\"")", secrets), R"('***' "***")");
  EXPECT_EQ(Redact("p\"a\\ö😀 xyz", secrets), "***") << "as one line";
}

TEST(Redactor, ReplacesWhatIsLeftOfASecretBesideACut) {
  const auto secrets = RedactableSecrets({{"A", "hunter2-and-more"}, {"B", "hunt-other"}});
  const std::string secret = "hunter2-and-more";
  for (std::size_t size = 4; size < secret.size(); ++size) {
    const std::string tail = secret.substr(secret.size() - size);
    EXPECT_EQ(Redact("'" + secret.substr(0, size) + "… (9 more characters)", secrets),
              "'***… (9 more characters)");
    EXPECT_EQ(Redact(secret.substr(0, size) + "..." + tail + "'", secrets), "***...***'");
  }
  EXPECT_EQ(Redact("hunters… hunt", secrets), "hunters… hunt");
}

/// Calls `visit` with each text of an outcome or error.
template <typename Visit>
void VisitTexts(Outcome& outcome, Error& error, const Visit& visit) {
  RemoteException cause = *outcome.exception->cause;
  for (RemoteException* exception : {&*outcome.exception, &cause}) {
    visit(exception->type);
    visit(exception->message);
    for (Frame& frame : exception->traceback) {
      visit(frame.file);
      visit(frame.function);
      visit(frame.code);
    }
  }
  outcome.exception->cause = std::make_shared<const RemoteException>(cause);
  visit(outcome.reason);
  visit(error.message);
  visit(error.hint);
  visit(error.details[0].second);
}

TEST(Redactor, RedactsAttributesOfExceptions) {
  const std::vector<std::string> secrets = RedactableSecrets({{"A", "correct-horse"}});
  RemoteException exception{"T", "m", {}, "", {}};
  exception.attributes = Value::Map{
      {"args", Value::Map{{"$tuple", Value::List{"a correct-horse", 3}}}}, {"correct-horse", true}};
  RedactTexts(exception, secrets);
  const Value expected =
      Value::Map{{"args", Value::Map{{"$tuple", Value::List{"a ***", 3}}}}, {"***", true}};
  EXPECT_EQ(exception.attributes, expected);
}

TEST(Redactor, LeavesNothingInAnyTextWhereverItIsCut) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  const std::string alphabet = "ab\"'\\\n/{}:, ";
  for (int round = 0; round < 300; ++round) {
    std::string secret = "S";  // is in no other text
    while (secret.size() < 8) secret += alphabet.substr(below(12), 1);
    const auto secrets = RedactableSecrets({{"A", secret + "Z"}});
    Outcome outcome;
    outcome.exception = RemoteException{"T", "m", {{"f", 1, "g", "c"}}, "cause", {}};
    outcome.exception->cause = std::make_shared<const RemoteException>(*outcome.exception);
    Error error{ErrorCode::kInternal, "m", "h", {{"job", "d"}}};
    std::string stream;
    VisitTexts(outcome, error, [&](std::string& text) {
      const std::string& form = secrets[below(secrets.size())];
      std::string planted = form;
      if (below(3) == 0 && form.size() > 6)
        planted = form.substr(0, 4 + below(form.size() - 4)) + "… (5 more)";
      if (below(3) == 0 && form.size() > 6)
        planted = "..." + form.substr(1 + below(form.size() - 4));
      stream += text += std::string(below(3), '-') + form + "|" + planted + "|";
      stream += form;
    });
    RedactTexts(outcome, secrets);
    RedactTexts(error, secrets);
    VisitTexts(outcome, error, [&](const std::string& text) {
      for (const std::string& form : secrets) {
        EXPECT_THAT(text, Not(HasSubstr(form.substr(0, 4))));
        EXPECT_THAT(text, Not(HasSubstr(form.substr(form.size() - 4))));
      }
    });
    for (const std::string& form : secrets)
      EXPECT_THAT(InPieces(stream, 1 + below(20), secrets), Not(HasSubstr(form)));
  }
}

}  // namespace
}  // namespace kinetic::runner
