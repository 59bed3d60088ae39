"""Fills the defs of talus_world.h from keyword arguments, and refuses what they cannot hold."""

import ctypes
import enum
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import structs
from .library import Struct, fill
from .problem import AnyArray
from .settings import member, number

Vector = Union[Sequence[float], npt.NDArray[Any]]
Reals = npt.NDArray[np.float64]


def reals(name: str, value: Any, *shape: Optional[int]) -> Reals:
    """Packed float64 of the shape; None in it: any length. One number fills a shape that is known."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf" and array.size > 0:
            raise TypeError(f"its elements are of type {array.dtype}")
        made = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} does not become an array of numbers: {error}") from None
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} has a mask, which would not be looked at (use .filled or .data)")
    if made.ndim != len(shape) or any(s is not None and s != n for s, n in zip(shape, made.shape)):
        wanted = ", ".join("n" if s is None else str(s) for s in shape)
        raise ValueError(f"{name} has shape {array.shape}: ({wanted}{',' * (len(shape) == 1)}) is "
                         "needed")
    return made


def broadcast(name: str, value: Any, *shape: int) -> Reals:
    """As reals, but numbers and rows stand for as many as are needed."""
    array = np.asarray(value)
    if array.ndim < len(shape):
        try:
            value = np.broadcast_to(array, shape)
        except ValueError:
            pass  # reals says what is wrong
    return reals(name, value, *shape)


def ids(name: str, value: Any) -> npt.NDArray[np.int32]:
    """Ids of bodies as packed int32, (n,)."""
    array = np.atleast_1d(np.asarray(value))
    if array.dtype.kind == "b":
        array = np.flatnonzero(array)
    if array.size == 0:
        return np.zeros(0, np.int32)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise TypeError(f"{name} must be ids, whole numbers of shape (n,), not {array.dtype} of shape "
                        f"{array.shape}")
    made = np.ascontiguousarray(array, dtype=np.int32)
    if not np.array_equal(made, array):
        raise ValueError(f"{name} has numbers that int32 does not hold")
    return made


def whole(name: str, value: Any) -> int:
    """A number that an id or count of 32 bits can hold; ctypes would cut it off."""
    return int(number(name, value, ctypes.c_int32))


def real(name: str, value: Any) -> float:
    return float(number(name, value, ctypes.c_double))


def define(struct: Type[Struct], label: str, values: Mapping[str, Any],
           kinds: Optional[Dict[str, Type[enum.IntEnum]]] = None,
           kind: Optional[int] = None) -> Struct:
    """A def with its defaults and the values that are not None."""
    if struct in structs.SIZED:
        made = fill(struct) if kind is None else fill(struct, kind)
    else:
        made = struct()
    types = {field[0]: field[1] for field in struct._fields_}
    for name, value in values.items():
        if name not in types or name in ("struct_size", "unused"):
            known = ", ".join(n for n in types if n not in ("struct_size", "unused"))
            raise TypeError(f"{label}: {name} is unknown: one of {known}")
        if value is None:
            continue
        full, field = f"{label}.{name}", types[name]
        if kinds is not None and name in kinds:
            setattr(made, name, number(full, member(full, value, kinds[name]), ctypes.c_int))
        elif field is ctypes.c_char_p:
            setattr(made, name, str(value).encode())
        elif isinstance(field, type) and issubclass(field, ctypes.Array):
            setattr(made, name, field(*_row(full, value, int(getattr(field, "_length_")))))
        else:
            setattr(made, name, number(full, value, field))
    return made


def _row(name: str, value: Any, length: int) -> Tuple[float, ...]:
    """Numbers for an array of the def; (3, 3) and (6,) are both inertias, (k, 3) rows of nine."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"its elements are of type {array.dtype}")
        array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} is {value!r}, no array of numbers: {error}") from None
    if length == 6 and array.shape == (3, 3):
        array = array.reshape(9)[[0, 1, 2, 4, 5, 8]]
    if array.ndim == 0 and name.endswith((".lower", ".upper", ".rate", ".target")):
        array = np.full(length, float(array))  # one for each coordinate
    if length == 9 and array.ndim == 2 and array.shape[1] == 3 and array.shape[0] <= 3:
        array = np.concatenate([array.ravel(), np.zeros(9 - array.size)])
    if array.shape != (length,):
        raise ValueError(f"{name} has shape {array.shape}: ({length},) is needed")
    return tuple(float(x) for x in array)


def address(array: Optional[AnyArray]) -> Optional[int]:
    """Of an array's first number; None stays None."""
    return None if array is None else array.ctypes.data
