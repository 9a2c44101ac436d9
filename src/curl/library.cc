#include "curl/library.h"

#include "base/strings.h"

#include <dlfcn.h>

#include <string>

namespace kinetic::curl {
namespace {

constexpr const char* kFile = "libcurl.so.4";

class Loader {
 public:
  Loader() : handle_(::dlopen(kFile, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      RecordError();
      return;
    }
    Find("curl_global_init", library_.global_init);
    Find("curl_easy_init", library_.easy_init);
    Find("curl_easy_setopt", library_.easy_setopt);
    Find("curl_easy_getinfo", library_.easy_getinfo);
    Find("curl_easy_pause", library_.easy_pause);
    Find("curl_easy_strerror", library_.easy_strerror);
    Find("curl_easy_cleanup", library_.easy_cleanup);
    Find("curl_slist_append", library_.slist_append);
    Find("curl_slist_free_all", library_.slist_free_all);
    Find("curl_multi_init", library_.multi_init);
    Find("curl_multi_setopt", library_.multi_setopt);
    Find("curl_multi_add_handle", library_.multi_add_handle);
    Find("curl_multi_remove_handle", library_.multi_remove_handle);
    Find("curl_multi_perform", library_.multi_perform);
    Find("curl_multi_poll", library_.multi_poll);
    Find("curl_multi_wakeup", library_.multi_wakeup);
    Find("curl_multi_info_read", library_.multi_info_read);
    Find("curl_multi_cleanup", library_.multi_cleanup);
    if (problem_.empty() && library_.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
      problem_ = "initialization failed";
    }
  }

  const std::string& problem() const { return problem_; }
  const Library& library() const { return library_; }

 private:
  template <typename Function>
  void Find(const char* name, Function& function) {
    void* found = ::dlsym(handle_, name);
    if (found == nullptr && problem_.empty()) RecordError();
    function = reinterpret_cast<Function>(found);
  }

  void RecordError() {
    const char* words = ::dlerror();
    problem_ = words != nullptr ? words : "unknown error";
  }

  void* handle_;  ///< kept until the process ends: threads of libcurl's own may outlive an engine
  Library library_{};
  std::string problem_;
};

const Loader& Loaded() {
  static const Loader kLoader;
  return kLoader;
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
