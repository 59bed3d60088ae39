"""Mechanisms of a world: articulated trees in minimal coordinates, robots from URDF files."""

import contextlib
import ctypes
import os
from ctypes import byref, c_int32, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import structs
from .define import Reals, address, broadcast, define, real, reals, whole
from .enums import Dynamics, LinkKind, Motor, Status
from .library import fill, library
from .settings import member, number
from .solver import Context, Error

if TYPE_CHECKING:
    from .world_state import WorldState


def links_define(links: Sequence[Dict[str, Any]]) -> Tuple[Any, int]:
    """An array of talus_link_def."""
    rows = (structs.LinkDef * max(1, len(links)))()
    for i, link in enumerate(links):
        values = dict(link)
        kind = LinkKind(member("link.kind", values.pop("kind", "revolute"), LinkKind))
        if ("lower" in values or "upper" in values) and "limited" not in values:
            values["limited"] = 1
        rows[i] = define(structs.LinkDef, f"links[{i}]", values, {"motor": Motor}, kind=kind)
    return rows, len(links)


def loops_define(loops: Sequence[Dict[str, Any]]) -> Any:
    """An array of talus_loop_def, None if there are none."""
    rows = (structs.LoopDef * len(loops))()
    for i, loop in enumerate(loops):
        values = dict(loop)
        for name in ("direction", "turn"):
            if name in values and name + "_count" not in values:
                values[name + "_count"] = len(np.atleast_2d(np.asarray(values[name])))
                values[name] = np.atleast_2d(np.asarray(values[name], dtype=np.float64))
        rows[i] = define(structs.LoopDef, f"loops[{i}]", values)
    return ctypes.cast(rows, c_void_p) if len(loops) else None


class Mechanism:
    """An articulated tree of a world. coordinate and velocity are copies; assign to set them. Links
    are named by number, or by the name of the joint that carries them."""

    __slots__ = ("world", "number", "names", "base")

    def __init__(self, world: "WorldState", number: int, names: Dict[str, int],
                 base: Optional[int] = None) -> None:
        self.world, self.number, self.names, self.base = world, number, names, base

    def __repr__(self) -> str:
        if not self.world._handle:
            return f"<talus.Mechanism {self.number} of a world that was destroyed>"
        return (f"<talus.Mechanism {self.number}: {self.link_count} links, "
                f"{len(self.coordinate)} coordinates>")

    def __reduce__(self) -> Any:
        raise TypeError("a Mechanism belongs to its World, and cannot be pickled or copied")

    @contextlib.contextmanager
    def _alone(self, changes: bool = False) -> Iterator[c_void_p]:
        with self.world._alone(changes) as world:
            handle = library.talus_world_mechanism(world, self.number)
            if not handle:
                raise Error(Status.INDEX_RANGE, f"mechanism {self.number} does not exist")
            yield c_void_p(handle)

    def link(self, name: Union[int, str]) -> int:
        """The number of a link."""
        if not isinstance(name, str):
            return whole("link", name)
        if name not in self.names:
            raise KeyError(f"no joint is called {name!r}: one of {', '.join(self.names)}")
        return self.names[name]

    @property
    def link_count(self) -> int:
        with self._alone() as handle:
            return int(library.talus_mechanism_link_count(handle))

    @property
    def bodies(self) -> List[int]:
        """The body of each link, for shapes, contacts and the world's arrays."""
        count = self.link_count
        with self.world._alone() as world:
            return [int(library.talus_link_body(world, self.number, i)) for i in range(count)]

    def _get(self, which: int) -> Reals:
        with self._alone() as handle:
            counts = (library.talus_mechanism_coordinate_count(handle),
                      library.talus_mechanism_velocity_count(handle))
            made = np.zeros(counts[which])
            places: List[Optional[int]] = [None, None]
            places[which] = address(made)
            self.world.context.check(library.talus_mechanism_get(handle, *places))
            return made

    def _set(self, which: int, value: Any) -> None:
        count = len(self._get(which))
        name = ("coordinate", "velocity")[which]
        made = broadcast(name, value, count)
        places: List[Optional[int]] = [None, None]
        places[which] = address(made)
        with self._alone(changes=True) as handle:
            self.world.context.check(library.talus_mechanism_set(handle, *places))

    @property
    def coordinate(self) -> Reals:
        """rad or m, in the order of the links; quaternions of spherical and free joints."""
        return self._get(0)

    @coordinate.setter
    def coordinate(self, value: Any) -> None:
        self._set(0, value)

    @property
    def velocity(self) -> Reals:
        """rad/s or m/s, in the order of the links."""
        return self._get(1)

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._set(1, value)

    def find(self, link: Union[int, str]) -> Tuple[int, int]:
        """Where the coordinates and the velocities of a link's joint begin."""
        coordinate, velocity = c_int32(), c_int32()
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_find(
                handle, self.link(link), byref(coordinate), byref(velocity)))
        return coordinate.value, velocity.value

    def drive(self, link: Union[int, str], rate: Any = 0.0, target: Any = 0.0,
              effort: float = float("inf")) -> None:
        """New values for the motor of a link: rad/s or m/s, rad or m, N m or N."""
        rates, targets = broadcast("rate", rate, 3), broadcast("target", target, 3)
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_drive(
                handle, self.link(link), address(rates), address(targets),
                real("effort", effort)))

    def apply(self, force: Any = None) -> None:
        """Forces along the velocities, N m or N, until changed; None: none."""
        made = None if force is None else broadcast("force", force, len(self.velocity))
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_apply(handle, address(made)))

    def load(self, link: Union[int, str], point: Any, force: Any, moment: Any = None) -> None:
        """A force (N, world frame) at a point (m) fixed in the link, and a moment (N m), until
        unload."""
        at, pushed = reals("point", point, 3), reals("force", force, 3)
        turned = None if moment is None else reals("moment", moment, 3)
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_load(
                handle, self.link(link), address(at), address(pushed), address(turned)))

    def unload(self) -> None:
        """Takes all loads away."""
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_unload(handle))

    def pose(self, link: Union[int, str]) -> Tuple[Reals, Reals, Reals]:
        """Position (m) and orientation of a link's frame, and its velocity (6): linear at the origin
        (m/s), angular (rad/s)."""
        position, orientation, velocity = np.zeros(3), np.zeros(4), np.zeros(6)
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_pose(
                handle, self.link(link), address(position), address(orientation),
                address(velocity)))
        return position, orientation, velocity

    def jacobian(self, link: Union[int, str], point: Any = (0, 0, 0)) -> Reals:
        """(6, velocities): linear velocity of a point of the link, then its angular velocity."""
        at, made = reals("point", point, 3), np.zeros((6, len(self.velocity)))
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_jacobian(
                handle, self.link(link), address(at), address(made)))
        return made

    @property
    def mass_matrix(self) -> Reals:
        """(velocities, velocities)."""
        made = np.zeros((len(self.velocity), len(self.velocity)))
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_mass_matrix(handle, address(made)))
        return made

    @property
    def inverse_mass_matrix(self) -> Reals:
        """(velocities, velocities), by articulated bodies."""
        made = np.zeros((len(self.velocity), len(self.velocity)))
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_inverse_mass(handle, address(made)))
        return made

    def acceleration(self, dynamics: Union[Dynamics, str] = Dynamics.ARTICULATED) -> Reals:
        """(velocities,): what gravity, applied forces and loads do, without contacts, stops and
        motors; rad/s2 or m/s2."""
        made = np.zeros(len(self.velocity))
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_accelerate(
                handle, member("dynamics", dynamics, Dynamics), address(made)))
        return made

    def response(self, points: Sequence[Tuple[Union[int, str], Any]],
                 dynamics: Union[Dynamics, str] = Dynamics.ARTICULATED) -> Tuple[Reals, Reals]:
        """How points, (link, place in its frame in m) each, accelerate for forces there: the matrix
        (3 n, 3 n) in 1/kg, which is J M^-1 J^T, and the accelerations (3 n,) without forces, m/s2;
        world frame."""
        rows = (structs.LinkPoint * max(1, len(points)))()
        for row, (link, place) in zip(rows, points):
            row.link, row.point = self.link(link), tuple(reals("point", place, 3))
        size = 3 * len(points)
        matrix, free = np.zeros((size, size)), np.zeros(size)
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_response(
                handle, member("dynamics", dynamics, Dynamics), ctypes.addressof(rows), len(points),
                address(matrix), address(free)))
        return matrix, free

    def balance(self) -> Dict[str, Any]:
        """mass (kg), centre of mass (m), kinetic and potential (J, 0 at the world's origin), momentum
        (kg m/s) and angular_momentum (kg m2/s, about the world's origin) of all links."""
        made = fill(structs.MechanismBalance)
        with self._alone() as handle:
            self.world.context.check(library.talus_mechanism_measure(handle, byref(made)))
        return {name: np.array(value) if isinstance(value, ctypes.Array) else value
                for name, value in ((field[0], getattr(made, field[0]))
                                    for field in structs.MechanismBalance._fields_[1:])}


class Urdf:
    """A robot file that has been read."""

    def __init__(self, context: Context, handle: c_void_p) -> None:
        self.context, self.handle = context, handle

    def motors(self, motor: Union[None, str, Dict[str, str]],
               response: Optional[float] = None) -> structs.MechanismDef:
        """The mechanism's def with the motors switched on."""
        given = ctypes.cast(library.talus_urdf_mechanism(self.handle),
                            ctypes.POINTER(structs.MechanismDef)).contents
        made = structs.MechanismDef.from_buffer_copy(given)
        rows = (structs.LinkDef * max(1, given.link_count))()
        wanted = dict(motor) if isinstance(motor, dict) else {}
        for i in range(given.link_count):
            rows[i] = given.link[i]
            name = given.link[i].name.decode() if given.link[i].name else ""
            chosen = wanted.pop(name, None) if isinstance(motor, dict) else motor
            if chosen is not None:
                rows[i].motor = Motor(member("motor", chosen, Motor))
                rows[i].response = number("response", response or 0.0, ctypes.c_double)
        if wanted:
            raise KeyError(f"no joint that moves is called {', '.join(wanted)}: one of "
                           f"{', '.join(self.joints())}")
        made.link = ctypes.cast(rows, ctypes.POINTER(structs.LinkDef))
        made.rows = rows
        return made

    def joints(self) -> Dict[str, int]:
        """The link that each joint carries, by name."""
        given = ctypes.cast(library.talus_urdf_mechanism(self.handle),
                            ctypes.POINTER(structs.MechanismDef)).contents
        return {given.link[i].name.decode(): i for i in range(given.link_count) if given.link[i].name}

    def shapes(self) -> Iterator[Tuple[int, structs.ShapeDef]]:
        """Link and def of each collision shape; link -1: the base."""
        for i in range(library.talus_urdf_shape_count(self.handle)):
            link, shape = c_int32(), fill(structs.ShapeDef, 0)
            self.context.check(library.talus_urdf_shape(self.handle, i, byref(link), byref(shape)))
            yield link.value, shape


@contextlib.contextmanager
def urdf_read(context: Context, path: Any, values: Dict[str, Any]) -> Iterator[Urdf]:
    """Reads a file, and forgets it at the end."""
    made, handle = define(structs.UrdfDef, "urdf", values), c_void_p()
    context.check(library.talus_urdf_read_sized(
        context._handle, os.fsencode(path), byref(made), ctypes.sizeof(structs.MechanismDef),
        ctypes.sizeof(structs.LinkDef), byref(handle)))
    try:
        yield Urdf(context, handle)
    finally:
        library.talus_urdf_destroy(handle)
