"""Fleets: many copies of a mechanism that know nothing of each other, stepped together."""

import contextlib
import ctypes
import threading
from ctypes import POINTER, byref, c_void_p, cast
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core, structs
from .define import Reals, Vector, address, broadcast, define, real, reals, whole
from .enums import Dynamics, Restitution, Scheme, Status
from .library import fill, library
from .mechanism import links_define, loops_define
from .settings import Settings, member
from .solver import Context, Error


class FleetReport:
    """Of one call of Fleet.step: solves, contacts, missed (solves above the tolerance), measure (the
    worst that was used), depth (m, of the deepest contact), failed, first_failed."""

    def __init__(self, made: structs.FleetReport) -> None:
        self.solves: int = made.solves
        self.contacts: int = made.contacts
        self.missed: int = made.missed
        self.measure: float = made.measure
        self.depth: float = made.depth
        self.failed: int = made.failed
        self.first_failed: int = made.first_failed

    def __repr__(self) -> str:
        return (f"<talus.FleetReport: {self.solves} solves, {self.contacts} contacts, {self.missed} "
                f"missed, depth {self.depth:.3g} m>")


class Copy:
    """One mechanism of a fleet, for the function that finds its contacts."""

    def __init__(self, fleet: "Fleet", index: int) -> None:
        self._fleet, self.index = fleet, index

    def point(self, link: Union[int, str], point: Vector = (0, 0, 0)) -> Tuple[Reals, Reals]:
        """Position (m) and velocity (m/s) of a point given in the link's frame."""
        at, position, velocity = reals("point", point, 3), np.zeros(3), np.zeros(3)
        self._fleet.context.check(library.talus_mechanism_point(
            self._fleet._mechanism[self.index], self._fleet.link(link), address(at), address(position),
            address(velocity)))
        return position, velocity


class Fleet:
    """`count` copies of a mechanism (talus_fleet of talus_mechanism.h), shared out among threads.

        fleet = talus.Fleet([dict(axis=(0, 1, 0), centre=(0, 0, -1))], 1000, step=1e-3)
        fleet.coordinate = np.linspace(0.1, 1, 1000)[:, None]
        fleet.step(500)
        fleet.coordinate                           # (1000, 1), rad

    links, loops: as of World.add_mechanism. touches: a function that is given a Copy and gives its
    contacts: dicts with link, point (m), normal (from the ground to the link), gap (m), and if wanted
    friction, restitution, other (a second link in place of the ground) and tangent. coordinate and
    velocity are copies; assign to set them.
    """

    def __init__(self, links: Sequence[Dict[str, Any]], count: int, *,
                 loops: Sequence[Dict[str, Any]] = (), step: Optional[float] = None,
                 gravity: Optional[Vector] = None, dynamics: Union[Dynamics, str, None] = None,
                 scheme: Union[Scheme, str] = "euler",
                 touches: Optional[Callable[[Copy], Sequence[Mapping[str, Any]]]] = None,
                 restitution: Union[Restitution, str, None] = None,
                 restitution_speed: Optional[float] = None, correction: Optional[float] = None,
                 dimension: Optional[int] = None, settings: Optional[Settings] = None,
                 accept: Optional[float] = None, context: Optional[Context] = None) -> None:
        if count < 1:
            raise ValueError(f"{count} copies: at least one is needed")
        self.context = context if context is not None else Context()
        self.names = {str(link["name"]): i for i, link in enumerate(links) if "name" in link}
        self._turn = threading.Lock()
        self._raised: List[BaseException] = []
        self._mechanism: List[c_void_p] = []
        self._coupling: List[c_void_p] = []
        self._handle = c_void_p()
        self._touches = touches
        self.context._retain()
        rows, link_count = links_define(links)
        made = define(structs.MechanismDef, "mechanism", dict(
            gravity=gravity, dynamics=dynamics, link_count=link_count), {"dynamics": Dynamics})
        made.link = cast(rows, POINTER(structs.LinkDef))
        closed = loops_define(loops)
        coupled = define(structs.CouplingDef, "fleet", dict(
            step=step, restitution=restitution, restitution_speed=restitution_speed,
            correction=correction, dimension=dimension, mechanism_count=1, loop_count=len(loops)),
            {"restitution": Restitution})
        coupled.loop = closed
        for _ in range(count):
            self._mechanism.append(self._made(library.talus_mechanism_create, made))
            one = (c_void_p * 1)(self._mechanism[-1])
            coupled.mechanism = cast(one, c_void_p)
            self._coupling.append(self._made(library.talus_coupling_create, coupled))
        self._create(count, Scheme(member("scheme", scheme, Scheme)), settings, accept)
        handle = self._mechanism[0]
        self._counts = (library.talus_mechanism_coordinate_count(handle),
                        library.talus_mechanism_velocity_count(handle))

    def _made(self, function: Any, definition: Any) -> c_void_p:
        handle = c_void_p()
        self.context.check(function(self.context._handle, byref(definition), byref(handle)))
        return handle

    def _create(self, count: int, scheme: Scheme, settings: Optional[Settings],
                accept: Optional[float]) -> None:
        made = define(structs.FleetDef, "fleet", dict(count=count, accept=accept))
        made.settings.struct_size = ctypes.sizeof(structs.Settings)
        made.scheme = scheme
        couplings = (c_void_p * count)(*self._coupling)
        made.coupling = cast(couplings, c_void_p)
        if settings is not None:
            self._used = settings.struct()
            made.settings = self._used
        if self._touches is not None:
            self._find = self._finder(self._touches), self._raised
            made.find, made.user = structs.touch_fn(_core.touch_find), id(self._find)
        self._handle = self._made(library.talus_fleet_create, made)

    # ---- life ----------------------------------------------------------------------------------

    def close(self) -> None:
        """Destroys the fleet."""
        with self._alone(existing=False):
            library.talus_fleet_destroy(self._handle)
            for handle in self._coupling:
                library.talus_coupling_destroy(handle)
            for handle in self._mechanism:
                library.talus_mechanism_destroy(handle)
            if self._mechanism or self._handle:
                self.context._release()
            self._handle, self._coupling, self._mechanism = c_void_p(), [], []

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a Fleet cannot be pickled or copied: save its coordinates and velocities")

    def __repr__(self) -> str:
        return f"<talus.Fleet of {len(self._mechanism)} mechanisms, {self._counts[0]} coordinates each>"

    def __len__(self) -> int:
        return len(self._mechanism)

    @contextlib.contextmanager
    def _alone(self, existing: bool = True) -> Iterator[None]:
        if not self._turn.acquire(blocking=False):
            raise Error(Status.BUSY, "another thread, or the step that called back, is at work in "
                        "this fleet: one at a time")
        try:
            if existing and not self._handle:
                raise Error(Status.INVALID_ARGUMENT, "the fleet was destroyed")
            yield
        finally:
            self._turn.release()

    def link(self, name: Union[int, str]) -> int:
        """The number of a link."""
        if isinstance(name, str):
            if name not in self.names:
                raise KeyError(f"no joint is called {name!r}: one of {', '.join(self.names)}")
            return self.names[name]
        return whole("link", name)

    # ---- contacts ------------------------------------------------------------------------------

    def _finder(self, touches: Callable[[Copy], Sequence[Mapping[str, Any]]]) -> Callable[..., int]:
        """Writes the contacts of a copy. What it raises, _core.touch_find keeps: the step is given
        up."""
        def found(index: int, place: int, capacity: int) -> int:
            touch = cast(place, POINTER(structs.Touch))
            given = list(touches(Copy(self, index)))
            for i, row in enumerate(given[:capacity]):
                values = dict(row)
                link, other = values.pop("link"), values.pop("other", None)
                touch[i] = define(structs.Touch, "touch", dict(
                    values, mechanism_a=0, mechanism_b=0, link_b=self.link(link),
                    link_a=-1 if other is None else self.link(other)))
            return len(given)

        return found

    # ---- state and time ------------------------------------------------------------------------

    def _get(self, which: int) -> Reals:
        made = np.zeros((len(self._mechanism), self._counts[which]))
        with self._alone():
            for handle, row in zip(self._mechanism, made):
                places = [None, address(row)] if which else [address(row), None]
                self.context.check(library.talus_mechanism_get(handle, *places))
        return made

    def _set(self, which: int, value: Any) -> None:
        made = broadcast(("coordinate", "velocity")[which], value, len(self._mechanism),
                         self._counts[which])
        with self._alone():
            for handle, row in zip(self._mechanism, made):
                places = [None, address(row)] if which else [address(row), None]
                self.context.check(library.talus_mechanism_set(handle, *places))

    @property
    def coordinate(self) -> Reals:
        """(copies, coordinates), rad or m."""
        return self._get(0)

    @coordinate.setter
    def coordinate(self, value: Any) -> None:
        self._set(0, value)

    @property
    def velocity(self) -> Reals:
        """(copies, velocities), rad/s or m/s."""
        return self._get(1)

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._set(1, value)

    def apply(self, force: Any) -> None:
        """(copies, velocities): forces along the velocities, N m or N, until changed."""
        made = broadcast("force", force, len(self._mechanism), self._counts[1])
        with self._alone():
            for handle, row in zip(self._mechanism, made):
                self.context.check(library.talus_mechanism_apply(handle, address(row)))

    def drive(self, link: Union[int, str], rate: Any = 0.0, target: Any = 0.0,
              effort: float = float("inf")) -> None:
        """New values for the motor of a link in all copies: rate and target are one number, (copies,)
        or (copies, coordinates of the joint up to 3)."""
        rates, targets = (self._per_copy(name, value) for name, value in (("rate", rate),
                                                                         ("target", target)))
        with self._alone():
            for handle, speed, place in zip(self._mechanism, rates, targets):
                self.context.check(library.talus_mechanism_drive(
                    handle, self.link(link), address(speed), address(place),
                    real("effort", effort)))

    def _per_copy(self, name: str, value: Any) -> Reals:
        array = np.asarray(value)
        if array.ndim == 1 and len(array) == len(self._mechanism):
            array = np.repeat(array[:, None], 3, axis=1)
        return broadcast(name, array, len(self._mechanism), 3)

    def step(self, count: int = 1) -> FleetReport:
        """So many steps of every copy. One that fails stays before its step, the others go on, and
        Error names the first; what `touches` raises comes out."""
        made = fill(structs.FleetReport)
        with self._alone():
            status = library.talus_fleet_step(self._handle, whole("count", count),
                                              byref(made))
            if self._raised:
                error = self._raised[0]
                self._raised.clear()
                raise error
            self.context.check(status)
        return FleetReport(made)
