#include "job/environment/image_records.h"

#include "kinetic/try.h"

#include "oci/format/reference.h"
#include "record/packages/objects.h"

#include <chrono>
#include <utility>

namespace kinetic::job {
namespace {

class RecordingBuilder final : public env::EnvironmentBuilder {
 public:
  RecordingBuilder(const Context& context, env::ImageNaming naming,
                   std::unique_ptr<env::EnvironmentBuilder> builder)
      : context_(context), naming_(std::move(naming)), builder_(std::move(builder)) {}

  Result<std::optional<env::ReadyEnvironment>> Find(const env::Lock& lock,
                                                    std::stop_token stop) override {
    return builder_->Find(lock, std::move(stop));
  }

  Result<env::ReadyEnvironment> Ensure(const env::Lock& lock, Observer* observer,
                                       std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(auto found, Find(lock, stop));
    if (found) return *std::move(found);
    const std::string name = naming_.repository + ":" + env::ImageTag(lock, naming_);
    KINETIC_RETURN_IF_ERROR(RecordImage(context_, name, env::ImageKey(lock, naming_), stop));
    return builder_->Ensure(lock, observer, std::move(stop));
  }

 private:
  const Context& context_;
  const env::ImageNaming naming_;
  const std::unique_ptr<env::EnvironmentBuilder> builder_;
};

}  // namespace

std::string TaggedName(std::string_view image) {
  const auto name = oci::ParseReference(image.substr(0, image.find('@')));
  return name && !name->tag.empty() ? name->Text() : std::string();
}

std::unique_ptr<env::EnvironmentBuilder> RecordBuiltImages(
    const Context& context, env::ImageNaming naming,
    std::unique_ptr<env::EnvironmentBuilder> builder) {
  return std::make_unique<RecordingBuilder>(context, std::move(naming), std::move(builder));
}

Status RecordImage(const Context& context, std::string_view image, const Digest& key,
                   std::stop_token stop) {
  return record::WriteImageRecord(*context.store, {TaggedName(image), key}, std::move(stop));
}

bool NeedsUseRecord(const Context& context, const RecentEnvironment& known) {
  constexpr std::chrono::hours kNotedFor{24};
  const WallTime now = context.clock.Now();
  return !known.ready.image.empty() &&
         (now - known.use_recorded > kNotedFor || known.use_recorded > now);
}

Status RecordImageUse(const Context& context, std::string_view image, std::stop_token stop) {
  const auto noted = record::TouchImageRecord(*context.store, TaggedName(image), std::move(stop));
  if (noted) return {};
  if (noted.error().code == ErrorCode::kCancelled) return Failure(noted.error());
  context.Log(LogLevel::kInfo,
              "cannot record the use of " + std::string(image) + ": " + noted.error().message);
  return {};
}

}  // namespace kinetic::job
