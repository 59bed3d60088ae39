"""The life of a world, one caller at a time, and the state of its bodies as NumPy arrays."""

import contextlib
import ctypes
import sys
import threading
from ctypes import byref, c_int32, c_void_p
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np
import numpy.typing as npt

from . import structs
from .define import Reals, address, broadcast, ids, whole
from .enums import Status
from .library import fill, library
from .problem import AnyArray
from .solver import Context, Error

STATE = {"position": slice(0, 3), "orientation": slice(3, 7), "velocity": slice(7, 10),
         "spin": slice(10, 13)}

# Whether two arrays have the same bits.
_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes, _memcmp.restype = [c_void_p, c_void_p, ctypes.c_size_t], ctypes.c_int


def _references(holder: Any) -> int:
    """Of holder._state, with those that this function makes."""
    state = holder._state
    return sys.getrefcount(state)


class _Lone:
    def __init__(self) -> None:
        self._state = object()


_ALONE = _references(_Lone())  # where nobody else has an array


class WorldState:
    """The base of World: handle, lock, arrays."""

    context: Context

    def _begin(self, context: Context) -> None:
        self.context = context
        self._handle = c_void_p()
        self._turn = threading.Lock()
        self._used: Any = None  # settings, whose progress the world's solver calls
        self._settings_raised: List[BaseException] = []
        self._raised: List[BaseException] = []
        self._callback: Any = None
        self._material: Optional[int] = None  # the one of shapes that name none
        self._materials: Dict[int, Dict[str, Any]] = {}  # what add_material was given
        self._state: Optional[Reals] = None
        self._seen: Optional[Reals] = None
        self._stale, self._handed = True, False
        self._loaded = False  # from a checkpoint: what is written may replace later frames
        self._before_step: Optional[Callable[[], None]] = None
        self._after_step: Optional[Callable[[Any], None]] = None
        self._scene: Any = None

    def _take(self, handle: c_void_p) -> None:
        self._handle = handle
        self.context._retain()
        self._look(handle)
        self._stepped(0)

    def _look(self, handle: c_void_p) -> None:
        """Keeps the def by which the world goes."""
        made = fill(structs.WorldDef)
        made.solver.struct_size = ctypes.sizeof(structs.Settings)
        self.context.check(library.talus_world_get(handle, byref(made)))
        self._def = made

    def _stepped(self, halvings: int) -> None:
        """Keeps how long the impulses of the last step acted: its last part, which may have been cut."""
        self._part_seconds = self._def.step / (self._def.substeps << halvings)

    def close(self) -> None:
        """Destroys the world. Arrays that were taken from it keep what they show."""
        if not self._turn.acquire(blocking=False):
            self._refuse()
        try:
            if self._handle:
                handle, self._handle = self._handle, c_void_p()
                library.talus_world_destroy(handle)
                self.context._release()
        finally:
            self._turn.release()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a World cannot be pickled or copied: save() writes a checkpoint, from which "
                        "load() goes on bit for bit")

    @staticmethod
    def _refuse() -> None:
        raise Error(Status.BUSY, "another thread, or the step that called back, is at work in this "
                    "world: one at a time")

    @contextlib.contextmanager
    def _alone(self, changes: bool = False) -> Iterator[c_void_p]:
        """The handle, for one caller at a time; what was written to the arrays is taken over first."""
        if not self._turn.acquire(blocking=False):
            self._refuse()
        try:
            if not self._handle:
                raise Error(Status.INVALID_ARGUMENT, "the world was destroyed")
            self._push()
            try:
                yield self._handle
            finally:
                if changes:  # what failed may have changed a part
                    self._changed()
        finally:
            self._turn.release()

    def _add(self, function: Any, *arguments: Any) -> int:
        made = c_int32(-1)
        self.context.check(function(*arguments, byref(made)))
        return made.value

    def _arrays(self) -> Reals:
        """(capacity, 13): the state of all bodies, to be read and written."""
        if not self._turn.acquire(blocking=False):
            self._refuse()
        try:
            if not self._handle:
                raise Error(Status.INVALID_ARGUMENT, "the world was destroyed")
            return self._shown(self._handle)
        finally:
            self._turn.release()

    def _shown(self, world: c_void_p) -> Reals:
        count = library.talus_body_capacity(world)
        if self._state is not None and len(self._state) != count:
            self._push()
        if self._state is None or self._seen is None or len(self._state) != count:
            self._state, self._seen = np.empty((count, 13)), np.empty((count, 13))
            self._stale = True
        if self._stale:
            self._pull(world)
        self._handed = True
        return self._state

    def _pull(self, world: c_void_p) -> None:
        assert self._state is not None and self._seen is not None
        self.context.check(library.talus_bodies_get(world, len(self._state), address(self._state)))
        np.copyto(self._seen, self._state)
        self._stale = False

    def _changed(self) -> None:
        """After what may have moved bodies: arrays that somebody holds are refreshed."""
        self._stale = True
        if self._state is not None and self._handle and _references(self) > _ALONE and (
                len(self._state) == library.talus_body_capacity(self._handle)):
            self._pull(self._handle)

    def _push(self) -> None:
        """Takes over what was written to the arrays since they were shown."""
        if not self._handed or self._state is None or self._seen is None or self._stale:
            return
        state, seen = self._state, self._seen
        if _memcmp(state.ctypes.data, seen.ctypes.data, state.nbytes) != 0:
            rows = np.flatnonzero((state.view(np.int64) != seen.view(np.int64)).any(axis=1))
            changed, names = np.ascontiguousarray(state[rows]), rows.astype(np.int32)
            status = library.talus_bodies_set(self._handle, len(names), address(names),
                                              address(changed))
            said = library.talus_context_message(self.context._handle).decode()
            self._pull(self._handle)  # what was refused is gone
            if status != Status.OK:
                raise Error(status, said)
        del state
        self._handed = _references(self) > _ALONE

    @property
    def position(self) -> Reals:
        """(capacity, 3) by id, m: centres of mass."""
        return self._arrays()[:, STATE["position"]]

    @position.setter
    def position(self, value: Any) -> None:
        self._assign("position", value)

    @property
    def orientation(self) -> Reals:
        """(capacity, 4) by id: unit quaternions w x y z, from the body's axes to the world's."""
        return self._arrays()[:, STATE["orientation"]]

    @orientation.setter
    def orientation(self, value: Any) -> None:
        self._assign("orientation", value)

    @property
    def velocity(self) -> Reals:
        """(capacity, 3) by id, m/s: of the centres of mass."""
        return self._arrays()[:, STATE["velocity"]]

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._assign("velocity", value)

    @property
    def spin(self) -> Reals:
        """(capacity, 3) by id, rad/s: angular velocities, world frame."""
        return self._arrays()[:, STATE["spin"]]

    @spin.setter
    def spin(self, value: Any) -> None:
        self._assign("spin", value)

    def _assign(self, name: str, value: Any) -> None:
        """All rows at once; checked here, since the array may have been written to in place already."""
        shown = self._arrays()[:, STATE[name]]
        shown[...] = broadcast(name, value, *shown.shape)
        with self._alone():
            pass

    def _measured(self, which: int, kind: Any) -> AnyArray:
        with self._alone() as world:
            count = library.talus_body_capacity(world)
            made: AnyArray = np.empty(count, kind)
            places: List[Optional[int]] = [None, None, None]
            places[which] = address(made)
            self.context.check(library.talus_bodies_measure(world, count, *places))
        made.flags.writeable = False
        return made

    @property
    def type(self) -> npt.NDArray[np.int32]:
        """(capacity,) by id: BodyType; -1 where a body has been removed. To be read."""
        return self._measured(0, np.int32)

    @property
    def mass(self) -> Reals:
        """(capacity,) by id, kg; 0 of bodies that are not free. To be read."""
        return self._measured(1, np.float64)

    @property
    def radius(self) -> Reals:
        """(capacity,) by id, m: of the ball about the position that holds the body; inf of planes, 0
        of bodies without shapes. To be read."""
        return self._measured(2, np.float64)

    def inertia(self, body: int) -> Reals:
        """(3, 3) in the body's frame about the centre of mass, kg m2."""
        six = (ctypes.c_double * 6)()
        with self._alone() as world:
            if not library.talus_body_exists(world, whole("body", body)):
                raise Error(Status.INDEX_RANGE, f"body {body} does not exist")
            library.talus_body_inertia(world, whole("body", body), six)
        xx, xy, xz, yy, yz, zz = six
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """Of the bodies that exist, ascending."""
        return np.flatnonzero(self.type >= 0).astype(np.int32)

    @property
    def body_count(self) -> int:
        """Bodies that exist."""
        with self._alone() as world:
            return int(library.talus_body_count(world))

    def apply(self, bodies: Any, force: Any = None, torque: Any = None) -> None:
        """Adds force (N) and torque (N m), world frame, to gravity until set again: (n, 3), or (3,)
        for all of these bodies; None: none."""
        names = ids("bodies", bodies)
        pushed = None if force is None else broadcast("force", force, len(names), 3)
        turned = None if torque is None else broadcast("torque", torque, len(names), 3)
        with self._alone() as world:
            self.context.check(library.talus_bodies_force(world, len(names), address(names),
                                                          address(pushed), address(turned)))
