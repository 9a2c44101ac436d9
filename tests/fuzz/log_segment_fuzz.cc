// Log segments, plain and sealed, yield the same bounded records for any split of the bytes.

#include "record/log/segment.h"
#include "support/unseal.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace record = kinetic::record;

namespace {

void Require(bool held) {
  if (!held) std::abort();
}

struct Parsed {
  std::vector<std::string> texts;
  bool ok = true;
  bool operator==(const Parsed&) const = default;
};

Parsed ParseInPieces(std::string_view bytes, std::size_t piece) {
  Parsed parsed;
  record::SegmentParser parser;
  const auto keep = [&](const kinetic::LogRecord& each) -> kinetic::Status {
    Require(each.text.size() <= record::kLogRecordBytes);
    parsed.texts.emplace_back(each.text);
    return {};
  };
  for (std::size_t at = 0; at < bytes.size() && parsed.ok; at += piece) {
    parsed.ok = parser.Feed(bytes.substr(at, piece), keep).has_value();
  }
  return parsed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Require(ParseInPieces(bytes, size + 1) == ParseInPieces(bytes, 3));
  if (const auto plain = kinetic::test::Unseal(bytes)) {
    Require(plain->size() <= record::kLogSegmentBytes + record::kLogRecordBytes + 64);
    ParseInPieces(*plain, plain->size() + 1);
  }
  if (size <= record::kLogSegmentBytes) {
    const auto back = kinetic::test::Unseal(record::Seal(bytes));
    Require(back && *back == bytes);
  }
  return 0;
}
