#include "env/python/interpreter.h"

namespace kinetic::env {

const std::string_view kPipWithMarkers = R"(
import json, runpy, sys
from pip._vendor.packaging import markers
target = json.loads(sys.argv.pop(1))
markers.default_environment = lambda: dict(target)
runpy.run_module("pip", run_name="__main__", alter_sys=True)
)";

const std::string_view kUnpackWheel = R"(
import os, shutil, sys, zipfile
archive, prefix, python, name = sys.argv[1:]
site = "lib/python%s/site-packages" % python
schemes = {"purelib": site, "platlib": site, "scripts": "bin", "data": "",
           "headers": "include/site/python%s/%s" % (python, name)}

def place(path):
    first, _, rest = path.partition("/")
    if not first.endswith(".data") or not rest:
        return os.path.join(site, path)
    scheme, _, rest = rest.partition("/")
    if scheme not in schemes:
        sys.exit("ERROR: the wheel has an unknown kind of data folder: " + path)
    return os.path.join(schemes[scheme], rest)

with zipfile.ZipFile(archive) as wheel:
    for entry in wheel.infolist():
        path = entry.filename
        if path.endswith("/"):
            continue
        if path.startswith("/") or ".." in path.split("/"):
            sys.exit("ERROR: the wheel has a file outside its folder: " + path)
        target = os.path.join(prefix, place(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with wheel.open(entry) as source, open(target, "xb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
        os.chmod(target, 0o755 if (entry.external_attr >> 16) & 0o111 else 0o644)
)";

const std::string_view kCompileModules = R"(
import os, py_compile, sys
folder, prefix = sys.argv[1:]
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
for parent, folders, files in os.walk(os.path.join(folder, "lib")):
    folders.sort()
    for name in sorted(files):
        path = os.path.join(parent, name)
        if not name.endswith(".py") or os.path.islink(path):
            continue
        try:
            py_compile.compile(path, dfile=prefix + path[len(folder):], doraise=True, optimize=0,
                               invalidation_mode=mode)
        except (py_compile.PyCompileError, ValueError, RecursionError, MemoryError):
            pass
)";

}  // namespace kinetic::env
