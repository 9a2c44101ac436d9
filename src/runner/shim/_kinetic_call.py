"""Finds the function, calls it, and reports the result."""

import builtins
import importlib
import importlib.util
import json
import os
import sys

import _kinetic_standin as standin
import _kinetic_values as values
from _kinetic_attributes import encode_attributes
from _kinetic_control import Control
from _kinetic_errors import Describer, cut, one_line, type_name
from _kinetic_imports import asyncio, difflib, import_folders, inspect, open_bundle, threading
from _kinetic_keras import select_backend

PICKLED = "_kinetic_pickled"  # the module of a function that is passed by value
RAISED = 1  # the exit code after an exception, as Python's own
# Flags of code objects, whose names are in inspect.
VARIABLE_KEYWORDS, GENERATOR, ASYNC_GENERATOR = 0x08, 0x20, 0x200


class Refused(Exception):
    """The function cannot be called. The reason is clearer without a traceback."""


def find_function(module_name, callable_name, root):
    if not _module_exists(module_name):
        raise Refused(_no_module(module_name, root))
    module = importlib.import_module(module_name)
    found = module
    so_far = module_name
    for part in callable_name.split("."):
        names = [name for name in dir(found) if not name.startswith("_")]
        if not hasattr(found, part):
            raise Refused("%s has no %s%s" % (so_far, part, _nearest(part, names)))
        found = getattr(found, part)
        so_far += "." + part
    kind = type(found)
    is_decorated = kind.__name__ == "RemoteFunction" and kind.__module__ == "kinetic"  # the package's or the stand-in's
    return found.__wrapped__ if is_decorated else found


def _module_exists(name):
    parts = name.split(".")
    for count in range(1, len(parts) + 1):
        prefix = ".".join(parts[:count])
        try:
            if importlib.util.find_spec(prefix) is None:
                return False
        except ModuleNotFoundError as error:
            if error.name is not None and (name + ".").startswith(error.name + "."):
                return False
            raise
        except ValueError:  # a module without a spec, such as one added to sys.modules
            return prefix in sys.modules
    return True


def _no_module(name, root):
    candidates = []
    for folder in import_folders(root):
        if os.path.isdir(folder):
            for entry in os.listdir(folder):
                stem, suffix = os.path.splitext(entry)
                if suffix == ".py" or os.path.isfile(os.path.join(folder, entry, "__init__.py")):
                    candidates.append(stem)
    return "no module %s in the bundle or the environment%s" % (
        name,
        _nearest(name, candidates),
    )


def _nearest(word, candidates):
    near = difflib.get_close_matches(word, candidates, n=3, cutoff=0.6)
    if near:
        return "; did you mean " + " or ".join(near) + "?"
    if candidates and len(candidates) <= 20:
        return "; it has " + ", ".join(sorted(candidates))
    return ""


def is_plain(function):
    """Returns whether a function can be checked without inspect, which takes long to import."""
    return type(function) is type(is_plain) and not function.__dict__


def accepts(function, named):
    """Returns whether a plain function has these parameters and needs no others. May be wrong if it refuses."""
    code = function.__code__
    count = code.co_argcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    required = set(names[: count - len(function.__defaults__ or ())])
    required.update(name for name in names[count:] if name not in (function.__kwdefaults__ or ()))
    is_known = code.co_flags & VARIABLE_KEYWORDS or named.keys() <= set(names)
    return code.co_posonlyargcount == 0 and is_known and required <= named.keys()


def check_callable(function, name):
    if is_plain(function) and not function.__code__.co_flags & (GENERATOR | ASYNC_GENERATOR):
        return
    if inspect.isclass(function):
        raise Refused("%s is a class; use a function that creates an instance" % name)
    if not callable(function):
        raise Refused("%s is not callable: it is of type %s" % (name, type_name(type(function))))
    call = function if inspect.isroutine(function) else getattr(function, "__call__", function)
    unwrapped = inspect.unwrap(call)
    if inspect.isgeneratorfunction(unwrapped) or inspect.isasyncgenfunction(unwrapped):
        raise Refused(
            "%s is a generator function; return a list instead" % name
        )


def read_document(folder):
    with open(os.path.join(folder, "arguments.json"), encoding="utf-8") as file:
        return json.load(file)


def read_arguments(folder, root):
    arguments = read_document(folder)
    decoder = values.Decoder(root, values.import_type)
    try:
        if isinstance(arguments, list):
            return [decoder.decode(item) for item in arguments], {}
        return [], {name: decoder.decode(item) for name, item in arguments.items()}
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise Refused("invalid argument: %s" % cut(str(error), 500)) from None


def check_arguments(function, name, positional, named):
    if is_plain(function) and not positional and accepts(function, named):
        return
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # builtins may have no signature
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        raise Refused("%s%s cannot be called with these arguments: %s" % (
            name, cut(str(signature), 500), error)) from None


def call(function, positional, named):
    result = function(*positional, **named)
    if not hasattr(type(result), "__await__") and type(result) is not type(_ for _ in ()):
        return result
    if inspect.iscoroutine(result):
        return asyncio.run(result)
    if inspect.isawaitable(result):

        async def wait():
            return await result

        return asyncio.run(wait())
    return result


class Caller:
    def __init__(self, control, folder, root, shim, pickled):
        self._control = control
        self._folder = folder
        self._root = root
        self._pickled = pickled
        self._to_pickle = None  # of the parts of the value that are not data
        self._describer = Describer(root, shim)

    def run(self, module_name, callable_name):
        """Returns the exit code, or raises SystemExit as the function did."""
        name = "%s:%s" % (module_name, callable_name)
        self._control.send("started", python="%d.%d.%d" % sys.version_info[:3])
        try:
            if self._pickled is not None:
                function, positional, named = self._load_pickled()
                name = getattr(function, "__qualname__", name)
                check_callable(function, name)
            else:
                function = find_function(module_name, callable_name, self._root)
                check_callable(function, name)
                positional, named = read_arguments(self._folder, self._root)
            check_arguments(function, name, positional, named)
            result = call(function, positional, named)
        except Refused as refusal:
            self._control.send("refused", reason=cut(one_line(str(refusal)), 4000))
            return RAISED
        except SystemExit as ending:
            return self._on_exit(ending)
        except BaseException as error:  # KeyboardInterrupt too
            raised = error
        else:
            return self._deliver(result)
        described = self._describer.describe(raised)
        described["attributes"] = encode_attributes(raised)
        self._control.send("raised", exception=described)
        return self._call_hook(raised)

    def _load_pickled(self):
        try:
            function, positional, named, sources, self._to_pickle = self._pickled.load(
                read_document(self._folder), self._folder, self._root)
        except self._pickled.CannotLoad as error:
            raise Refused(str(error)) from None
        self._describer.add_sources(sources)
        return function, positional, named

    def _call_hook(self, error):
        """Does what Python does with an exception that ends a script. The runner shows the job's itself."""
        if sys.excepthook is sys.__excepthook__ and self._control.is_owner():
            return RAISED
        error.__traceback__ = self._describer.without_our_frames(error.__traceback__)
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
        try:
            sys.excepthook(type(error), error, error.__traceback__)
        except SystemExit as ending:
            return exit_code(ending)[1]
        except BaseException as failure:
            failure.__traceback__ = self._describer.without_our_frames(failure.__traceback__)
            print_error("Error in sys.excepthook:")
            sys.__excepthook__(type(failure), failure, failure.__traceback__)
            print_error("\nOriginal exception was:")
            sys.__excepthook__(type(error), error, error.__traceback__)
        return RAISED

    def _on_exit(self, ending):
        requested, code = exit_code(ending)
        members = {}
        if code == 0 and requested != 0:
            members["note"] = "sys.exit(%d) is exit code 0: only its last 8 bits count" % requested
        self._control.send("exited", code=code, **members)
        return code

    def _deliver(self, result):
        if not self._control.is_owner():
            return 0  # only the parent stores the value
        try:
            size = values.write_value(result, self._folder, self._to_pickle)
        except values.NotSerializable as problem:
            self._control.send(
                "not_serializable", message=problem.message(), type=problem.type, repr=problem.repr
            )
            return RAISED
        except BaseException as error:  # a failing __len__ or items() of the user
            self._control.send(
                "not_serializable",
                message="serializing %s failed: %s: %s"
                % (type_name(type(result)), type_name(type(error)), cut(one_line(str(error)), 1000)),
                type=type_name(type(result)),
                repr="",
            )
            return RAISED
        self._control.send("returned", size_bytes=size)
        return 0


def exit_code(ending):
    """Returns the code of a SystemExit, and what Python makes of it, which prints what it prints."""
    try:
        code = ending.code
    except BaseException:  # a property of the user's
        code = ending
    if code is None:
        return 0, 0
    if isinstance(code, int):
        code = int.__int__(code)
        return code, code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
    print_error(code)
    return RAISED, RAISED


def print_error(text):
    stream = sys.stderr or sys.__stderr__
    if stream is not None:
        try:
            print(text, file=stream)
        except BaseException:  # a failing __str__, or a closed stream
            pass


def refuse_breakpoint(*_arguments, **_options):
    raise RuntimeError(
        "breakpoint() needs a terminal, and a job has none: interactive jobs are not supported yet; "
        "call the function on your machine to debug it"
    )


def refuse_input(prompt="", /):
    raise EOFError(
        "input() needs a terminal, and a job has none: interactive jobs are not supported yet; "
        "pass values as arguments"
    )


def make_calls(control, caller, module_name, callable_name):
    """Calls the function each time the runner requests it, and ends when the runner has no more requests."""
    while True:
        request = control.receive()
        if request is None:
            raise SystemExit(0)
        os.environ.update(request["env"])
        code = caller.run(module_name, callable_name)
        if not control.is_owner():
            raise SystemExit(code)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):  # replaced or closed
                pass
        control.send("called", code=code)


def import_pickled(shim):
    """Imports what loads functions that are passed by value. Before the bundle, which may have a pickle.py."""
    sys.path.insert(0, shim)
    try:
        import _kinetic_pickled
    finally:
        sys.path.remove(shim)
    return _kinetic_pickled


def main(arguments, shim, path, at_start):
    descriptor, folder, root, module_name, callable_name = arguments[:5]
    sys.argv = [module_name]
    if "PYTHONBREAKPOINT" not in os.environ:
        sys.breakpointhook = refuse_breakpoint
    builtins.input = refuse_input
    control = Control(int(descriptor), folder)
    pickled = import_pickled(shim) if module_name == PICKLED else None
    open_bundle(root, path, at_start)
    standin.install()
    select_backend()
    caller = Caller(control, folder, root, shim, pickled)
    if arguments[5:] == ["calls"]:
        make_calls(control, caller, module_name, callable_name)
    code = caller.run(module_name, callable_name)
    threads = threading.if_imported()
    if threads is not None and threads.active_count() > 1:
        names = [t.name for t in threads.enumerate() if t is not threads.current_thread()]
        control.send("lingering", threads=[cut(name, 100) for name in names[:10]])
    raise SystemExit(code)  # also if the program has replaced sys.exit
