"""Calls one function of a bundle and reports its value or exception to the runner.

    python kinetic_shim/__main__.py CONTROL_FD EXCHANGE_FOLDER ROOT MODULE CALLABLE [calls]

Each message on the control descriptor is a 4-byte big-endian length and a JSON object. The function's
output is unchanged. The value is a file in the exchange folder.

With `calls`, the control descriptor is a socket from which requests are read, each a line of JSON with
environment variables. Each lets the function be called once, and is answered by the message "called".
"""

import sys


def _standard(path):
    """Returns the part of the path that starts with the standard library, after PYTHONPATH."""
    archive = "python%d%d.zip" % sys.version_info[:2]  # its first entry, whether it exists or not
    for index, folder in enumerate(path):
        if folder.rpartition("/")[2] == archive:
            return path[index:]
    return path


if __name__ == "__main__":
    _here = __file__.rpartition("/")[0]
    _modules = set(sys.modules)
    _path = [folder for folder in sys.path if folder != _here]
    sys.path[:] = [_here] + _standard(_path)
    import _kinetic_call

    sys.path[:] = _standard(_path)
    _kinetic_call.main(sys.argv[1:], _here, _path, _modules)
