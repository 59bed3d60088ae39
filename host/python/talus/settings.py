"""Settings of a solve, and values on their way into the fields of C structs."""

import ctypes
import dataclasses
import enum
import operator
import os
from typing import Any, Callable, List, Optional, Type, Union

import numpy as np

from . import structs
from .enums import Cone, Dump, Law, Measure, Method, Precision
from .library import fill


def number(name: str, value: Any, kind: Any) -> Union[int, float]:
    """The value for a field of a ctypes struct, which would cut off what does not fit."""
    real = kind is ctypes.c_double
    try:
        if real:
            return float(value)
        number = int(value) if isinstance(value, np.bool_) else operator.index(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}: a {'number' if real else 'whole number'} is "
                        "needed") from None
    if kind(number).value != number:
        raise ValueError(f"{name} is {number}: it must fit in {8 * ctypes.sizeof(kind)} bits")
    return number


def member(name: str, value: Any, kind: Type[enum.IntEnum]) -> Any:
    """An enumerator by its name; numbers go through, the library knows them."""
    if not isinstance(value, str):
        return value
    if value.upper() not in kind.__members__:
        names = ", ".join(n.lower() for n in kind.__members__)
        raise ValueError(f"{name} '{value}' is unknown: one of {names}")
    return kind[value.upper()]


@dataclasses.dataclass
class Settings:
    """How to solve; talus_settings of the header, with its defaults.

    Enumerations may be given by name: Settings(law="ccp"). `progress`, if there is one, is called
    now and then with iterations, passes, measure, seconds; whatever is true of its result stops.
    What it raises stops as well, and comes out of `solve` or `wait`.
    """

    law: Union[Law, str] = Law.COULOMB
    method: Union[Method, str] = Method.AUTO
    precision: Union[Precision, str] = Precision.F64
    measure: Union[Measure, str] = Measure.EPSILON
    tolerance: float = 1e-4
    max_iterations: int = 100000
    max_seconds: float = 0
    threads: int = 0
    warm_start: bool = False
    momentum_cap: float = -1
    slip_filter: float = 0
    progress: Optional[Callable[[int, int, float, float], Any]] = None
    same_bits: bool = False
    unique: bool = False
    cone: Union[Cone, str] = Cone.CIRCULAR
    facets: int = 4
    facet_angle: float = 0
    facet_align: bool = False
    dump: Union[Dump, str] = Dump.NONE
    dump_path: Optional[str] = None
    dump_most: int = 100
    islands: bool = False

    def struct(self) -> structs.Settings:
        kinds = {"law": Law, "method": Method, "precision": Precision, "measure": Measure,
                 "cone": Cone, "dump": Dump}
        made, types = fill(structs.Settings), dict(structs.Settings._fields_)
        for field in dataclasses.fields(self):
            name, value = field.name, getattr(self, field.name)
            if name in kinds:
                value = member(f"settings.{name}", value, kinds[name])
            if name == "dump_path":
                made.dump_path = None if value is None else os.fsencode(value)
            elif name != "progress":
                setattr(made, name, number(f"settings.{name}", value, types[name]))
        made.raised = []  # by progress; ctypes would print it and go on
        if self.progress is not None:
            made.progress = structs.progress_fn(_guarded(self.progress, made.raised))
        return made


def _guarded(call: Callable[..., Any], raised: List[BaseException]) -> Callable[..., int]:
    def progress(user: Any, *where: Any) -> int:
        try:
            return 1 if call(*where) else 0
        except BaseException as error:  # KeyboardInterrupt too
            raised.append(error)
            return 1
    return progress
