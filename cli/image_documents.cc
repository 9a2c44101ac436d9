#include "documents.h"

#include <string>
#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

Value MaybeText(const std::string& text) { return text.empty() ? Value() : Value(text); }

std::string_view NameOf(EnvironmentForm form) {
  switch (form) {
    case EnvironmentForm::kAuto:
      return "auto";
    case EnvironmentForm::kArchives:
      return "archives";
    case EnvironmentForm::kLayers:
      return "layers";
  }
  return "auto";
}

std::string_view NameOf(ImageAnswer answer) {
  switch (answer) {
    case ImageAnswer::kNotChecked:
      return "not_checked";
    case ImageAnswer::kPresent:
      return "present";
    case ImageAnswer::kAbsent:
      return "absent";
    case ImageAnswer::kNotAllowed:
      return "not_allowed";
    case ImageAnswer::kUnreachable:
      return "unreachable";
    case ImageAnswer::kUnusable:
      return "unusable";
  }
  return "not_checked";
}

std::string_view NameOf(PackagesOutlook outlook) {
  switch (outlook) {
    case PackagesOutlook::kNone:
      return "none";
    case PackagesOutlook::kResolved:
      return "resolved";
    case PackagesOutlook::kImage:
      return "image";
    case PackagesOutlook::kImageMade:
      return "image_made";
    case PackagesOutlook::kArchives:
      return "archives";
    case PackagesOutlook::kArchivesMade:
      return "archives_made";
    case PackagesOutlook::kRefused:
      return "refused";
  }
  return "none";
}

std::string_view NameOf(ImageDifference::Change::Kind kind) {
  switch (kind) {
    case ImageDifference::Change::Kind::kAdded:
      return "added";
    case ImageDifference::Change::Kind::kRemoved:
      return "removed";
    case ImageDifference::Change::Kind::kChanged:
      return "changed";
  }
  return "changed";
}

Value PartName(ExplainedLayer::Part part) {
  switch (part) {
    case ExplainedLayer::Part::kBase:
      return "base";
    case ExplainedLayer::Part::kPackages:
      return "packages";
    case ExplainedLayer::Part::kNotKnown:
      return {};
  }
  return {};
}

Value DocumentOf(const ImageLookup& image) {
  if (image.name.empty()) return {};
  const bool known = !image.digest.empty();
  return Value::Map{{"name", image.name},
                    {"answer", std::string(NameOf(image.answer))},
                    {"reason", MaybeText(image.reason)},
                    {"digest", MaybeText(image.digest)},
                    {"size_bytes", known ? Number(image.size_bytes) : Value()}};
}

Value DocumentOf(const ExplainedLayer& layer) {
  return Value::Map{{"digest", layer.digest},
                    {"size_bytes", Number(layer.size_bytes)},
                    {"part", PartName(layer.part)},
                    {"holds", MaybeText(layer.holds)}};
}

Value DocumentOf(const ExplainedPackage& package) {
  return Value::Map{{"name", package.name},
                    {"version", package.version},
                    {"stored", package.stored},
                    {"files", package.stored ? Number(package.files) : Value()},
                    {"size_bytes", package.stored ? Number(package.size_bytes) : Value()}};
}

Value DocumentOf(const ImageContents& image) {
  return Value::Map{{"name", image.name},
                    {"python", image.python},
                    {"accelerator", MaybeText(image.accelerator)},
                    {"base", MaybeText(image.base)},
                    {"base_digest", MaybeText(image.base_digest)},
                    {"packages", Number(image.packages.size())}};
}

Value DocumentOf(const ImageDifference::Property& property) {
  return Value::Map{{"name", property.name}, {"before", property.before}, {"now", property.now}};
}

Value DocumentOf(const ImageDifference::Change& change) {
  return Value::Map{{"change", std::string(NameOf(change.kind))},
                    {"name", change.name},
                    {"before", MaybeText(change.before)},
                    {"now", MaybeText(change.now)}};
}

template <typename Items>
Value ListOf(const Items& items) {
  Value::List list;
  for (const auto& item : items) list.push_back(DocumentOf(item));
  return list;
}

}  // namespace

Value ToDocument(const EnvironmentImage& image) {
  return Value::Map{{"reference", image.reference},
                    {"tag", image.tag},
                    {"key", image.key},
                    {"base", image.base},
                    {"base_digest", image.base_digest},
                    {"python", image.python},
                    {"packages", Number(image.packages)},
                    {"size_bytes", Number(image.size_bytes)}};
}

Value ToDocument(const ImageExplanation& explanation) {
  return Value::Map{{"environment", ToDocument(explanation.environment)},
                    {"left_out", MaybeText(explanation.left_out)},
                    {"form", std::string(NameOf(explanation.form))},
                    {"outlook", std::string(NameOf(explanation.outlook))},
                    {"image", DocumentOf(explanation.image)},
                    {"base", DocumentOf(explanation.base)},
                    {"base_when_built", MaybeText(explanation.base_when_built)},
                    {"layers", ListOf(explanation.layers)},
                    {"packages", ListOf(explanation.packages)}};
}

Value ToDocument(const ImageContents& before, const ImageContents& now,
                 const ImageDifference& difference) {
  return Value::Map{{"before", DocumentOf(before)},
                    {"now", DocumentOf(now)},
                    {"properties", ListOf(difference.properties)},
                    {"packages", ListOf(difference.packages)}};
}

}  // namespace kinetic::cli
