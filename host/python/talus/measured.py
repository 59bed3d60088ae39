"""Measurements of a run (talus_measure_run; docs/how-to/measure.md) as arrays."""

import csv
import json
import os
from ctypes import POINTER, byref, c_char_p, c_int32, cast
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import structs
from .define import Reals, define
from .enums import Status
from .library import library
from .raised import guarded, listen
from .run import read_table
from .solver import Error, borrowed


class Measured:
    """What was measured: measured["all_packing_fraction"] is the series over the frames, in the order of
    measured["time"]; averages have the mean and its error over time of each column; table(name) is a
    profile or a distribution. directory: where the files are."""

    def __init__(self, directory: str, frames: int) -> None:
        self.directory, self.frames = directory, frames
        self.series: Dict[str, Reals] = read_table(os.path.join(directory, "measure.csv"))

    def __getitem__(self, name: str) -> Reals:
        if name not in self.series:
            raise KeyError(f"{name!r} was not measured: one of {', '.join(self.series)}")
        return self.series[name]

    def __repr__(self) -> str:
        return f"<talus.Measured {self.frames} frames: {', '.join(self.series)}>"

    @property
    def averages(self) -> Dict[str, Tuple[float, float]]:
        """(mean, error) of each column over the frames."""
        path = os.path.join(self.directory, "averages.csv")
        try:
            with open(path) as file:
                return {row["name"]: (float(row["mean"]), float(row["error"]))
                        for row in csv.DictReader(file)}
        except OSError as error:
            raise Error(Status.FILE_OPEN, f"{path}: {error.strerror}") from None
        except (KeyError, ValueError) as error:
            raise Error(Status.FILE_FORMAT, f"{path}: {error}") from None

    def table(self, name: str) -> Dict[str, Reals]:
        """Averages of a profile or distribution by the measurement's name."""
        return read_table(os.path.join(self.directory, name + ".csv"))


def measure(directory: str, measurements: Sequence[Any], out: Optional[str],
            begin: Optional[float], end: Optional[float], every: int) -> Measured:
    """Run.measure."""
    from .scene import _plain
    texts = [(given if isinstance(given, str) else json.dumps(given, default=_plain)).encode()
             for given in measurements]
    place = os.path.join(directory, "measured") if out is None else os.fspath(out)
    made = define(structs.MeasureDef, "measure", dict(begin=begin, end=end, every=every))
    made.directory, made.out = os.fsencode(directory), os.fsencode(place)
    made.add_count, frames = len(texts), c_int32()
    made.add = cast((c_char_p * max(1, len(texts)))(*texts), POINTER(c_char_p))
    raised: List[BaseException] = []
    made.progress = structs.measure_fn(guarded(lambda *frame: False, raised))  # Ctrl-C comes in there
    listen()
    with borrowed(None) as context:
        status = library.talus_measure_run(context._handle, byref(made), byref(frames))
        if raised:
            raise raised[0]
        context.check(status)
    return Measured(place, frames.value)
