"""What the functions that the library calls raise.

The library is C: an exception cannot pass through it, so that a callback keeps it in a list, and
whoever called the library raises it afterwards. A signal's handler, Ctrl-C above all, mostly runs
as a callback begins, before its first line: what it raises then reaches ctypes, which would print
it and go on with an undefined result. It arrives here instead, by sys.unraisablehook; where the
result matters the callback is not ctypes' own (host/python/core/callback.c)."""
import sys
import types
from typing import Any, Callable, List, Set, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_codes: Set[types.CodeType] = set()


def keeps(function: _Function) -> _Function:
    """Marks a callback that keeps what it raises in its variable `raised`, a list, and ends the
    call of the library where it is called with something in it. See listen."""
    _codes.add(function.__code__)
    return function


def listen() -> None:
    """To be called before each call of the library that may call back: others put hooks of their own
    in place, and back (pytest around each test)."""
    if not isinstance(sys.unraisablehook, _Hook):
        sys.unraisablehook = _Hook(sys.unraisablehook)


def guarded(call: Callable[..., Any], raised: List[BaseException]) -> Callable[..., int]:
    """For the library to call: what it raises is kept, and stops."""
    @keeps
    def progress(user: Any, *where: Any) -> int:
        if raised:
            return 1
        try:
            return 1 if call(*where) else 0
        except BaseException as error:  # KeyboardInterrupt too
            raised.append(error)
            return 1
    return progress


class _Hook:
    """What callbacks did not catch goes to their lists, all else to the hook before."""

    def __init__(self, before: Callable[[Any], Any]) -> None:
        self.before = before

    def __call__(self, unraisable: Any) -> None:
        trace = unraisable.exc_traceback
        if trace is not None and trace.tb_frame.f_code in _codes:
            trace.tb_frame.f_locals["raised"].append(unraisable.exc_value)
        else:
            self.before(unraisable)
