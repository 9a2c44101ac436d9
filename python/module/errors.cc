#include "errors.h"

#include "kinetic/error.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace kinetic::python {

namespace nb = nanobind;

void Raise(const Error& error) {
  nb::dict details;
  for (const auto& [key, value] : error.details) details[key.c_str()] = value;
  const nb::object exception =
      nb::module_::import_("kinetic._errors")
          .attr("from_native")(std::string(Name(error.code)), error.message, error.hint, details);
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

}  // namespace kinetic::python
