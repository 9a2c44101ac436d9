"""Calls one function of a bundle and reports its value or exception to the runner.

    python kinetic_shim CONTROL_FD EXCHANGE_FOLDER MODULE CALLABLE

Each message on the control descriptor is a 4-byte big-endian length and a JSON object. The function's
output is unchanged. The value is a file in the exchange folder.
"""

import sys

if __name__ == "__main__":
    _here = sys.path.pop(0)
    sys.path.insert(0, _here)
    import _kinetic_call

    sys.path.remove(_here)
    _kinetic_call.main(sys.argv[1:], _here)
