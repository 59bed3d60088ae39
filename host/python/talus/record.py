"""Frames and a table of a world, written while it is stepped: a directory that talus.Run reads.

On ranks all processes make the same calls, the first one writes, and if it cannot all raise.
"""

import fcntl
import fnmatch
import math
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


def _mean_velocity(world: "World", axis: int) -> float:
    """Of the free bodies' mass, m/s."""
    mass = world.mass
    return float(mass @ world.velocity[:, axis] / (mass.sum() or 1))


# Columns of scalars.csv: name, unit, value.
_COLUMNS: Tuple[Tuple[str, str, Callable[[StepReport, "World"], Any]], ...] = (
    ("time", "s", lambda r, w: r.time), ("kinetic", "J", lambda r, w: r.kinetic),
    ("potential", "J", lambda r, w: r.potential),
    ("work_contacts", "J", lambda r, w: r.work_contacts),
    ("work_forces", "J", lambda r, w: r.work_forces),
    ("work_motion", "J", lambda r, w: r.work_motion),
    ("work_joints", "J", lambda r, w: r.work_joints),
    ("energy_error", "", lambda r, w: r.energy_error),
    ("momentum_error", "", lambda r, w: r.momentum_error),
    ("bodies", "", lambda r, w: w.body_count),
    ("mean_velocity_x", "m/s", lambda r, w: _mean_velocity(w, 0)),
    ("mean_velocity_y", "m/s", lambda r, w: _mean_velocity(w, 1)),
    ("mean_velocity_z", "m/s", lambda r, w: _mean_velocity(w, 2)),
    ("contacts", "", lambda r, w: r.contact_count),
    ("touching", "", lambda r, w: r.touching_count),
    ("coordination", "", lambda r, w: r.coordination),
    ("penetration_mean", "m", lambda r, w: r.penetration_mean),
    ("penetration_max", "m", lambda r, w: r.penetration_max),
    ("epsilon", "", lambda r, w: r.epsilon), ("error", "", lambda r, w: r.error),
    ("iterations", "", lambda r, w: r.iterations))


# What a run writes, and nothing else: host/scene/record_directory.c.
PATTERNS = (
    "scene.yaml", "from.h5", "packing.csv", "packing.vtp", "scalars.csv", "broken.csv",
    "checkpoint-[0-9]*.h5", "grains-[0-9]*.vtp", "contacts-[0-9]*.vtp", "surfaces-[0-9]*.vtp",
    "walls-[0-9]*.vtp", "bonds-[0-9]*.vtp", "grains.pvd", "contacts.pvd", "surfaces.pvd", "walls.pvd",
    "bonds.pvd", "frame-[0-9]*.png", "plot.png", "movie.mp4", "failed-[0-9]*.hdf5",
    "failed-[0-9]*.dat", "problem-[0-9]*.hdf5", "problem-worst.hdf5", "measure.csv", "averages.csv",
    "measure-*-[0-9]*.csv", "measure-*-[0-9]*.vti")


def _clear(folder: str) -> None:
    """Deletes the files of a run, as `talus run --force` does."""
    lock = os.path.join(folder, ".lock")
    if os.path.exists(lock):
        with open(lock, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Error(Status.BUSY, f"{folder} is being written by {file.readline().decode().strip()}"
                            ": wait for its end, or write elsewhere") from None
            except OSError:
                pass  # a file system without locks
    for name in os.listdir(folder):
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in PATTERNS):
            os.unlink(os.path.join(folder, name))


def _prepare(world: "World", folder: str, force: bool, append: bool) -> None:
    """Makes the directory ready for the frames from now on."""
    if holds_run(folder) and not (force or append):
        raise Error(Status.FILE_WRITE, f"{folder} holds a run already: force=True replaces it, "
                    "append=True goes on in it")
    os.makedirs(folder, exist_ok=True)
    if append and holds_run(folder):
        last = max(Run(folder)._steps, default=0)
        if world.steps < last and not world._loaded:
            raise Error(Status.CALL_ORDER, f"{folder} holds frames up to step {last}, and the world is at "
                        f"step {world.steps}: load() the state from which it is to go on, or "
                        "force=True replaces the run")
    elif not append:
        _clear(folder)


class Record:
    """Open files of a directory, on ranks of the first process; close() at the end."""

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
            world.context._by_first(lambda: check(library.talus_table_open(
                context, os.fsencode(os.path.join(directory, "scalars.csv")), columns,
                len(_COLUMNS), made.resume, byref(self._table))))
        except Error:
            self.close()
            raise

    def write(self, report: Optional[StepReport]) -> None:
        """A frame of the world as it is and, if there is a report of its last step, a line."""
        with self.world._alone() as world:
            self.world.context.check(library.talus_frames_write(self._frames, world))
        if report is not None:
            row = (c_double * len(_COLUMNS))(*(float(v(report, self.world)) for _, _, v in _COLUMNS))
            step, check = report.step, self.world.context.check
            self.world.context._by_first(
                lambda: check(library.talus_table_row(self._table, step, row)))

    def close(self) -> None:
        frames, self._frames = self._frames, c_void_p()
        table, self._table = self._table, c_void_p()
        library.talus_frames_close(frames)
        if table:
            self.world.context.check(library.talus_table_close(table))


def _finite(name: str, value: Any) -> float:
    if not math.isfinite(real(name, value)):
        raise ValueError(f"run: {name} is {value} s, which is not finite")
    return real(name, value)


def _steps(world: "World", time: Optional[float], steps: Optional[int]) -> int:
    if (time is None) == (steps is None):
        raise TypeError("run: either time or steps is needed")
    if steps is not None:
        count = whole("steps", steps)
    else:
        count = round((_finite("time", time) - world.time) / world.step_length)
    if count < 1:
        raise ValueError(f"run: the world is at t = {world.time:g} s already" if steps is None
                         else f"run: {count} steps, at least one is needed")
    return count


def run(world: "World", directory: Any, time: Optional[float], steps: Optional[int],
        every: Optional[float], contacts: bool, force: bool, append: bool) -> Run:
    """World.run."""
    left, folder = _steps(world, time, steps), os.fspath(directory)
    between = max(1, left // 100) if every is None else round(
        _finite("every", every) / world.step_length)
    if between < 1:
        raise ValueError(f"run: every is {every} s, less than a step ({world.step_length:g} s)")
    first = world.context._by_first
    first(lambda: _prepare(world, folder, force, append))
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
    first(lambda: None)  # all is written when the others look
    return Run(folder)
