"""Finds and loads libtalus, declares its functions, fills its structs."""

import ctypes
import ctypes.util
import glob
import os
import sys
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_void_p
from typing import Iterator, Type, TypeVar

from . import structs

# TALUS_ABI_VERSION of the header: the number in the library's name.
ABI_VERSION = 1

Struct = TypeVar("Struct", bound=ctypes.Structure)


def _candidates() -> Iterator[str]:
    named = os.environ.get("TALUS_LIBRARY")
    if named:
        yield named
        return
    for prefix in (sys.prefix, sys.base_prefix, os.path.expanduser("~/.local"), "/usr/local"):
        name = f"libtalus.so.{ABI_VERSION}"
        yield from sorted(glob.glob(os.path.join(prefix, "lib*", name)))
        yield from sorted(glob.glob(os.path.join(prefix, "lib", "*", name)))
    found = ctypes.util.find_library("talus")
    if found:
        yield found
    tree = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    yield from sorted(glob.glob(os.path.join(tree, "build*", "lib", "libtalus.so")))


def _load() -> ctypes.CDLL:
    failures = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            failures.append(f"{path}: {error}")
    raise ImportError("libtalus was not found: install Talus (cmake --install), or name the file "
                      "in TALUS_LIBRARY\n" + "\n".join(failures))


library = _load()


def _declare(name: str, result, *arguments) -> None:
    function = getattr(library, name, None)
    if function is None:
        raise ImportError(f"libtalus at {library._name} does not suit this package, which needs "
                          f"{name}: a library of the same release or a later one does")
    function.restype = result
    function.argtypes = list(arguments)


_declare("talus_version", c_char_p)
for _name in ("status_name", "status_text", "law_name", "method_name", "method_text", "cone_name",
              "precision_name", "outcome_name", "outcome_text"):
    _declare("talus_" + _name, c_char_p, c_int)
_declare("talus_method_takes", c_int, c_int, c_int)
_declare("talus_build_text", None, c_char_p, structs.size_t)
_declare("talus_context_create", c_int, c_void_p, POINTER(c_void_p))
_declare("talus_context_destroy", None, c_void_p)
_declare("talus_context_message", c_char_p, c_void_p)
_declare("talus_context_backend", c_char_p, c_void_p)
_declare("talus_context_threads", c_int32, c_void_p)
_declare("talus_solver_create", c_int, c_void_p, c_void_p, POINTER(c_void_p))
_declare("talus_solver_set", c_int, c_void_p, c_void_p)
_declare("talus_solver_update", c_int, c_void_p, c_void_p)
_declare("talus_solver_solve", c_int, c_void_p, c_void_p, c_void_p)
_declare("talus_solver_solve_async", c_int, c_void_p, c_void_p, c_void_p)
_declare("talus_solver_wait", c_int, c_void_p)
_declare("talus_solver_workspace", c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int64))
_declare("talus_solver_workspace_device", c_int, c_void_p, c_void_p, c_void_p, POINTER(c_int64))
_declare("talus_solver_destroy", None, c_void_p)
_declare("talus_solve_batch", c_int, c_void_p, c_void_p, c_int32, c_void_p, c_void_p, c_void_p,
         c_void_p)
_declare("talus_certify_cone", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
_declare("talus_islands_find", c_int, c_void_p, c_void_p, c_void_p)
for _struct, _name in structs.SIZED.items():
    _declare(_name, None, c_void_p, structs.size_t,
             *([c_int] if _struct is structs.Problem else []))


def fill(struct: Type[Struct], *arguments: int) -> Struct:
    """A struct as its _init function fills it, in the size that is known here."""
    value = struct()
    getattr(library, structs.SIZED[struct])(ctypes.byref(value), ctypes.sizeof(struct), *arguments)
    if struct is structs.Info:
        value.certificate.struct_size = ctypes.sizeof(structs.Certificate)
    return value


def text(function: str, number: int) -> str:
    """What a function such as talus_method_name says about a number."""
    return getattr(library, "talus_" + function)(number).decode()
