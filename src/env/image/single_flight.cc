#include "kinetic/try.h"

#include "env/image/layers_builder.h"
#include "record/object_names.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kWaiting = "waiting for another client that is building the same image";

class SingleFlightBuilder final : public EnvironmentBuilder {
 public:
  SingleFlightBuilder(std::unique_ptr<EnvironmentBuilder> builder, SingleFlightOptions options)
      : builder_(std::move(builder)), options_(std::move(options)) {}

  Result<std::optional<ReadyEnvironment>> Find(const Lock& lock, std::stop_token stop) override {
    return builder_->Find(lock, std::move(stop));
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                  std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(auto found, Find(lock, stop));
    if (found) return *std::move(found);
    store::AdvisoryLease::Client client = options_.self;
    client.on_wait = [&] {
      if (observer != nullptr) observer->OnOutput(Phase::kBuild, kWaiting);
    };
    KINETIC_ASSIGN_OR_RETURN(const auto lease,
                             store::AdvisoryLease::Acquire(options_.store, options_.clock,
                                                           LeaseName(lock), client, {}, stop));
    return builder_->Ensure(lock, observer, std::move(stop));
  }

 private:
  std::string LeaseName(const Lock& lock) const {
    return record::ImageLeaseName(
        Sha256::Of(options_.naming.repository + "\n" + ImageKey(lock, options_.naming).Hex()));
  }

  const std::unique_ptr<EnvironmentBuilder> builder_;
  const SingleFlightOptions options_;
};

}  // namespace

std::unique_ptr<EnvironmentBuilder> MakeSingleFlightBuilder(
    std::unique_ptr<EnvironmentBuilder> builder, SingleFlightOptions options) {
  return std::make_unique<SingleFlightBuilder>(std::move(builder), std::move(options));
}

}  // namespace kinetic::env
