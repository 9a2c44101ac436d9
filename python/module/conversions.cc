#include "conversions.h"

#include "kinetic/error.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>

namespace kinetic::python {

namespace nb = nanobind;

namespace {

/// A contiguous buffer of a Python object.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::string_view bytes() const {
    return {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

Value ContentOf(nb::tuple parts) {
  std::string joined;
  std::size_t size = 0;
  for (const nb::handle part : parts) size += Buffer(part).bytes().size();
  joined.reserve(size);
  for (const nb::handle part : parts) joined += Buffer(part).bytes();
  return Value::Content(Bytes(std::move(joined)));
}

std::int64_t IntegerOf(nb::handle object) {
  const long long number = PyLong_AsLongLong(object.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

std::string TextOf(nb::handle object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

Value::Map MapOf(nb::dict object) {
  Value::Map map;
  map.reserve(object.size());
  for (const auto& [key, item] : object) {
    if (!PyUnicode_Check(key.ptr())) throw nb::type_error("expected keys of type str");
    map.emplace_back(TextOf(key), ToValue(item));
  }
  return map;
}

nb::object ContentToPython(const Bytes& content, bool is_array) {
  const std::string_view bytes = content.view();
  if (!is_array) return nb::bytes(bytes.data(), bytes.size());
  return nb::bytearray(bytes.data(), bytes.size());
}

nb::object MapToPython(const Value::Map& map) {
  nb::dict members;
  for (const auto& [key, item] : map) {
    const Bytes* content = item.AsBytes();
    members[nb::str(key.data(), key.size())] =
        content != nullptr ? ContentToPython(*content, key == "$npy") : ToPython(item);
  }
  return members;
}

}  // namespace

Value ToValue(nb::handle object) {
  PyObject* const raw = object.ptr();
  if (raw == Py_None) return {};
  if (PyBool_Check(raw)) return raw == Py_True;
  if (PyLong_Check(raw)) return IntegerOf(object);
  if (PyFloat_Check(raw)) return PyFloat_AS_DOUBLE(raw);
  if (PyUnicode_Check(raw)) return TextOf(object);
  if (PyDict_Check(raw)) return MapOf(nb::borrow<nb::dict>(object));
  if (PyTuple_Check(raw)) return ContentOf(nb::borrow<nb::tuple>(object));
  if (PyObject_CheckBuffer(raw) != 0) return ContentOf(nb::make_tuple(object));
  if (!PyList_Check(raw)) throw nb::type_error("expected JSON-like data");
  Value::List list;
  list.reserve(nb::len(object));
  for (const nb::handle item : nb::borrow<nb::list>(object)) list.push_back(ToValue(item));
  return list;
}

nb::object ToPython(const Value& value) {
  if (const bool* flag = value.AsBool()) return nb::bool_(*flag);
  if (const auto* number = value.AsInt()) return nb::int_(*number);
  if (const auto* number = value.AsDouble()) return nb::float_(*number);
  if (const auto* text = value.AsString()) return nb::str(text->data(), text->size());
  if (const auto* content = value.AsBytes()) return ContentToPython(*content, false);
  if (const auto* map = value.AsMap()) return MapToPython(*map);
  if (const auto* list = value.AsList()) {
    nb::list items;
    for (const Value& item : *list) items.append(ToPython(item));
    return items;
  }
  return nb::none();
}

std::optional<std::chrono::steady_clock::time_point> DeadlineAfter(std::optional<double> seconds) {
  constexpr double kForever = 1e9;
  if (!seconds || !(*seconds <= kForever)) return std::nullopt;  // NaN is no limit either
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(*seconds));
}

nb::object ToSeconds(const std::optional<std::chrono::system_clock::time_point>& time) {
  if (!time) return nb::none();
  return nb::float_(std::chrono::duration<double>(time->time_since_epoch()).count());
}

}  // namespace kinetic::python
