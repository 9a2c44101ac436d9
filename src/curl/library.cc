#include "curl/library.h"

#include "base/hash/digest.h"
#include "base/never_destroyed.h"
#include "base/process/dynamic_library.h"
#include "base/strings.h"

#include <string>

namespace kinetic::curl {
namespace {

constexpr const char* kFile = "libcurl.so.4";

class Loader {
 public:
  Loader() {
    file_.Find("curl_global_init", library_.global_init);
    file_.Find("curl_easy_init", library_.easy_init);
    file_.Find("curl_easy_setopt", library_.easy_setopt);
    file_.Find("curl_easy_getinfo", library_.easy_getinfo);
    file_.Find("curl_easy_pause", library_.easy_pause);
    file_.Find("curl_easy_strerror", library_.easy_strerror);
    file_.Find("curl_easy_cleanup", library_.easy_cleanup);
    file_.Find("curl_slist_append", library_.slist_append);
    file_.Find("curl_slist_free_all", library_.slist_free_all);
    file_.Find("curl_multi_init", library_.multi_init);
    file_.Find("curl_multi_setopt", library_.multi_setopt);
    file_.Find("curl_multi_add_handle", library_.multi_add_handle);
    file_.Find("curl_multi_remove_handle", library_.multi_remove_handle);
    file_.Find("curl_multi_perform", library_.multi_perform);
    file_.Find("curl_multi_poll", library_.multi_poll);
    file_.Find("curl_multi_wakeup", library_.multi_wakeup);
    file_.Find("curl_multi_info_read", library_.multi_info_read);
    file_.Find("curl_multi_cleanup", library_.multi_cleanup);
    problem_ = file_.problem();
    KeepOpenSslAtExit();
    if (problem_.empty() && library_.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
      problem_ = "initialization failed";
    }
  }

  const std::string& problem() const { return problem_; }
  const Library& library() const { return library_; }

 private:
  DynamicLibrary file_{kFile};
  Library library_{};
  std::string problem_;
};

const Loader& Loaded() {
  static const Loader& loader = NeverDestroyed<Loader>();
  return loader;
}

}  // namespace

Status LoadLibrary() {
  const std::string& problem = Loaded().problem();
  if (problem.empty()) return {};
  return Fail(ErrorCode::kFailedPrecondition, "loading libcurl: " + Printable(problem),
              "install it (Debian: apt install libcurl4)");
}

const Library& Api() { return Loaded().library(); }

}  // namespace kinetic::curl
