#include "bundle/ignore/wildcard.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <string_view>

namespace kinetic::bundle {
namespace {

/// The definition of `*`, `**` and `?`, by exhaustive search.
bool Reference(std::string_view pattern, std::string_view text, bool at_start) {
  if (pattern.empty()) return text.empty();
  if (pattern.starts_with("**") && at_start && (pattern.size() == 2 || pattern[2] == '/')) {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (Reference(pattern.substr(2), text.substr(i), false)) return true;
    }
    return pattern.size() > 2 && Reference(pattern.substr(3), text, true);
  }
  if (pattern[0] == '*') {
    const std::size_t stars = std::min(pattern.find_first_not_of('*'), pattern.size());
    for (std::size_t i = 0;; ++i) {
      if (Reference(pattern.substr(stars), text.substr(i), false)) return true;
      if (i == text.size() || text[i] == '/') return false;
    }
  }
  if (text.empty()) return false;
  const bool same = pattern[0] == '?' ? text[0] != '/' : text[0] == pattern[0];
  return same && Reference(pattern.substr(1), text.substr(1), pattern[0] == '/');
}

rc::Gen<std::string> TextOf(const std::string& alphabet) {
  return rc::gen::container<std::string>(rc::gen::elementOf(alphabet));
}

TEST(WildcardProperty, MatchesReferenceImplementation) {
  EXPECT_TRUE(rc::check("wildcards against their definition", [] {
    std::string pattern = *TextOf("ab*?/*");
    while (pattern.find("***") != std::string::npos) pattern.erase(pattern.find("***"), 1);
    const std::string text = *rc::gen::resize(12, TextOf("ab/"));
    const auto wildcard = Wildcard::Compile(pattern);
    RC_ASSERT(wildcard.has_value());
    RC_ASSERT(wildcard->Matches(text) == Reference(pattern, text, true));
  }));
}

TEST(WildcardProperty, ManyStarsMatchInBoundedTime) {
  std::string pattern = "**/";
  for (int i = 0; i < 200; ++i) pattern += "a*";
  const auto wildcard = Wildcard::Compile(pattern + "/**/b");
  ASSERT_TRUE(wildcard.has_value());
  std::string text;
  for (int i = 0; i < 15; ++i) text += std::string(250, 'a') + '/';
  EXPECT_FALSE(wildcard->Matches(text));
}

}  // namespace
}  // namespace kinetic::bundle
