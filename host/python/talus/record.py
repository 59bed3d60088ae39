"""Frames and a table of a world, written while it is stepped: a directory that talus.Run reads."""

import os
from ctypes import byref, c_double, c_void_p
from typing import TYPE_CHECKING, Any, Callable, Optional, Tuple

from . import structs
from .define import real, whole
from .enums import Status
from .library import fill, library
from .reports import StepReport
from .run import Run, holds_run
from .solver import Error

if TYPE_CHECKING:
    from .world import World

# Columns of scalars.csv: name, unit, value.
_COLUMNS: Tuple[Tuple[str, str, Callable[[StepReport, "World"], Any]], ...] = (
    ("time", "s", lambda r, w: r.time), ("kinetic", "J", lambda r, w: r.kinetic),
    ("potential", "J", lambda r, w: r.potential),
    ("work_contacts", "J", lambda r, w: r.work_contacts),
    ("work_motion", "J", lambda r, w: r.work_motion),
    ("work_joints", "J", lambda r, w: r.work_joints),
    ("energy_error", "", lambda r, w: r.energy_error),
    ("momentum_error", "", lambda r, w: r.momentum_error),
    ("bodies", "", lambda r, w: w.body_count), ("contacts", "", lambda r, w: r.contact_count),
    ("touching", "", lambda r, w: r.touching_count),
    ("coordination", "", lambda r, w: r.coordination),
    ("penetration_mean", "m", lambda r, w: r.penetration_mean),
    ("penetration_max", "m", lambda r, w: r.penetration_max),
    ("epsilon", "", lambda r, w: r.epsilon), ("error", "", lambda r, w: r.error),
    ("iterations", "", lambda r, w: r.iterations))


class Record:
    """Open files of a directory; close() at the end."""

    def __init__(self, world: "World", directory: str, contacts: bool, append: bool) -> None:
        self.world, self._frames, self._table = world, c_void_p(), c_void_p()
        made = fill(structs.FramesDef)
        made.contacts, made.resume = int(contacts), world.steps if append else -1
        columns = (structs.Column * len(_COLUMNS))(
            *(structs.Column(name.encode(), unit.encode()) for name, unit, _ in _COLUMNS))
        check, context = world.context.check, world.context._handle
        try:
            check(library.talus_frames_open(context, os.fsencode(directory), byref(made),
                                            byref(self._frames)))
            check(library.talus_table_open(
                context, os.fsencode(os.path.join(directory, "scalars.csv")), columns,
                len(_COLUMNS), made.resume, byref(self._table)))
        except Error:
            self.close()
            raise

    def write(self, report: Optional[StepReport]) -> None:
        """A frame of the world as it is and, if there is a report of its last step, a line."""
        with self.world._alone() as world:
            self.world.context.check(library.talus_frames_write(self._frames, world))
        if report is not None:
            row = (c_double * len(_COLUMNS))(*(float(v(report, self.world)) for _, _, v in _COLUMNS))
            self.world.context.check(library.talus_table_row(self._table, report.step, row))

    def close(self) -> None:
        frames, self._frames = self._frames, c_void_p()
        table, self._table = self._table, c_void_p()
        library.talus_frames_close(frames)
        if table:
            self.world.context.check(library.talus_table_close(table))


def _steps(world: "World", time: Optional[float], steps: Optional[int]) -> int:
    if (time is None) == (steps is None):
        raise TypeError("run: either time or steps is needed")
    if steps is not None:
        count = whole("steps", steps)
    else:
        count = round((real("time", time) - world.time) / world.step_length)
    if count < 1:
        raise ValueError(f"run: the world is at t = {world.time:g} s already" if steps is None
                         else f"run: {count} steps, at least one is needed")
    return count


def run(world: "World", directory: Any, time: Optional[float], steps: Optional[int],
        every: Optional[float], contacts: bool, force: bool, append: bool) -> Run:
    """World.run."""
    left, folder = _steps(world, time, steps), os.fspath(directory)
    between = max(1, left // 100) if every is None else round(real("every", every)
                                                              / world.step_length)
    if between < 1:
        raise ValueError(f"run: every is {every} s, less than a step ({world.step_length:g} s)")
    if holds_run(folder) and not (force or append):
        raise Error(Status.FILE_WRITE, f"{folder} holds a run already: force=True replaces it, "
                    "append=True goes on in it")
    os.makedirs(folder, exist_ok=True)
    record = Record(world, folder, contacts, append)
    try:
        if not append:
            record.write(None)
        while left > 0:
            count = min(between - world.steps % between, left)
            report = world.step(count)
            left -= count
            record.write(report)
    finally:
        record.close()
    return Run(folder)
