"""Settings of a solve, and values on their way into the fields of C structs."""

import ctypes
import dataclasses
import enum
import operator
import os
from typing import Any, Callable, Dict, Optional, Type, Union

import numpy as np

from . import structs
from .enums import Cone, Dump, Law, Measure, Method, Precision
from .library import fill
from .raised import guarded


def number(name: str, value: Any, kind: Any) -> Union[int, float]:
    """The value for a field of a ctypes struct, which would cut off what does not fit."""
    real = kind is ctypes.c_double
    try:
        if real:
            return float(value)
        whole = int(value) if isinstance(value, np.bool_) else operator.index(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}: a {'number' if real else 'whole number'} is "
                        "needed") from None
    if kind(whole).value != whole:
        raise ValueError(f"{name} is {whole}: it must fit in {8 * ctypes.sizeof(kind)} bits")
    return whole


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

    Enumerations may be given by name: Settings(law="ccp"); a word or a type that is wrong is refused
    here. tolerance: epsilon of the certificate, of no unit; max_seconds in s (0: no limit).
    fixed_iterations above 0: so many and nothing beside them; the outcome is then UNCHECKED and the
    certificate not a number. certify: 1, every solve is judged by the certificate; N, every Nth; 0,
    those alone that miss the tolerance. `progress`, if there is one, is called
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
    fixed_iterations: int = 0
    certify: int = 1

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses at once what the field cannot hold."""
        if name in _KINDS:
            value = member(f"settings.{name}", value, _KINDS[name])
            number(f"settings.{name}", value, ctypes.c_int)
        elif name == "progress":
            if value is not None and not callable(value):
                raise TypeError(f"settings.progress is {value!r}: a function is needed")
        elif name == "dump_path":
            value = None if value is None else os.fspath(value)
        elif name in _TYPES:
            number(f"settings.{name}", value, _TYPES[name])
        else:
            raise AttributeError(f"settings.{name} is unknown: one of "
                                 + ", ".join(f.name for f in dataclasses.fields(self)))
        object.__setattr__(self, name, value)

    def struct(self) -> structs.Settings:
        """The talus_settings; what `progress` raises is collected in its attribute `raised`."""
        made = fill(structs.Settings)
        for field in dataclasses.fields(self):
            name, value = field.name, getattr(self, field.name)
            if name == "dump_path":
                made.dump_path = None if value is None else os.fsencode(value)
            elif name != "progress":
                setattr(made, name, number(f"settings.{name}", value, _TYPES[name]))
        made.raised = []  # ctypes would print it and go on
        if self.progress is not None:
            made.progress = structs.progress_fn(guarded(self.progress, made.raised))
        return made


_KINDS: Dict[str, Type[enum.IntEnum]] = {
    "law": Law, "method": Method, "precision": Precision, "measure": Measure, "cone": Cone,
    "dump": Dump}
_TYPES: Dict[str, Any] = {field[0]: field[1] for field in structs.Settings._fields_}
