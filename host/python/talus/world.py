"""Worlds: bodies, shapes, joints and time (talus_world.h), their state as NumPy arrays.

world_state.py holds life and arrays, world_build.py and world_joints.py what is added.
"""

import ctypes
import os
from ctypes import byref, c_int32, c_void_p, cast
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from . import structs
from .define import Reals, Vector, define, real, whole
from .enums import Integrator, Miss, Restitution, ShapeKind, Softness, Stabilisation, Status
from .library import fill, library
from .problem import AnyArray
from .raised import keeps, listen
from .reports import CONTACT_TYPE, ContactEvent, StepReport
from .settings import Settings
from .solver import Context, Error
from .world_joints import WorldJoints

if TYPE_CHECKING:
    from .run import Run

_WORLD_KINDS: Dict[str, Any] = {"integrator": Integrator, "stabilisation": Stabilisation,
                                "restitution": Restitution, "on_miss": Miss,
                                "softness": Softness}
_DEF_NAMES = {field[0] for field in structs.WorldDef._fields_}
_LASTING = ("step", "plane", "seed", "softness")  # what talus_world_set leaves as it is


def _solver_settings(made: structs.WorldDef,
                     settings: Optional[Settings]) -> Optional[structs.Settings]:
    """Puts the settings of the contact solves into a def."""
    if settings is None:
        return None
    used = settings.struct()
    if settings.max_iterations == Settings.max_iterations:
        used.max_iterations = 0  # the world has a default of its own
    made.solver = used
    return used


class World(WorldJoints):
    """Grains and what moves among them.

        world = talus.World(gravity=(0, 0, -9.81))
        world.add_plane()
        ids = world.add_spheres(positions, radii)
        world.step(1000)
        world.position[ids]

    Units: any consistent set, SI here: m, kg, s, N. Bodies are named by ids, which are never used
    again. position, orientation, velocity and spin are arrays over ids, NaN where a body has been
    removed: they show the state after the last call of the world, and what is written to them is
    taken over at its next call. Adding bodies makes new arrays; those taken before stay as they are.

    Arguments are members of talus_world_def, None is the default in brackets: gravity (m/s2; 0 0
    -9.81), step (s; 1e-3), cut into substeps (1); integrator "euler" or "midpoint"; stabilisation
    "projection", "bias" (at most bias_cap, 0.6 m/s) or "none"; restitution "newton" or "poisson",
    impacts below restitution_speed (m/s; 2 |gravity| step) are plastic; plane: motion in x and z
    alone; slop (2e-4) and penetration_limit (0.05): of the smaller radius, margin (0.02): of the mean
    radius of a pair; tolerance: error of a step (1e-4), above accept (10 times as much) on_miss
    "halve" and "stop" act; velocity_scale (m/s): what errors are relative to; softness "rigid" or
    "auto"; brick_size (m): of bricks by which ranks share a step; seed; settings: law, method,
    threads ... of the contact solves. Given later: world.gravity = ..., or set().

    One thread at a time: a second one, and a callback, gets Error (BUSY).
    """

    def __init__(self, gravity: Optional[Vector] = None, step: Optional[float] = None, *,
                 substeps: Optional[int] = None, integrator: Union[Integrator, str, None] = None,
                 stabilisation: Union[Stabilisation, str, None] = None,
                 restitution: Union[Restitution, str, None] = None, plane: Optional[bool] = None,
                 slop: Optional[float] = None, margin: Optional[float] = None,
                 bias_cap: Optional[float] = None, restitution_speed: Optional[float] = None,
                 tolerance: Optional[float] = None, accept: Optional[float] = None,
                 settings: Optional[Settings] = None, seed: Optional[int] = None,
                 on_miss: Union[Miss, str, None] = None, penetration_limit: Optional[float] = None,
                 velocity_scale: Optional[float] = None, softness: Union[Softness, str, None] = None,
                 brick_size: Optional[float] = None,
                 context: Optional[Context] = None) -> None:
        self._begin(context if context is not None else Context())
        made = define(structs.WorldDef, "world", dict(
            gravity=gravity, step=step, substeps=substeps, integrator=integrator,
            stabilisation=stabilisation, restitution=restitution, plane=plane, slop=slop,
            margin=margin, bias_cap=bias_cap, restitution_speed=restitution_speed,
            tolerance=tolerance, accept=accept, seed=seed, on_miss=on_miss,
            penetration_limit=penetration_limit, velocity_scale=velocity_scale, softness=softness,
            brick_size=brick_size),
            _WORLD_KINDS)
        made.solver.struct_size = ctypes.sizeof(structs.Settings)
        used = _solver_settings(made, settings)
        handle = c_void_p()
        self.context.check(library.talus_world_create(self.context._handle, byref(made),
                                                      byref(handle)))
        self._take(handle)
        self._use(used)

    def _use(self, used: Optional[structs.Settings]) -> None:
        """Keeps what the world's solver points to."""
        if used is not None:
            self._used, self._settings_raised = used, used.raised

    def set(self, *, settings: Optional[Settings] = None, **values: Any) -> None:
        """Other values from the next step on, named as in World(...): gravity, substeps, tolerance,
        settings ...; what is not named stays. step, plane, seed and softness cannot be changed.
        world.gravity = (0, 0, 0) does the same for one of them."""
        for name in values:
            if name in _LASTING:
                raise TypeError(f"world.{name} stays as it was made")
        with self._alone() as world:
            self._look(world)  # stages of a scene change it as well
            made = structs.WorldDef.from_buffer_copy(self._def)
            changed = define(structs.WorldDef, "world", values, _WORLD_KINDS)
            for name in values:
                setattr(made, name, getattr(changed, name))  # None: the default
            used = _solver_settings(made, settings)
            before = self._def.solver.dump, self._def.solver.dump_path
            if used is not None:
                self.context.check(library.talus_world_dump(world, used.dump, used.dump_path))
            try:
                self.context.check(library.talus_world_set(world, byref(made)))
            except Error:
                if used is not None:
                    library.talus_world_dump(world, *before)
                raise
            self._use(used)
            self._look(world)

    def __setattr__(self, name: str, value: Any) -> None:
        """A member of talus_world_def goes to set(); a name that a World has not is refused, except in
        classes that are derived from it."""
        if callable(getattr(World, name, None)) and not name.startswith("_"):
            raise AttributeError(f"world.{name} is a method, which this would hide" + (
                "; the length of a step is world.step_length, World(step=...) chooses it"
                if name == "step" else ""))
        if name.startswith("_") or name == "context" or hasattr(type(self), name) or (
                type(self) is not World and name not in _DEF_NAMES):
            object.__setattr__(self, name, value)
        elif name in _DEF_NAMES and name not in ("struct_size", "solver_room", "unused", "solver"):
            if name in _LASTING:
                raise AttributeError(f"world.{name} stays as it was made")
            self.set(**{name: value})
        else:
            raise AttributeError(f"a World has no {name} to be set")

    def __getattr__(self, name: str) -> Any:
        """gravity (m/s2), step_length (s), tolerance and the other members of talus_world_def."""
        made = self.__dict__.get("_def")
        known = {"step_length": "step"}.get(name, name)
        if made is None or name in ("step", "struct_size", "solver") or known not in _DEF_NAMES:
            raise AttributeError(f"a World has no {name}")
        value = getattr(made, known)
        if known in _WORLD_KINDS:
            return _WORLD_KINDS[known](value)
        if known != "gravity":
            return value
        shown = np.array(value)
        shown.flags.writeable = False  # a copy: world.gravity = ... changes it
        return shown

    def __repr__(self) -> str:
        if not self._handle:
            return "<talus.World, destroyed>"
        return (f"<talus.World at t = {self.time:.6g} s, step {self.steps}: {self.body_count} bodies, "
                f"{self.contact_count} contacts>")

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    # ---- time ----------------------------------------------------------------------------------

    def step(self, count: int = 1) -> StepReport:
        """Makes so many steps, and tells of the last. Ctrl-C, and what a callback raises, comes out
        between two steps. A step that cannot be solved raises Error (STEP_FAILED); the bodies are
        then as they were before it."""
        wanted = whole("count", count)
        if wanted < 1:
            raise ValueError(f"{count} steps: at least one is needed")
        made = fill(structs.StepReport)
        listen()
        with self._alone() as world:
            try:
                for _ in range(wanted):
                    if self._before_step is not None:
                        self._before_step()
                        self._look(world)  # a stage may have changed it
                    status = library.talus_world_step(world, byref(made))
                    if status == Status.OK:
                        self._stepped(made.halvings)
                    self._raise()
                    self.context.check(status)
                    if self._after_step is not None:
                        self._after_step(made)
            finally:
                self._changed()
        return StepReport(made)

    def _raise(self) -> None:
        """What a callback raised."""
        for raised in (self._raised, self._settings_raised):
            if raised:
                error = raised[0]
                raised.clear()
                raise error

    def run(self, directory: Any, *, time: Optional[float] = None, steps: Optional[int] = None,
            every: Optional[float] = None, contacts: bool = True, force: bool = False,
            append: bool = False) -> "Run":
        """Steps to a time (s), or so many steps, and writes frames and scalars.csv to a directory, for
        talus.Run, `talus view` and ParaView. every: s between frames; default: a hundredth of the run.
        contacts: whether they are written. force: replaces a run that is there; append: goes on in
        it, after load() from an earlier step too. On ranks all make the call, and the first writes."""
        from . import record
        return record.run(self, directory, time, steps, every, contacts, force, append)

    def save(self, directory: Any, keep: int = 3) -> str:
        """Writes a checkpoint to a directory, of which the newest `keep` stay; gives its path. load()
        of a world that was built in the same way goes on from it, bit for bit; that of a scene's
        world with what its inlets, outlets and motors have done. On ranks all make the call, and the
        first writes."""
        kept = whole("keep", keep)

        def newest() -> str:
            room = ctypes.create_string_buffer(4096)
            self.context.check(library.talus_checkpoint_newest(
                self.context._handle, place, room, len(room)))
            return os.fsdecode(room.value)

        place = os.fsencode(directory)
        self.context._by_first(lambda: os.makedirs(directory, exist_ok=True))
        with self._alone() as world:
            self.context.check(
                library.talus_checkpoint_write(world, place, kept) if self._scene is None else
                library.talus_scene_save(self._scene._handle, world, place, kept))
        written: str = self.context._by_first(newest)
        return written

    def load(self, path: Any) -> None:
        """Brings the world to where a checkpoint (a file, or the newest in a directory) was written.
        It must have been built in the same way; a scene's world just now. A world that refuses it is
        destroyed."""
        room = ctypes.create_string_buffer(4096)
        with self._alone(changes=True) as world:
            if os.path.isdir(path):
                self.context.check(library.talus_checkpoint_newest(
                    self.context._handle, os.fsencode(path), room, len(room)))
                path = os.fsdecode(room.value)
            place = os.fsencode(path)
            status = (library.talus_checkpoint_read(world, place) if self._scene is None else
                      library.talus_scene_resume(self._scene._handle, world, place))
            said = library.talus_context_message(self.context._handle).decode()
        if status not in (Status.OK, Status.FILE_OPEN, Status.UNSUPPORTED):
            self.close()  # it may be changed in part
        if status != Status.OK:
            raise Error(status, said)
        self._loaded = True

    @property
    def time(self) -> float:
        """s"""
        with self._alone() as world:
            return float(library.talus_world_time(world))

    @property
    def steps(self) -> int:
        """Steps made so far."""
        with self._alone() as world:
            return int(library.talus_world_steps(world))

    @property
    def device_steps(self) -> int:
        """Steps that were made in the memory of a device."""
        with self._alone() as world:
            return int(library.talus_world_device_steps(world, None))

    @property
    def device_reason(self) -> Optional[str]:
        """Why the last step was not made in the memory of a device; None if it was, or none was
        made."""
        said = ctypes.c_char_p()
        with self._alone() as world:
            library.talus_world_device_steps(world, byref(said))
            return said.value.decode() if said.value else None

    @property
    def softness_found(self) -> Tuple[float, float]:
        """What softness "auto" chose: a modulus (Pa) and the overlap, in radii, of a grain that rests
        on another; zeros if nothing is soft by it, or no free body is there yet."""
        modulus, overlap = ctypes.c_double(), ctypes.c_double()
        with self._alone() as world:
            self.context.check(library.talus_world_softness(world, byref(modulus), byref(overlap)))
        return modulus.value, overlap.value

    def write_problem(self, path: Any) -> None:
        """Writes the contact problem of the step that failed, or else of the next one, for
        `talus solve` and read_problem: *.dat in Siconos' text, other names in FCLIB's HDF5."""
        with self._alone() as world:
            status = library.talus_world_problem_write(world, os.fsencode(path))
            self._raise()
            self.context.check(status)

    def on_contact(self, function: Optional[Callable[[ContactEvent], Any]]) -> None:
        """Calls the function with a ContactEvent before each contact is solved; it may set friction,
        restitution and keep. A step may call it more than once for a contact. None: no function."""
        if function is not None and not callable(function):
            raise TypeError(f"{function!r} is not a function")
        with self._alone() as world:
            callback = None if function is None else structs.contact_fn(self._guarded(function))
            library.talus_world_on_contact(world, callback and cast(callback, c_void_p), None)
            self._callback = callback  # the last one is not called any more

    def _guarded(self, function: Callable[[ContactEvent], Any]) -> Callable[..., None]:
        raised = self._raised

        @keeps
        def call(user: Any, contact: Any, friction: Any, restitution: Any, keep: Any) -> None:
            if raised:  # the step ends as soon as it can
                return
            try:
                event = ContactEvent(contact.contents, friction[0], restitution[0])
                function(event)
                friction[0] = real("contact.friction", event.friction)
                restitution[0] = real("contact.restitution", event.restitution)
                keep[0] = 1 if event.keep else 0
            except BaseException as error:  # KeyboardInterrupt too
                raised.append(error)

        return call

    # ---- contacts ------------------------------------------------------------------------------

    @property
    def contact_count(self) -> int:
        """Contacts of the last step."""
        with self._alone() as world:
            return max(0, int(library.talus_world_contacts(world, None)))

    @property
    def contacts(self) -> AnyArray:
        """Contacts of the last step as a structured array, a copy: body_a, body_b, shape_a, shape_b,
        point (m), normal (from a to b), gap (m), impulse (N s, on b)."""
        return self._records(library.talus_world_contacts, CONTACT_TYPE)

    @property
    def contact_force(self) -> Reals:
        """(capacity, 3) by id, N: sum of the contact forces on each body in the last step."""
        return self._contact_sums(lambda contacts, side: contacts["impulse"])

    @property
    def contact_torque(self) -> Reals:
        """(capacity, 3) by id, N m: of the contact forces about each body's present position."""
        position = self.position

        def moment(contacts: AnyArray, side: str) -> AnyArray:
            made: AnyArray = np.cross(contacts["point"] - position[contacts[side]],
                                      contacts["impulse"])
            return made

        return self._contact_sums(moment)

    def _contact_sums(self, value: Callable[[AnyArray, str], AnyArray]) -> Reals:
        contacts = self.contacts
        with self._alone() as world:
            sums = np.zeros((library.talus_body_capacity(world), 3))
        for side, sign in (("body_b", 1), ("body_a", -1)):
            np.add.at(sums, contacts[side], sign * value(contacts, side) / self._part_seconds)
        return sums

    # ---- pictures ------------------------------------------------------------------------------

    def shapes(self) -> List[Dict[str, Any]]:
        """All shapes as dicts: shape, body, kind, material, position and orientation in the body's
        frame, radius, half_length, half_edge, points, triangles."""
        made: List[Dict[str, Any]] = []
        with self._alone() as world:
            for number in range(library.talus_shape_capacity(world)):
                shape, body = fill(structs.ShapeDef, 0), c_int32()
                if library.talus_shape_get(world, number, byref(body), byref(shape)) == Status.OK:
                    made.append(dict(
                        shape=number, body=body.value, kind=ShapeKind(shape.kind),
                        material=shape.material, position=np.array(shape.position),
                        orientation=np.array(shape.orientation), radius=shape.radius,
                        half_length=shape.half_length, half_edge=np.array(shape.half_edge),
                        points=_copied(shape.point, shape.point_count, ctypes.c_double),
                        triangles=_copied(shape.triangle, shape.triangle_count, c_int32)))
        return made

    def show(self, **options: Any) -> Any:
        """Shows the world in a window or a notebook by PyVista (pip install talus-contact[view]); see
        talus.view.show."""
        from . import view
        return view.show(self, **options)

    def export_html(self, path: Any, **options: Any) -> None:
        """Writes one page that shows the world in any browser; see talus.page.export_html."""
        from . import page
        page.export_html(self, path, **options)


def _copied(place: Optional[int], count: int, kind: Any) -> Optional[AnyArray]:
    if not place or count < 1:
        return None
    return np.frombuffer((kind * (3 * count)).from_address(place), kind).reshape(-1, 3).copy()
