#include "json/exception.h"

#include <utility>

namespace kinetic::json {
namespace {

Value Write(const RemoteException& exception, int length) {
  Value::List traceback;
  traceback.reserve(exception.traceback.size());
  for (const Frame& frame : exception.traceback) {
    Value::Map map{{"file", frame.file}, {"line", frame.line}, {"function", frame.function}};
    if (!frame.code.empty()) map.emplace_back("code", frame.code);
    traceback.emplace_back(std::move(map));
  }
  Value::Map map{{"type", exception.type},
                 {"message", exception.message},
                 {"traceback", std::move(traceback)}};
  if (!exception.attributes.IsNull()) map.emplace_back("attributes", exception.attributes);
  if (exception.cause && length < kMaxExceptionChain) {
    map.emplace_back("relation", exception.relation);
    map.emplace_back("cause", Write(*exception.cause, length + 1));
  }
  return map;
}

}  // namespace

Value ExceptionValue(const RemoteException& exception) { return Write(exception, 1); }

}  // namespace kinetic::json
