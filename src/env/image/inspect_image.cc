#include "kinetic/try.h"

#include "env/image/registry_images.h"

#include <utility>

namespace kinetic::env {
namespace {

/// Returns the answer for an error.
ImageAnswer AnswerOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return ImageAnswer::kAbsent;
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kPermissionDenied:
      return ImageAnswer::kNotAllowed;
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kUnimplemented:
    case ErrorCode::kDataLoss:
      return ImageAnswer::kUnusable;
    default:
      return ImageAnswer::kUnreachable;
  }
}

Result<oci::RegistryImage> Read(const ImageName& name, const std::string& architecture,
                                ImageRegistries& registries, std::stop_token stop) {
  auto repository = registries.OpenToRead(name.repository);
  // An invalid login does not indicate whether the image exists.
  if (!repository && repository.error().code == ErrorCode::kFailedPrecondition) {
    return Fail(ErrorCode::kUnavailable, repository.error().message, repository.error().hint);
  }
  KINETIC_RETURN_IF_ERROR(repository);
  return oci::ReadRegistryImage(**repository, name.manifest, architecture, std::move(stop));
}

}  // namespace

Result<InspectedImage> InspectImage(const std::string& name, const std::string& architecture,
                                    ImageRegistries& registries, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const ImageName parsed, ParseImageName(name));
  InspectedImage inspected;
  inspected.lookup.name = name;
  auto image = Read(parsed, architecture, registries, std::move(stop));
  if (!image) {
    const Error& error = image.error();
    if (error.code == ErrorCode::kCancelled) return Failure(error);
    inspected.lookup.answer = AnswerOf(error.code);
    if (inspected.lookup.answer == ImageAnswer::kAbsent) return inspected;
    inspected.lookup.reason = error.message;
    inspected.lookup.advice = error.hint;
    return inspected;
  }
  inspected.lookup.answer = ImageAnswer::kPresent;
  inspected.lookup.digest = oci::DigestString(image->digest);
  for (const auto& layer : image->layers) inspected.lookup.size_bytes += layer.size_bytes;
  inspected.image = *std::move(image);
  return inspected;
}

}  // namespace kinetic::env
