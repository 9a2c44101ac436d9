"""Prevents a program from starting processes: SIGSYS kills it if it tries. Threads are allowed. For x86-64."""

import ctypes
import struct

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LOAD, _AND, _EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06  # of the packet filter: 32-bit words of struct seccomp_data
_CALL, _FIRST_ARGUMENT = 0, 16  # offsets in it
_ALLOW, _KILL, _ANSWER = 0x7FFF0000, 0x80000000, 0x00050000
_CLONE, _FORK, _VFORK, _CLONE3 = 56, 57, 58, 435
_CLONE_THREAD, _ENOSYS = 0x10000, 38

# clone3 passes flags by pointer. The older call passes them as its first argument.
_FILTER = [
    (_LOAD, 0, 0, _CALL),
    (_EQUAL, 0, 1, _CLONE3),
    (_RETURN, 0, 0, _ANSWER | _ENOSYS),
    (_EQUAL, 6, 0, _FORK),
    (_EQUAL, 5, 0, _VFORK),
    (_EQUAL, 0, 3, _CLONE),
    (_LOAD, 0, 0, _FIRST_ARGUMENT),
    (_AND, 0, 0, _CLONE_THREAD),
    (_EQUAL, 1, 0, 0),
    (_RETURN, 0, 0, _ALLOW),
    (_RETURN, 0, 0, _KILL),
]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def no_processes():
    """For `preexec_fn` of subprocess, as root."""
    code = b"".join(struct.pack("=HBBI", *step) for step in _FILTER)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(_Program(len(_FILTER), code)), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "a filter of system calls cannot be set")
