#include "job/environment/provisioning_request.h"

#include "backend/capabilities.h"

#include <mutex>
#include <utility>

namespace kinetic::job {

/// State shared with the request, which may outlive this object.
struct ProvisioningRequest::State {
  std::mutex mutex;
  Observer* observer = nullptr;  ///< null: may no longer exist
  bool is_started = false;
  bool is_requested = false;
};

ProvisioningRequest::ProvisioningRequest(Context& context, const JobSpec& spec, Observer& observer)
    : context_(context), spec_(spec), state_(std::make_shared<State>()) {
  state_->observer = &observer;
}

void ProvisioningRequest::Request(const std::string& image) {
  const Profile& profile = context_.options.profile;
  if (!profile.kubernetes.node_ahead || !spec_.queue.empty()) return;
  if (context_.target->node_provisioner() == nullptr) return;
  {
    const std::lock_guard lock(state_->mutex);
    if (std::exchange(state_->is_started, true)) return;
  }
  context_.background.Run(
      [&context = context_, spec = spec_, image, state = state_, stop = stop_.get_token()] {
        const auto requested = [&](std::string_view name) {
          const std::lock_guard lock(state->mutex);
          if (state->observer == nullptr) return;
          state->is_requested = true;
          state->observer->OnOutput(Phase::kBuild,
                                    "requested a node in parallel: job " + std::string(name));
        };
        const Status done = context.target->node_provisioner()->ProvisionNode(
            {.spec = &spec, .image = image}, requested, stop);
        if (!done) context.Log(LogLevel::kDebug, "requesting a node: " + done.error().message);
      });
}

void ProvisioningRequest::Withdraw() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->observer = nullptr;
  }
  stop_.request_stop();
}

bool ProvisioningRequest::IsRequested() const {
  const std::lock_guard lock(state_->mutex);
  return state_->is_requested;
}

}  // namespace kinetic::job
