#include "env/image/inspect.h"

#include "base/try.h"
#include "env/image/find_image.h"

#include <utility>

namespace kinetic::env {
namespace {

/// Which answer a refusal is.
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
      return ImageAnswer::kCouldNotAsk;
  }
}

Result<oci::RegistryImage> Read(const ImageName& name, const std::string& architecture,
                                ImageRegistries& registries, std::stop_token stop) {
  auto repository = registries.OpenToRead(name.repository);
  // A file or program with logins that is of no use says nothing of the image.
  if (!repository && repository.error().code == ErrorCode::kFailedPrecondition) {
    return Fail(ErrorCode::kUnavailable, repository.error().message, repository.error().hint);
  }
  KINETIC_RETURN_IF_ERROR(repository);
  return oci::ReadRegistryImage(**repository, name.manifest, architecture, std::move(stop));
}

}  // namespace

Result<LookedAtImage> LookAtImage(const std::string& name, const std::string& architecture,
                                  ImageRegistries& registries, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const ImageName parsed, ParseImageName(name));
  LookedAtImage looked;
  looked.asked.name = name;
  auto image = Read(parsed, architecture, registries, std::move(stop));
  if (!image) {
    const Error& error = image.error();
    if (error.code == ErrorCode::kCancelled) return Failure(error);
    looked.asked.answer = AnswerOf(error.code);
    if (looked.asked.answer == ImageAnswer::kAbsent) return looked;
    looked.asked.reason = error.message;
    looked.asked.advice = error.hint;
    return looked;
  }
  looked.asked.answer = ImageAnswer::kPresent;
  looked.asked.digest = oci::DigestString(image->digest);
  for (const auto& layer : image->layers) looked.asked.size_bytes += layer.size_bytes;
  looked.image = *std::move(image);
  return looked;
}

}  // namespace kinetic::env
