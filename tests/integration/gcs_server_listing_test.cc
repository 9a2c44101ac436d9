#include "integration/gcs_server_harness.h"

#include <set>

namespace kinetic::test {
namespace {

using Names = std::vector<std::string>;

class GcsListing : public GcsServerTest {
 protected:
  explicit GcsListing(gcs_server::Options options = {})
      : GcsServerTest(WithoutChangeLimit(std::move(options))) {}

  nlohmann::json Page(const std::string& query) {
    return Json("GET", "/storage/v1/b/b/o?" + query);
  }

  static Names ItemsOf(const nlohmann::json& page) {
    Names names;
    for (const auto& item : page.value("items", nlohmann::json::array())) {
      names.push_back(item["name"]);
    }
    return names;
  }
  static Names PrefixesOf(const nlohmann::json& page) { return page.value("prefixes", Names{}); }

  /// All pages, with items and prefixes in the received order.
  Names All(const std::string& query, int& pages) {
    Names all;
    std::string token;
    pages = 0;
    do {
      const auto page = Page(query + "&pageToken=" + http::PercentEncode(token));
      for (const auto& name : ItemsOf(page)) all.push_back(name);
      for (const auto& prefix : PrefixesOf(page)) all.push_back(prefix);
      token = page.value("nextPageToken", "");
      ++pages;
    } while (!token.empty());
    return all;
  }

  void StoreAll(const Names& names) {
    for (const auto& name : names) Store(name, "x");
  }
};

TEST_F(GcsListing, EmptyListingHasNoItems) {
  EXPECT_EQ(Page(""), (nlohmann::json{{"kind", "storage#objects"}}));
  EXPECT_EQ(Do("GET", "/storage/v1/b/none/o").status, 404);
}

TEST_F(GcsListing, IsSortedByBytes) {
  StoreAll({"b", "a/z", "a", "ü", "B", "a-"});
  EXPECT_EQ(ItemsOf(Page("")), (Names{"B", "a", "a-", "a/z", "b", "ü"}));
}

TEST_F(GcsListing, HasPages) {
  Names names;
  for (int i = 0; i < 25; ++i) names.push_back("n" + std::to_string(100 + i));
  StoreAll(names);
  for (const auto& [most, wanted] : {std::pair{"1", 25}, {"10", 3}, {"25", 1}, {"5000", 1}}) {
    int pages = 0;
    EXPECT_EQ(All(std::string("maxResults=") + most, pages), names);
    EXPECT_EQ(pages, wanted) << most;
  }
  EXPECT_EQ(Do("GET", "/storage/v1/b/b/o?pageToken=n105").status, 400) << "tokens are opaque";
  EXPECT_EQ(Do("GET", "/storage/v1/b/b/o?maxResults=0").status, 400);
}

TEST_F(GcsListing, HasPrefixAndOffsets) {
  StoreAll({"a/1", "a/2", "a/3", "b/1", "b/2"});
  EXPECT_EQ(ItemsOf(Page("prefix=a/")), (Names{"a/1", "a/2", "a/3"}));
  EXPECT_EQ(ItemsOf(Page("startOffset=a/2&endOffset=b/2")), (Names{"a/2", "a/3", "b/1"}));
  EXPECT_EQ(ItemsOf(Page("prefix=a/&startOffset=a/3")), (Names{"a/3"}));
  EXPECT_EQ(ItemsOf(Page("prefix=c")), Names{});
}

TEST_F(GcsListing, GroupsByDelimiter) {
  StoreAll({"a/", "a/1", "a/b/1", "a/b/2", "a/c/1", "top"});
  const auto top = Page("delimiter=/");
  EXPECT_EQ(ItemsOf(top), (Names{"top"}));
  EXPECT_EQ(PrefixesOf(top), (Names{"a/"}));
  const auto inner = Page("delimiter=/&prefix=a/");
  EXPECT_EQ(ItemsOf(inner), (Names{"a/", "a/1"}));
  EXPECT_EQ(PrefixesOf(inner), (Names{"a/b/", "a/c/"}));
  EXPECT_EQ(ItemsOf(Page("delimiter=/&includeTrailingDelimiter=true")), (Names{"a/", "top"}));
}

TEST_F(GcsListing, DoesNotSplitPrefixBetweenPages) {
  StoreAll({"a/1", "a/2", "a/3", "b", "c/1", "c/2", "d"});
  int pages = 0;
  EXPECT_EQ(All("delimiter=/&maxResults=1", pages), (Names{"a/", "b", "c/", "d"}));
  EXPECT_EQ(pages, 4);
}

TEST_F(GcsListing, RejectsUnsupportedParameters) {
  for (const std::string query : {"matchGlob=**", "versions=true", "softDeleted=true"}) {
    EXPECT_EQ(Do("GET", "/storage/v1/b/b/o?" + query).status, 501) << query;
  }
}

class GcsSparseListing : public GcsListing {
 protected:
  GcsSparseListing() : GcsListing({.behavior = {.page_limit = 2, .empty_pages = true}}) {}
};

TEST_F(GcsSparseListing, HasShortAndEmptyPages) {
  StoreAll({"1", "2", "3", "4", "5"});
  int pages = 0;
  EXPECT_EQ(All("maxResults=1000", pages), (Names{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(pages, 6);
}

}  // namespace
}  // namespace kinetic::test
