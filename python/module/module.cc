#include "kinetic/version.h"

#include "job.h"
#include "waiting_call.h"

#include <nanobind/nanobind.h>

namespace {

/// Refuses interpreters in which the objects of the library would be shared without a lock.
void CheckInterpreter() {
#ifdef Py_GIL_DISABLED
  throw nanobind::import_error(
      "kinetic does not support free-threaded builds of CPython; use a build with the GIL");
#endif
  if (PyInterpreterState_Get() != PyInterpreterState_Main())
    throw nanobind::import_error(
        "kinetic does not support subinterpreters; use the main interpreter");
}

}  // namespace

NB_MODULE(_kinetic, module) {
  CheckInterpreter();
  // Threads that wait when the interpreter ends keep their objects.
  nanobind::set_leak_warnings(false);
  module.doc() = "The C++ library of kinetic. Use the package kinetic instead.";
  module.attr("__version__") = KINETIC_VERSION;
  module.def("stop_other_threads", &kinetic::python::StopOtherThreads);
  module.def("forget_threads", &kinetic::python::ForgetThreads);
  kinetic::python::BindJob(module);
  kinetic::python::BindClient(module);
}
