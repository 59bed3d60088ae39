"""What drives a world: its periodic cell, motions and servos of kinematic bodies."""

from ctypes import byref
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import structs
from .define import Reals, Vector, address, define, ids, reals, whole
from .enums import MotionKind
from .library import fill, library
from .reports import Cell, Servo
from .settings import member
from .world_build import WorldBuild


class WorldDrive(WorldBuild):
    """The part of World that moves things."""

    def set_cell(self, periodic: str, origin: Vector, edge: Vector, rate: Optional[Vector] = None, *,
                 servo: Union[str, Sequence[str]] = "", stress: Optional[Vector] = None,
                 shear_stress: Optional[Vector] = None,
                 rate_limit: Optional[float] = None) -> None:
        """Makes space periodic along axes ("xy", "xyz" ...; "": no cell), or changes the cell. origin
        (m): its lowest corner; edge (m): lengths xx yy zz, and if it leans xy xz yz; rate (1/s):
        velocity gradient, xx yy zz xy xz yz. Rates of `servo` ("z", ["z", "xz"]) follow a stress:
        sides x, y, z follow `stress` (Pa, three numbers, compression > 0), shears xy, xz, yz
        `shear_stress` (Pa, three numbers, below 0 to shear by a rate above 0), no faster than
        rate_limit (1/s); they need soft contacts. Not with mechanisms."""
        rates = ("x", "y", "z", "xy", "xz", "yz")
        if set(periodic) - set("xyz"):
            raise ValueError(f"periodic is {periodic!r}: letters of xyz are needed")
        if set(servo) - set(rates):
            raise ValueError(f"servo is {servo!r}: letters of xyz, or a list of "
                             f"{', '.join(rates)}, are needed")
        full = [np.concatenate([a, np.zeros(3)]) if len(a) == 3 else a for a in (
            np.asarray(edge, dtype=np.float64).ravel(),
            np.zeros(6) if rate is None else np.asarray(rate, dtype=np.float64).ravel())]
        made = define(structs.Cell, "cell", dict(
            periodic=sum(1 << "xyz".index(axis) for axis in set(periodic)), origin=origin, edge=full[0],
            rate=full[1], servo=sum(1 << rates.index(name) for name in set(servo)), stress=stress,
            shear_stress=shear_stress, rate_limit=rate_limit))
        with self._alone(changes=True) as world:
            self.context.check(library.talus_world_set_cell(world, byref(made)))

    @property
    def cell(self) -> Cell:
        """The periodic cell as it is now."""
        made = fill(structs.Cell)
        with self._alone() as world:
            self.context.check(library.talus_world_cell(world, byref(made)))
        return Cell(made)

    @property
    def stress(self) -> Reals:
        """(3, 3): mean stress in the periodic cell during the last step, Pa, compression > 0."""
        made = np.zeros((3, 3))
        with self._alone() as world:
            self.context.check(library.talus_world_stress(world, address(made)))
        return made

    def add_motion(self, body: int, kind: Union[MotionKind, str], *, vector: Optional[Vector] = None,
                   centre: Optional[Vector] = None, frequency: Optional[float] = None,
                   phase: Optional[float] = None, begin: Optional[float] = None,
                   end: Optional[float] = None, time: Any = None, offset: Any = None) -> None:
        """What a kinematic body does: velocity (vector in m/s), spin (rad/s about centre), sinusoid
        (amplitude in m, frequency in Hz, phase in rad), table (time (n,) in s, offset (n, 3) in m).
        The sum of its motions counts. begin and end (s): outside them it rests; they count from the
        time 0, or, if the body has no motion yet and no begin is given, from now."""
        chosen = MotionKind(member("motion.kind", kind, MotionKind))
        made = define(structs.MotionDef, "motion", dict(
            vector=vector, centre=centre, frequency=frequency, phase=phase, begin=begin, end=end),
            kind=chosen)
        if time is not None or offset is not None:
            times = reals("motion.time", time, None)
            offsets = reals("motion.offset", offset, len(times), 3)
            made.time, made.offset, made.count = address(times), address(offsets), len(times)
        with self._alone(changes=True) as world:
            self.context.check(library.talus_motion_add(world, whole("body", body),
                                                        byref(made)))

    def clear_motions(self, body: int) -> None:
        """Takes all motions of a kinematic body away; it stays where it is. Times of motions that are
        added afterwards count from now, and offsets from here."""
        with self._alone(changes=True) as world:
            self.context.check(library.talus_motions_clear(world, whole("body", body)))

    def set_servo(self, body: int, *, speed: float, axis: Optional[Vector] = None,
                  force: Optional[float] = None, pressure: Optional[float] = None,
                  area: Optional[float] = None, gain: Optional[float] = None,
                  across: Optional[Sequence[int]] = None) -> None:
        """Lets a kinematic body press along an axis (0, 0, 1) with a force (N) or a pressure (Pa) over
        an area (m2; without it the area in contact, or what lies between four bodies `across`),
        moving at most at speed (m/s). gain (0.6): the share of the missing force that a step makes up
        for. Needs soft contacts. A second call changes it."""
        made = define(structs.ServoDef, "servo", dict(
            axis=axis, force=force, pressure=pressure, area=area, gain=gain, speed=speed))
        bodies = ids("servo.across", across if across is not None else [])
        if len(bodies) not in (0, 2, 4):
            raise ValueError(f"servo.across has {len(bodies)} bodies: four are needed, two in a plane")
        for place, other in enumerate(bodies):
            made.across[place] = int(other)
        with self._alone(changes=True) as world:
            self.context.check(library.talus_servo_set(world, whole("body", body), byref(made)))

    def remove_servo(self, body: int) -> None:
        """Takes a servo away; the body stays where it is."""
        with self._alone(changes=True) as world:
            self.context.check(library.talus_servo_set(world, whole("body", body), None))

    def servo(self, body: int) -> Servo:
        """What a servo did in the last step."""
        made = fill(structs.ServoState)
        with self._alone() as world:
            self.context.check(library.talus_servo_get(world, whole("body", body), byref(made)))
        return Servo(made)
