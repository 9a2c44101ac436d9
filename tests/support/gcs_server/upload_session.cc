#include "support/gcs_server/upload_session.h"

#include "base/random.h"
#include "base/strings.h"

namespace kinetic::gcs_server {

std::string UploadSessions::Add(std::shared_ptr<UploadSession> session) {
  const std::lock_guard lock(mutex_);
  std::string id = Base64UrlEncode(RandomBytes(24));
  sessions_.emplace(id, std::move(session));
  return id;
}

std::shared_ptr<UploadSession> UploadSessions::Find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto at = sessions_.find(id);
  return at == sessions_.end() ? nullptr : at->second;
}

void UploadSessions::EndAll(int status) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, session] : sessions_) {
    const std::lock_guard its_lock(session->mutex);
    if (!session->resource.is_null()) continue;
    session->ended = status;
    session->writer.reset();
  }
}

std::size_t UploadSessions::open() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, session] : sessions_) {
    const std::lock_guard its_lock(session->mutex);
    count += session->writer ? 1U : 0U;
  }
  return count;
}

}  // namespace kinetic::gcs_server
