"""Many independent problems in one call: a list of them, or arrays stacked one upon the other."""

import dataclasses
from ctypes import addressof
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union, overload

import numpy as np

from . import _core, structs
from .enums import Status
from .library import library
from .problem import OFFSETS, AnyArray, Array, Matrix, Problem
from .settings import Settings
from .solver import Context, Error, Info, Solution, _Context, borrowed

# Numbers per element, and the type, of the arrays of form (a) and of the common ones.
_RIGID = {"velocity": 6, "inverse_mass": 1, "inverse_inertia": 6, "body_a": 1, "body_b": 1,
          "normal": 3, "reach_a": 1, "reach_b": 1, "arm_a": 3, "arm_b": 3, "bias": 1,
          "surface_velocity": 3, "friction": 1}


def _info_type() -> np.dtype[Any]:
    """talus_info as an element of a structured array, the certificate's members among the others."""
    fields: Dict[str, Tuple[str, int]] = {}
    kinds = {"c_int": "i4", "c_uint": "u4", "c_long": "i8", "c_double": "f8"}
    for struct, base in ((structs.Info, 0), (structs.Certificate, structs.Info.certificate.offset)):
        for field in struct._fields_:
            kind = kinds.get(getattr(field[1], "__name__", ""))
            if kind is not None and field[0] not in ("struct_size", "unused"):
                fields[field[0]] = (kind, base + getattr(struct, field[0]).offset)
    return np.dtype({"names": list(fields), "formats": [f[0] for f in fields.values()],
                     "offsets": [f[1] for f in fields.values()], "itemsize": _core.info_size})


INFO_TYPE = _info_type()


class Stack:
    """`count` problems of equal sizes whose arrays lie one upon the other: made by `rigid` or
    `delassus`. An array without the first dimension is shared by all of them.
    """

    def __init__(self, count: int, first: Problem, places: List[Tuple[int, int, int]],
                 kept: Any) -> None:
        self.count = count
        self._first, self._places, self._kept = first, places, kept

    def __repr__(self) -> str:
        return f"<talus.Stack of {self.count} problems, each {self._first!r}>"

    @classmethod
    def rigid(cls, **arrays: Array) -> "Stack":
        """Form (a): the arguments of Problem.rigid but for bilateral rows, each with the problems as
        first dimension: velocity (n, bodies, 6), inverse_mass (n, bodies), inverse_inertia
        (n, bodies, 6) or (n, bodies, 3, 3), body_a (n, contacts), normal (n, contacts, 3), ..."""
        stacked: Dict[str, AnyArray] = {}
        shared: Dict[str, Any] = {}
        for name, value in arrays.items():
            if name not in _RIGID:
                raise TypeError(f"{name} is unknown: one of " + ", ".join(_RIGID))
            if value is None:
                continue
            array = np.asarray(value)
            if name == "inverse_inertia" and array.ndim >= 3 and array.shape[-2:] == (3, 3):
                array = array.reshape(array.shape[:-2] + (9,))[..., [0, 1, 2, 4, 5, 8]]
            if array.ndim == (2 if _RIGID[name] == 1 else 3):
                stacked[name] = _packed(name, array, np.int32 if name.startswith("body") else
                                        np.float64)
            else:
                shared[name] = value
        count = _depth(stacked)
        first = Problem.rigid(**{name: array[0] for name, array in stacked.items()}, **shared)
        places = [(*OFFSETS[name if name == "friction" else "rigid." + name][:1],
                   array.ctypes.data, array.strides[0]) for name, array in stacked.items()]
        return cls(count, first, places, (stacked, first))

    @classmethod
    def delassus(cls, w: Array, q: Array, *, friction: Array, dimension: int = 3) -> "Stack":
        """Form (c): w (n, rows, rows), q (n, rows), friction (n, contacts), (contacts,) or one
        number. u = w impulse + q."""
        matrix = np.asarray(w, dtype=np.float64)
        if matrix.ndim != 3 or matrix.shape[1] != matrix.shape[2]:
            raise ValueError(f"w has shape {matrix.shape}: (n, rows, rows) is needed")
        columns = np.ascontiguousarray(matrix.transpose(0, 2, 1))  # the library's dense matrices
        stacked = {"w": columns, "q": _packed("q", np.asarray(q), np.float64)}
        mu = np.asarray(friction, dtype=np.float64)
        if mu.ndim == 2:
            stacked["friction"] = np.ascontiguousarray(mu)
        count = _depth(stacked)
        first = Problem.delassus(Matrix.of(columns[0].T), stacked["q"][0], dimension=dimension,
                                 friction=mu[0] if mu.ndim == 2 else mu)
        value = structs.Problem.delassus.offset + structs.Matrix.value.offset
        offsets = {"w": value, "q": OFFSETS["delassus.q"][0], "friction": OFFSETS["friction"][0]}
        places = [(offsets[name], array.ctypes.data, array.strides[0])
                  for name, array in stacked.items()]
        return cls(count, first, places, (stacked, first))

    def empty(self) -> Solution:
        """A Solution with room for all, stacked: impulse (n, contacts, dimension) ..."""
        one = Solution.empty(self._first)
        return Solution(*(None if array is None else np.zeros((self.count, *array.shape))
                          for array in (getattr(one, f.name) for f in dataclasses.fields(one))))

    def solution_places(self, solution: Solution) -> List[Tuple[int, int, int]]:
        """Where the results of each problem go."""
        wanted, places = self.empty(), []
        for field in dataclasses.fields(solution):
            array, like = getattr(solution, field.name), getattr(wanted, field.name)
            if array is None:
                continue
            if not isinstance(array, np.ndarray) or array.dtype != np.float64 or like is None or (
                    array.shape != like.shape) or not array.flags.c_contiguous or (
                    not array.flags.writeable):
                raise ValueError(f"solution.{field.name} must be a packed, writeable array of float64 "
                                 f"of shape {None if like is None else like.shape}")
            if array.size > 0:
                places.append((getattr(structs.Solution, field.name).offset, array.ctypes.data,
                               array.strides[0]))
        return places


def _packed(name: str, array: AnyArray, kind: Any) -> AnyArray:
    if array.dtype != kind and not np.can_cast(array.dtype, kind, "same_kind"):
        raise TypeError(f"{name} is of type {array.dtype}: {np.dtype(kind).name} is needed")
    made: AnyArray = np.ascontiguousarray(array, dtype=kind)
    if kind is np.int32 and not np.array_equal(made, array):
        raise ValueError(f"{name} has numbers that int32 does not hold")
    return made


def _depth(stacked: Dict[str, AnyArray]) -> int:
    """How many problems all the arrays have."""
    counts = {name: len(array) for name, array in stacked.items()}
    if not counts or min(counts.values()) < 1:
        raise ValueError("no array has problems as its first dimension")
    if len(set(counts.values())) > 1:
        raise ValueError("the arrays have different numbers of problems: " + ", ".join(
            f"{name} {count}" for name, count in counts.items()))
    return next(iter(counts.values()))


Result = Union[Tuple[Solution, Info], Error]


@overload
def solve_batch(problems: Stack, settings: Optional[Settings] = None,
                solutions: Optional[Solution] = None,
                context: Optional[Context] = None) -> Tuple[Solution, AnyArray]: ...
@overload
def solve_batch(problems: Iterable[Problem], settings: Optional[Settings] = None,
                solutions: Optional[Iterable[Solution]] = None,
                context: Optional[Context] = None) -> List[Result]: ...


def solve_batch(problems: Any, settings: Optional[Settings] = None, solutions: Any = None,
                context: Optional[Context] = None) -> Any:
    """Many independent problems, shared out among the context's threads.

    Of a list of problems of any sizes: a list; one that fails gives its Error in it (the first with
    Talus' message) and leaves the others alone. Of a Stack: one Solution of stacked arrays and a
    structured array with the members of talus_info and its certificate, and `status`: not 0 where a
    problem failed.
    """
    used = (settings or Settings()).struct()
    with borrowed(context) as held:
        if isinstance(problems, Stack):
            return _solve_stack(problems, used, solutions, held)
        return _solve_list(list(problems), used, solutions, held)


def _solve_list(problems: List[Problem], used: structs.Settings,
                solutions: Optional[Iterable[Solution]], context: _Context) -> List[Result]:
    filled = list(solutions) if solutions is not None else [Solution.empty(p) for p in problems]
    if len(filled) != len(problems):
        raise ValueError(f"{len(filled)} solutions for {len(problems)} problems")
    first, results = _core.solve_batch(context._handle.value or 0, addressof(used), problems, filled)
    if first != Status.OK and not any(isinstance(result, int) for result in results):
        context.check(first)
    said = library.talus_context_message(context._handle).decode() if first != Status.OK else ""
    made: List[Result] = []
    for solution, result in zip(filled, results):
        if isinstance(result, int):  # the message is the first failure's
            made.append(Error(result, said))
            said = ""
        else:
            made.append((solution, result))
    return made



def _solve_stack(stack: Stack, used: structs.Settings, solution: Optional[Solution],
                 context: _Context) -> Tuple[Solution, AnyArray]:
    filled = solution if solution is not None else stack.empty()
    infos = np.zeros(stack.count, INFO_TYPE)
    statuses = np.zeros(stack.count, np.int32)
    first = _core.solve_stack(context._handle.value or 0, addressof(used), stack._first, stack.count,
                              stack._places, stack.solution_places(filled), infos.ctypes.data,
                              statuses.ctypes.data)
    if first != Status.OK and not statuses.any():
        context.check(first)
    fields: Dict[str, Any] = dict(INFO_TYPE.fields or {})
    whole = np.dtype({"names": [*fields, "status"], "formats": [*(f[0] for f in fields.values()), "i4"],
                      "offsets": [*(f[1] for f in fields.values()), 0],
                      "itemsize": INFO_TYPE.itemsize})
    told = infos.view(whole)
    told["status"] = statuses  # in the place of struct_size
    return filled, told
