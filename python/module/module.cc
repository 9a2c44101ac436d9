#include "kinetic/version.h"

#include "job.h"
#include "waiting_call.h"

#include <nanobind/nanobind.h>

NB_MODULE(_kinetic, module) {
  module.doc() = "The C++ library of kinetic. Use the package kinetic instead.";
  module.attr("__version__") = KINETIC_VERSION;
  module.def("stop_other_threads", &kinetic::python::StopOtherThreads);
  module.def("forget_threads", &kinetic::python::ForgetThreads);
  kinetic::python::BindJob(module);
  kinetic::python::BindClient(module);
}
